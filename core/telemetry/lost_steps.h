// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/telemetry/step_gaps.h"

namespace lockstep::telemetry {

/// Steps that a run went on behind, and that are not in its journal, since whoever was to tell them
/// was lost: counted and said, of a journal's records, one by one.
class LostSteps {
public:
    void take(const wire::Record& record);
    /// One before those that count.
    void passOver(const wire::Record& record) { std::ignore = gaps_.take(record); }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// "steps of replica 1 are missing, whose records were lost with a process: 8 (105-112)";
    /// empty: there are none.
    [[nodiscard]] std::string text() const;

private:
    StepGaps gaps_;
    std::uint64_t count_ = 0;
    std::set<int> replicas_;
    std::vector<std::string> ranges_;  ///< The first of them.
    bool hasMore_ = false;
};

}  // namespace lockstep::telemetry
