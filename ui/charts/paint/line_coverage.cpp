// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/line_coverage.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/paint/clones.h"

namespace lockstep::ui {

namespace {

/// A capsule as the pixels of a column see it.
struct View {
    float alongStart;   ///< Distance along the line of the first pixel, in pixels,
    float acrossStart;  ///< and from the line.
    float alongRow;     ///< What one row adds to them.
    float acrossRow;
    float length;
    float edge;  ///< Where coverage reaches 0.
};

/// Rows around an end of the line, which is round.
LS_CLONES void coverEnd(float* __restrict coverage, int first, int last, const View& view) {
    const View v = view;
    for (int i = first; i < last; ++i) {
        const float row = float(i);
        const float along = v.alongStart + row * v.alongRow;
        const float across = v.acrossStart + row * v.acrossRow;
        const float before = along < 0 ? along : 0.0F;
        const float beyond = along > v.length ? along - v.length : 0.0F;
        const float past = before + beyond;  // one of them is 0
        const float distance = std::sqrt(across * across + past * past);
        float cover = v.edge - distance;
        cover = cover < 1 ? cover : 1.0F;
        coverage[i] = cover > coverage[i] ? cover : coverage[i];
    }
}

/// Rows beside the line, between its ends.
LS_CLONES void coverBeside(float* __restrict coverage, int first, int last, const View& view) {
    const View v = view;
    for (int i = first; i < last; ++i) {
        const float across = v.acrossStart + float(i) * v.acrossRow;
        float cover = v.edge - std::abs(across);
        cover = cover < 1 ? cover : 1.0F;
        coverage[i] = cover > coverage[i] ? cover : coverage[i];
    }
}

/// The rows among `count` that lie beside the line.
RowRange besideOf(const View& view, int count) {
    constexpr float kFlat = 1e-3F;
    if (std::abs(view.alongRow) < kFlat) return {0, 0};  // few rows: all as around an end
    const float atStart = -view.alongStart / view.alongRow;
    const float atEnd = (view.length - view.alongStart) / view.alongRow;
    const auto most = float(count);
    const float first = std::clamp(std::min(atStart, atEnd) + 1, 0.0F, most);
    const float last = std::clamp(std::max(atStart, atEnd), 0.0F, most);
    return {int(first), std::max(int(first), int(last))};
}

void cover(float* coverage, int count, const View& view) {
    const RowRange beside = besideOf(view, count);
    if (beside.first > 0) coverEnd(coverage, 0, beside.first, view);
    if (!beside.isEmpty()) coverBeside(coverage, beside.first, beside.last, view);
    if (beside.last < count) coverEnd(coverage, beside.last, count, view);
}

}  // namespace

LineCoverage::Capsule LineCoverage::capsule(LinePoint from, LinePoint to, float radius) {
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const float length = std::hypot(dx, dy);
    return {from,
            to,
            radius,
            length,
            length > 0 ? dx / length : 1.0F,
            length > 0 ? dy / length : 0.0F,
            dx > 0 ? dy / dx : 0.0F};
}

LineCoverage::LineCoverage(std::span<const LinePoint> points, Style style, int height)
    : height_(height) {
    const auto isThere = [points](std::size_t i) {
        return i < points.size() && std::isfinite(points[i].y);
    };
    capsules_.reserve(points.size() * (style.dotted ? 2 : 1));
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!isThere(i)) continue;
        const bool joined = isThere(i + 1);
        if (joined) capsules_.push_back(capsule(points[i], points[i + 1], style.halfWidth));
        const bool alone = !joined && (i == 0 || !isThere(i - 1));
        if (style.dotted || alone)
            capsules_.push_back(capsule(points[i], points[i], style.dotRadius));
    }
    for (const Capsule& each : capsules_)
        margin_ = std::max(margin_, each.radius + 0.5F);
}

RowRange LineCoverage::reachOf(const Capsule& capsule, float middle) const {
    const LinePoint from = capsule.from;
    const LinePoint to = capsule.to;
    const float near = capsule.radius + 0.5F;
    float top = std::min(from.y, to.y);
    float bottom = std::max(from.y, to.y);
    if (to.x > from.x) {
        // Only what lies within the stroke's width beside the column can touch it.
        const float left =
            from.y + (std::clamp(middle - near, from.x, to.x) - from.x) * capsule.slope;
        const float right =
            from.y + (std::clamp(middle + near, from.x, to.x) - from.x) * capsule.slope;
        top = std::max(top, std::min(left, right));
        bottom = std::min(bottom, std::max(left, right));
    }
    const float height = float(height_);
    const int above = int(std::clamp(top - near, 0.0F, height));
    const int below = int(std::clamp(height - bottom - near, 0.0F, height));
    return {above, height_ - below};
}

void LineCoverage::add(const Capsule& capsule, RowRange rows, float middle,
                       std::vector<float>& scratch) {
    if (rows.isEmpty()) return;
    if (touched_.isEmpty()) {
        std::fill(scratch.begin() + rows.first, scratch.begin() + rows.last, 0.0F);
        touched_ = rows;
    }
    if (rows.first < touched_.first) {
        std::fill(scratch.begin() + rows.first, scratch.begin() + touched_.first, 0.0F);
        touched_.first = rows.first;
    }
    if (rows.last > touched_.last) {
        std::fill(scratch.begin() + touched_.last, scratch.begin() + rows.last, 0.0F);
        touched_.last = rows.last;
    }
    const float px = middle - capsule.from.x;
    const float py = float(rows.first) + 0.5F - capsule.from.y;
    cover(scratch.data() + rows.first, rows.last - rows.first,
          {px * capsule.alongX + py * capsule.alongY, py * capsule.alongX - px * capsule.alongY,
           capsule.alongY, capsule.alongX, capsule.length, capsule.radius + 0.5F});
}

LineCoverage::Rows LineCoverage::column(int x, RowRange hidden, std::vector<float>& scratch) {
    const float middle = float(x) + 0.5F;
    touched_ = {};
    while (begin_ < capsules_.size() && capsules_[begin_].to.x < middle - margin_)
        ++begin_;
    for (std::size_t i = begin_; i < capsules_.size(); ++i) {
        const Capsule& capsule = capsules_[i];
        if (capsule.from.x > middle + margin_) break;
        if (capsule.to.x < middle - margin_) continue;  // a dot behind a long line
        const RowRange reach = reachOf(capsule, middle);
        if (hidden.isEmpty()) {
            add(capsule, reach, middle, scratch);
        } else {
            add(capsule, {reach.first, std::min(reach.last, hidden.first)}, middle, scratch);
            add(capsule, {std::max(reach.first, hidden.last), reach.last}, middle, scratch);
        }
    }
    return {touched_.first,
            std::span<const float>(scratch).subspan(std::size_t(touched_.first),
                                                    std::size_t(touched_.last - touched_.first))};
}

}  // namespace lockstep::ui
