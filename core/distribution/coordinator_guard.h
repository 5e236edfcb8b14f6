// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/coordination/server/coordinator.h"

namespace lockstep::distribution {

/// Watches the thread of a coordinator that the same process hosts, from a thread of its own: where
/// it stands, nobody else could say why all others go. Warns of it, and gives it up sooner than the
/// processes of the group do.
class CoordinatorGuard {
public:
    /// `whose`: "process 0 (gpu1)". `onLost` gets the cause, on the thread of this; once.
    CoordinatorGuard(const coordination::Coordinator& coordinator, std::string whose,
                     Nanos heartbeatTimeout, std::function<void(const std::string&)> onLost);

private:
    void watch(const std::stop_token& stop);

    const coordination::Coordinator& coordinator_;
    const std::string whose_;
    const Nanos giveUpAfter_;
    const std::function<void(const std::string&)> onLost_;
    std::jthread thread_;
};

}  // namespace lockstep::distribution
