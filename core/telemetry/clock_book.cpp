// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/clock_book.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lockstep::telemetry {

namespace {
constexpr double kMostSeconds = 1e9;
}  // namespace

void ClockBook::add(const wire::ClockOffset& offset, double local) {
    const bool isSound = std::abs(offset.offset_seconds()) < kMostSeconds && std::isfinite(local);
    if (!isSound) return;
    std::vector<Life>& lives = lives_[{offset.role(), offset.process_id()}];
    auto life = std::ranges::find(lives, offset.incarnation(), &Life::incarnation);
    if (life == lives.end()) life = lives.insert(lives.end(), {offset.incarnation(), {}});
    std::vector<Point>& points = life->points;
    if (!points.empty() && local <= points.back().local) return;
    points.push_back({local, offset.offset_seconds(), offset.round_trip_seconds()});
    if (points.size() > kMostPoints) thinOut(points);
}

/// Of two neighbours the surer one stays.
void ClockBook::thinOut(std::vector<Point>& points) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points.size(); i += 2) {
        const bool takesNext =
            i + 1 < points.size() && points[i + 1].roundTrip < points[i].roundTrip;
        points[kept++] = points[takesNext ? i + 1 : i];
    }
    points.resize(kept);
}

double ClockBook::offsetAt(const ProcessName& process, std::uint64_t incarnation,
                           double local) const {
    const auto known = lives_.find(process);
    if (known == lives_.end()) return 0;
    const std::vector<Life>& lives = known->second;
    auto life = std::ranges::find(lives, incarnation, &Life::incarnation);
    if (life == lives.end()) life = std::prev(lives.end());
    const std::vector<Point>& points = life->points;
    const auto behind = std::ranges::upper_bound(points, local, {}, &Point::local);
    if (behind == points.begin()) return points.front().offset;
    if (behind == points.end()) return points.back().offset;
    const Point& before = *std::prev(behind);
    const double part = (local - before.local) / (behind->local - before.local);
    return before.offset + part * (behind->offset - before.offset);
}

double ClockBook::lastOffset(const ProcessName& process) const {
    const auto known = lives_.find(process);
    return known == lives_.end() ? 0 : known->second.back().points.back().offset;
}

}  // namespace lockstep::telemetry
