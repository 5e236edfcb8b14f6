// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// An evaluator that has been at one evaluation for longer than is usual.
struct LongEvaluation {
    std::uint32_t evaluator = 0;
    Seconds age{};
    std::optional<Seconds> usual{};  ///< The median of its kind; none: it is the first.
};

/// Notices evaluators that live but may hang: by what they say of themselves in their heartbeats,
/// against what the run's evaluations of the same kind take: of checkpoints, or of the test data.
/// The first of a kind tells nothing. No clock, no thread.
class EvaluationWatch {
public:
    /// `first`: how long the first one of a kind may take.
    explicit EvaluationWatch(Seconds first) : first_(first) {}

    /// Whether it is at the test data; else it is at checkpoints.
    void setTesting(std::uint32_t evaluator, bool isTesting) {
        if (isTesting)
            testing_.insert(evaluator);
        else
            testing_.erase(evaluator);
    }
    /// What an evaluator says in a heartbeat.
    void report(std::uint32_t evaluator, const wire::ReplicaProgress& progress);
    /// It has sent a score, or why there is none.
    void done(std::uint32_t evaluator, const wire::Evaluation& evaluation);
    /// It is no more, or silent.
    void forget(std::uint32_t evaluator) { present_.erase(evaluator); }
    void beginGeneration() {
        present_.clear();
        testing_.clear();
    }

    /// Who has become too long since the last call; once for each evaluation.
    [[nodiscard]] std::vector<LongEvaluation> takeNews() { return std::exchange(news_, {}); }

private:
    struct Present {
        Seconds age{};
        bool isTold = false;
    };
    struct Took {
        std::vector<Seconds> newest;  ///< A ring.
        std::size_t next = 0;
    };
    [[nodiscard]] Took& ofItsKind(std::uint32_t evaluator) {
        return testing_.contains(evaluator) ? tests_ : checkpoints_;
    }
    [[nodiscard]] static std::optional<Seconds> usual(const Took& took);

    const Seconds first_;

    std::map<std::uint32_t, Present> present_;  // evaluations under way, by evaluator
    std::set<std::uint32_t> testing_;           // who is at the test data
    Took checkpoints_;
    Took tests_;
    std::vector<LongEvaluation> news_;
};

}  // namespace lockstep::coordination
