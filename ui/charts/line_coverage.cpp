// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/line_coverage.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/clones.h"

namespace lockstep::ui {

namespace {

/// The part of a line that lies between two ends, as the pixels of a column see it.
struct Capsule {
    float alongStart;   ///< Distance along the line of the first pixel, in pixels,
    float acrossStart;  ///< and from the line.
    float alongRow;     ///< What one row adds to them.
    float acrossRow;
    float length;
    float edge;  ///< Where coverage reaches 0.
};

LS_CLONES void coverRows(float* __restrict coverage, int count, const Capsule& capsule) {
    const Capsule c = capsule;
    for (int i = 0; i < count; ++i) {
        const float row = float(i);
        const float along = c.alongStart + row * c.alongRow;
        const float across = c.acrossStart + row * c.acrossRow;
        const float before = along < 0 ? along : 0.0F;
        const float beyond = along > c.length ? along - c.length : 0.0F;
        const float past = before + beyond;  // one of them is 0
        const float distance = std::sqrt(across * across + past * past);
        float cover = c.edge - distance;
        cover = cover < 1 ? cover : 1.0F;
        coverage[i] = cover > coverage[i] ? cover : coverage[i];
    }
}

}  // namespace

LineCoverage::LineCoverage(std::span<const LinePoint> points, Style style, int height)
    : points_(points),
      style_(style),
      height_(height),
      margin_(std::max(style.halfWidth, style.dotRadius) + 1) {}

LineCoverage::Reach LineCoverage::reachOf(LinePoint from, LinePoint to, float radius,
                                          float middle) const {
    const float near = radius + 0.5F;
    float top = std::min(from.y, to.y);
    float bottom = std::max(from.y, to.y);
    if (to.x > from.x) {
        // Only what lies within the stroke's width beside the column can touch it.
        const float slope = (to.y - from.y) / (to.x - from.x);
        const float left = from.y + (std::clamp(middle - near, from.x, to.x) - from.x) * slope;
        const float right = from.y + (std::clamp(middle + near, from.x, to.x) - from.x) * slope;
        top = std::max(top, std::min(left, right));
        bottom = std::min(bottom, std::max(left, right));
    }
    const float height = float(height_);
    return {int(std::clamp(std::floor(top - near), 0.0F, height)),
            int(std::clamp(std::ceil(bottom + near), 0.0F, height))};
}

void LineCoverage::addCapsule(LinePoint from, LinePoint to, float radius, float middle,
                              std::vector<float>& scratch) {
    const Reach reach = reachOf(from, to, radius, middle);
    if (reach.first >= reach.last) return;
    if (touched_.first >= touched_.last) {
        std::fill(scratch.begin() + reach.first, scratch.begin() + reach.last, 0.0F);
        touched_ = reach;
    }
    if (reach.first < touched_.first) {
        std::fill(scratch.begin() + reach.first, scratch.begin() + touched_.first, 0.0F);
        touched_.first = reach.first;
    }
    if (reach.last > touched_.last) {
        std::fill(scratch.begin() + touched_.last, scratch.begin() + reach.last, 0.0F);
        touched_.last = reach.last;
    }
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const float length = std::hypot(dx, dy);
    const float ux = length > 0 ? dx / length : 1.0F;
    const float uy = length > 0 ? dy / length : 0.0F;
    const float px = middle - from.x;
    const float py = float(reach.first) + 0.5F - from.y;
    coverRows(scratch.data() + reach.first, reach.last - reach.first,
              {px * ux + py * uy, py * ux - px * uy, uy, ux, length, radius + 0.5F});
}

LineCoverage::Rows LineCoverage::column(int x, std::vector<float>& scratch) {
    const float middle = float(x) + 0.5F;
    touched_ = {0, 0};
    while (begin_ + 1 < points_.size() && points_[begin_ + 1].x < middle - margin_)
        ++begin_;
    const auto isThere = [this](std::size_t i) {
        return i < points_.size() && std::isfinite(points_[i].y);
    };
    for (std::size_t i = begin_; i < points_.size() && points_[i].x <= middle + margin_; ++i) {
        if (!isThere(i)) continue;
        const bool joined = isThere(i + 1);
        if (joined) addCapsule(points_[i], points_[i + 1], style_.halfWidth, middle, scratch);
        const bool alone = !joined && (i == 0 || !isThere(i - 1));
        if (style_.dotted || alone)
            addCapsule(points_[i], points_[i], style_.dotRadius, middle, scratch);
    }
    return {touched_.first,
            std::span<const float>(scratch).subspan(std::size_t(touched_.first),
                                                    std::size_t(touched_.last - touched_.first))};
}

}  // namespace lockstep::ui
