// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/base/clock.h"
#include "core/run/stopped_time.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// Looks at a process, about once a second, for whether it is stopped: it cannot say so itself. One
/// thread.
class StoppedWatch {
public:
    explicit StoppedWatch(pid_t pid) : pid_(pid) {}

    /// To be called often. AgentStopped where it has stopped, or goes on, since the last look.
    [[nodiscard]] std::optional<wire::FromHost> look(Nanos now);
    /// For so long it was seen stopped; zero while it goes on.
    [[nodiscard]] Nanos stoppedFor() const { return stoppedFor_; }

private:
    pid_t pid_;
    bool isStopped_ = false;
    Nanos looked_{0};
    run::StoppedTime stopped_;
    Nanos stoppedFor_{0};
};

}  // namespace lockstep::launch
