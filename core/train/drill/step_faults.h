// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// A fault that a drill wants in a replica's step.
struct StepFault {
    wire::DrillKind kind = wire::DRILL_KIND_UNKNOWN;
    double seconds = 0;  ///< 0: for ever, or it has no length.
    Nanos orderedAt = SteadyClock::read();
    /// Called once, by the step thread: it does it now, at this step; or, with a reason, cannot.
    std::function<void(const std::string& sentence, std::int64_t step)> done;
    std::function<void(const std::string& why)> refused;
};

/// Where faults of a replica's steps are left for its step thread, which pays one load a step for
/// looking.
class StepFaults {
public:
    /// By the step thread: it looks here from now on.
    void attach() { isAttached_.store(true); }
    [[nodiscard]] bool isAttached() const { return isAttached_.load(); }

    /// Any thread. False while another one waits.
    [[nodiscard]] bool order(StepFault fault);

    /// By the step thread.
    [[nodiscard]] bool isPending() const { return isPending_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::optional<StepFault> take();

private:
    std::atomic<bool> isAttached_{false};
    std::atomic<bool> isPending_{false};
    Mutex mutex_;
    std::optional<StepFault> fault_ LS_GUARDED_BY(mutex_);
};

}  // namespace lockstep::train
