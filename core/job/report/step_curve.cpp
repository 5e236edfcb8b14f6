// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/step_curve.h"

#include <algorithm>
#include <cmath>

namespace lockstep::job {

void StepCurve::add(std::int64_t step, double value, std::size_t start) {
    if (!std::isfinite(value)) {
        ++notFinite_;
        return;
    }
    const auto at = std::ranges::lower_bound(slots_, step, {}, &Slot::step);
    auto slot = at;
    if (start > start_) {
        start_ = start;
        slots_.erase(at, slots_.end());
        slot = slots_.end();
    }
    const auto single = static_cast<float>(value);
    if (slot == slots_.end() || slot->step != step)
        slot = slots_.insert(slot, {step, 0, 0, single, single});
    ++slot->count;
    slot->sum += value;
    slot->least = std::min(slot->least, single);
    slot->most = std::max(slot->most, single);
}

std::vector<StepCurve::Point> StepCurve::points(std::size_t most) const {
    std::vector<Point> points;
    if (slots_.empty()) return points;
    const std::int64_t first = slots_.front().step;
    const auto span = static_cast<std::size_t>(slots_.back().step - first) + 1;
    const auto width = static_cast<std::int64_t>((span + most - 1) / most);
    double sum = 0;
    std::uint32_t count = 0;
    for (const Slot& slot : slots_) {
        const std::int64_t begin = first + (slot.step - first) / width * width;
        if (points.empty() || begin > points.back().firstStep) {
            sum = 0;
            count = 0;
            points.push_back({begin, begin, 0, slot.least, slot.most});
        }
        Point& point = points.back();
        sum += slot.sum;
        count += slot.count;
        point.lastStep = slot.step;
        point.mean = sum / count;
        point.least = std::min(point.least, static_cast<double>(slot.least));
        point.most = std::max(point.most, static_cast<double>(slot.most));
    }
    return points;
}

}  // namespace lockstep::job
