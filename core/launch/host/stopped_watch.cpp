// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/stopped_watch.h"

#include <algorithm>

#include "core/run/agent_process.h"

namespace lockstep::launch {

namespace {
constexpr Millis kLookInterval{500};
/// More than that between two looks: whoever looks was stopped, too, and saw nothing.
constexpr std::chrono::seconds kLongestBetween{2};
}  // namespace

std::optional<wire::FromHost> StoppedWatch::look(Nanos now) {
    const Nanos passed = now - looked_;
    if (passed < kLookInterval) return std::nullopt;
    looked_ = now;
    const bool was = isStopped_;
    isStopped_ = run::isStopped(pid_);
    if (!isStopped_)
        stoppedFor_ = Nanos{};
    else if (was)
        stoppedFor_ += std::min<Nanos>(passed, kLongestBetween);
    if (isStopped_ == was) return std::nullopt;
    wire::FromHost news;
    news.mutable_agent_stopped()->set_pid(pid_);
    news.mutable_agent_stopped()->set_going_on(was);
    return news;
}

}  // namespace lockstep::launch
