// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/line_allowance.h"

#include <algorithm>

namespace lockstep::launch {

bool LineAllowance::take(Nanos now) {
    left_ = std::min(burstLines_, left_ + Seconds(now - refilled_).count() * linesPerSecond_);
    refilled_ = now;
    const double together = std::clamp(linesPerSecond_, 1.0, std::max(1.0, burstLines_));
    if (closed_ && left_ < together) return false;
    closed_ = left_ < 1;
    if (!closed_) left_ -= 1;
    return !closed_;
}

}  // namespace lockstep::launch
