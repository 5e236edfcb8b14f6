// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/stack_requests.h"

namespace lockstep::coordination {

namespace {
constexpr Nanos kPause = 60s;
}

std::vector<std::uint32_t> StackRequests::update(const std::optional<Finding>& finding, Nanos now) {
    std::vector<std::uint32_t> asked;
    if (!finding) told_.clear();
    if (!finding || finding->severity != kSeverityStuck) return asked;
    const bool isOneOfThem = !finding->suspects.empty();
    for (const std::uint32_t process : isOneOfThem ? finding->suspects : finding->processes) {
        const auto last = lastAsked_.find(process);
        const bool isRecent = last != lastAsked_.end() && now - last->second < kPause;
        if (isRecent || !told_.insert(process).second) continue;
        lastAsked_[process] = now;
        asked.push_back(process);
    }
    return asked;
}

void StackRequests::reset() {
    told_.clear();
    lastAsked_.clear();
}

}  // namespace lockstep::coordination
