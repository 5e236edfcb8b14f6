// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/health/verdict.h"

namespace lockstep::coordination {

/// Who is asked for the stacks of its threads: whoever a finding calls stuck, or suspects, once
/// while the trouble lasts, and not again within a while, so that a job that is stuck time and
/// again does not fill its logs. No clock, no thread.
class StackRequests {
public:
    /// The trouble at `now`, or none. Gives the processes to ask now.
    [[nodiscard]] std::vector<std::uint32_t> update(const std::optional<Finding>& finding,
                                                    Nanos now);
    /// Other processes run now.
    void reset();

private:
    [[nodiscard]] std::vector<std::uint32_t> askAll(const std::vector<std::uint32_t>& suspects,
                                                    Nanos now);

    std::set<std::uint32_t> told_;              // in the present trouble
    std::map<std::uint32_t, Nanos> lastAsked_;  // by process
    std::optional<Nanos> allAsked_;             // who all wait, to compare their answers
};

}  // namespace lockstep::coordination
