// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/coordinator_watch.h"

#include <fmt/format.h>

#include "core/coordination/health/heartbeat_times.h"
#include "core/coordination/state/sentences.h"

namespace lockstep::coordination {

namespace {

/// A closed connection and this many attempts turned down, over two to three seconds: whoever
/// listened there has ended. A network that loses everything turns down nothing.
constexpr int kRefusalsOfTheDead = 5;

}  // namespace

void CoordinatorWatch::noteTurn(Nanos now) {
    // A process that was stopped and goes on must hear what has come before it judges silence.
    const Nanos gap = now - lastTurn_;
    if (gap > forgivenGap(limits_.heartbeatInterval)) lastHeard_ += gap;
    lastTurn_ = now;
}

std::optional<std::string> CoordinatorWatch::judge(const wire::LinkStatus& link, Nanos now) const {
    if (link.refusals >= kRefusalsOfTheDead)
        return fmt::format(
            "the coordinator at {} has ended: its connection was closed, and nobody listens there",
            endpoint_);
    const Nanos silence = now - lastHeard_;
    if (silence <= limits_.heartbeatTimeout) return std::nullopt;
    return fmt::format("the coordinator at {} is lost: it has not answered for {}", endpoint_,
                       secondsText(silence));
}

}  // namespace lockstep::coordination
