// SPDX-License-Identifier: Apache-2.0
#include "core/job/timeline/run_timeline.h"

#include <algorithm>
#include <iterator>

namespace lockstep::job {

namespace {

double wallTimeOf(const RunTimeline::Point& point) {
    return point.moment.wallTime;
}

std::uint64_t offsetOf(const RunTimeline::Point& point) {
    return point.moment.offset;
}

}  // namespace

const RunTimeline::Point& RunTimeline::at(double seconds) const {
    const auto behind = std::ranges::upper_bound(points, seconds, {}, &Point::seconds);
    return behind == points.begin() ? points.front() : *std::prev(behind);
}

const RunTimeline::Point& RunTimeline::from(double wallTime) const {
    const auto found = std::ranges::lower_bound(points, wallTime, {}, wallTimeOf);
    return found == points.end() ? points.back() : *found;
}

double RunTimeline::secondsAt(double wallTime) const {
    if (empty()) return 0;
    const auto behind = std::ranges::upper_bound(points, wallTime, {}, wallTimeOf);
    if (behind == points.begin()) return 0;
    const Point& before = *std::prev(behind);
    const double since = before.seconds + (wallTime - before.moment.wallTime);
    return behind == points.end() ? before.seconds : std::min(since, behind->seconds);
}

const RunTimeline::Point& RunTimeline::otherStep(const RunMoment& moment, bool forward) const {
    const auto isOther = [&](const Point& point) { return point.moment.step != moment.step; };
    if (forward) {
        const auto from = std::ranges::upper_bound(points, moment.offset, {}, offsetOf);
        const auto found = std::find_if(from, points.end(), isOther);
        return found == points.end() ? points.back() : *found;
    }
    const auto from =
        std::make_reverse_iterator(std::ranges::lower_bound(points, moment.offset, {}, offsetOf));
    const auto found = std::find_if(from, points.rend(), isOther);
    return found == points.rend() ? points.front() : *found;
}

}  // namespace lockstep::job
