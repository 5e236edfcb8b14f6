// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/rate_window.h"

#include <algorithm>

namespace lockstep::job {

namespace {
constexpr double kWindowSeconds = 2;
}

void RateWindow::add(double wallTime, std::int64_t step, double arrival) {
    lastArrival_ = arrival;
    if (!points_.empty() && (step <= points_.back().step || wallTime <= points_.back().wallTime))
        return;
    points_.push_back({wallTime, step});
    // One point at or before the beginning of the window stays: the rate spans the whole of it.
    while (points_.size() > 2 && points_[1].wallTime <= wallTime - kWindowSeconds)
        points_.pop_front();
}

double RateWindow::stepsPerSecond(double now) const {
    if (points_.size() < 2) return 0;
    const double seconds = points_.back().wallTime - points_.front().wallTime;
    const auto steps = static_cast<double>(points_.back().step - points_.front().step);
    if (now - lastArrival_ > std::max(kWindowSeconds, 2 * seconds / steps)) return 0;
    return steps / seconds;
}

}  // namespace lockstep::job
