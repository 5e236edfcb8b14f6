// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

namespace lockstep::job {

/// Steps a second over the last two seconds, from when steps ended by the clocks of their
/// senders. Steps slower than that are measured over the last one.
class RateWindow {
public:
    /// `step` steps are complete since `wallTime`; `arrival` is when we learned it.
    void add(double wallTime, std::int64_t step, double arrival);
    void clear() { points_.clear(); }

    /// 0 before the second point, and when nothing has arrived for longer than the window (and
    /// twice the time of a step) before `now`.
    [[nodiscard]] double stepsPerSecond(double now) const;

private:
    struct Point {
        double wallTime = 0;
        std::int64_t step = 0;
    };
    std::deque<Point> points_;  // the oldest one may lie before the window
    double lastArrival_ = 0;
};

}  // namespace lockstep::job
