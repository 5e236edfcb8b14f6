// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/stopped_watch.h"

#include "core/base/process_state.h"
#include "core/run/agent_process.h"

namespace lockstep::launch {

namespace {
constexpr Millis kLookInterval{500};
}  // namespace

std::optional<wire::FromHost> StoppedWatch::look(Nanos now) {
    if (now - looked_ < kLookInterval) return std::nullopt;
    looked_ = now;
    const bool was = isStopped_;
    isStopped_ = run::isStopped(pid_);
    stoppedFor_ = stopped_.note(isStopped_, contextSwitches(pid_), now);
    if (isStopped_ == was) return std::nullopt;
    wire::FromHost news;
    news.mutable_agent_stopped()->set_pid(pid_);
    news.mutable_agent_stopped()->set_going_on(was);
    return news;
}

}  // namespace lockstep::launch
