// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "core/base/clock.h"

namespace lockstep::train {

/// When the steps of a process are sent: 20 times a second, and as soon as can be behind a step
/// after which a checkpoint is written. What a process had not sent when it was killed is lost, and
/// a run that goes on from that checkpoint does not train it again. The step thread wakes nobody,
/// so the sender is there when the step is due by the pace of those before. Pure.
class SendTimes {
public:
    static constexpr Nanos kInterval = Millis(50);
    static constexpr Nanos kShortest = Millis(2);

    /// `nextCheckpoint`: of those behind a step, the first that a checkpoint follows; 0: none does.
    /// May be empty.
    explicit SendTimes(std::function<std::int64_t(std::int64_t)> nextCheckpoint)
        : nextCheckpoint_(std::move(nextCheckpoint)) {}

    /// How long to wait now that all replicas' steps up to `newest` are sent; 0: none yet.
    [[nodiscard]] Nanos pauseBehind(std::int64_t newest, Nanos now);

private:
    const std::function<std::int64_t(std::int64_t)> nextCheckpoint_;
    std::int64_t newest_ = 0;
    Nanos seenAt_{};  ///< When newest_ was new.
    Nanos perStep_{};
    std::int64_t next_ = 0;  ///< That a checkpoint follows.
};

}  // namespace lockstep::train
