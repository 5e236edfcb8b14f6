// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/stack_requests.h"

#include <algorithm>

namespace lockstep::coordination {

namespace {
constexpr Nanos kPause = 60s;
}

std::vector<std::uint32_t> StackRequests::update(const std::optional<Finding>& finding, Nanos now) {
    std::vector<std::uint32_t> asked;
    if (!finding) told_.clear();
    if (!finding || finding->severity != kSeverityStuck) return asked;
    if (!finding->suspects.empty()) return askAll(finding->suspects, now);
    for (const std::uint32_t process : finding->processes) {
        const auto last = lastAsked_.find(process);
        const bool isRecent = last != lastAsked_.end() && now - last->second < kPause;
        if (isRecent || !told_.insert(process).second) continue;
        lastAsked_[process] = now;
        asked.push_back(process);
    }
    return asked;
}

/// Their answers are compared: all are asked, whoever was asked of late for himself, or none is.
std::vector<std::uint32_t> StackRequests::askAll(const std::vector<std::uint32_t>& suspects,
                                                 Nanos now) {
    const bool isRecent = allAsked_ && now - *allAsked_ < kPause;
    const auto isTold = [this](std::uint32_t process) { return told_.contains(process); };
    if (isRecent || std::ranges::all_of(suspects, isTold)) return {};
    allAsked_ = now;
    told_.insert(suspects.begin(), suspects.end());
    for (const std::uint32_t process : suspects)
        lastAsked_[process] = now;
    return suspects;
}

void StackRequests::reset() {
    told_.clear();
    allAsked_.reset();
    lastAsked_.clear();
}

}  // namespace lockstep::coordination
