// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// An evaluator that has been at one evaluation for longer than is usual.
struct LongEvaluation {
    std::uint32_t evaluator = 0;
    Seconds age{};
    std::optional<Seconds> usual{};  ///< The median of the run's; none: it is the first.
};

/// Notices evaluators that live but may hang: by what they say of themselves in their heartbeats,
/// against what the run's evaluations take. No clock, no thread.
class EvaluationWatch {
public:
    /// What an evaluator says in a heartbeat.
    void report(std::uint32_t evaluator, const wire::ReplicaProgress& progress);
    /// It has sent a score, or why there is none.
    void done(std::uint32_t evaluator, const wire::Evaluation& evaluation);
    /// It is no more, or silent.
    void forget(std::uint32_t evaluator) { present_.erase(evaluator); }
    void beginGeneration() { present_.clear(); }

    /// Who has become too long since the last call; once for each evaluation.
    [[nodiscard]] std::vector<LongEvaluation> takeNews() { return std::exchange(news_, {}); }

private:
    struct Present {
        Seconds age{};
        bool isTold = false;
    };
    [[nodiscard]] std::optional<Seconds> usual() const;

    std::map<std::uint32_t, Present> present_;  // evaluations under way, by evaluator
    std::vector<Seconds> newest_;               // a ring: what evaluations took
    std::size_t next_ = 0;
    std::vector<LongEvaluation> news_;
};

}  // namespace lockstep::coordination
