// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/picture/curve_strokes.h"

#include <QRectF>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/paint/curve_order.h"

namespace lockstep::ui {

namespace {

/// Joins points to lines, of which it keeps what lies within the plot.
class LineCutter {
public:
    LineCutter(QSizeF plot, std::vector<QPolygonF>& lines) : plot_(plot), lines_(lines) {}

    void add(QPointF point) {
        if (!std::isfinite(point.x()) || !std::isfinite(point.y())) return interrupt();
        if (hasLast_)
            addSegment(last_, point);
        else if (isInside(point))
            begin(point);
        last_ = point;
        hasLast_ = true;
    }
    void interrupt() {
        hasLast_ = false;
        isOpen_ = false;
    }

private:
    [[nodiscard]] bool isInside(QPointF point) const {
        return point.x() >= 0 && point.x() <= plot_.width() && point.y() >= 0 &&
               point.y() <= plot_.height();
    }

    void begin(QPointF point) {
        lines_.emplace_back().append(point);
        isOpen_ = true;
    }

    /// By Liang and Barsky.
    void addSegment(QPointF from, QPointF to) {
        const QPointF way = to - from;
        double enters = 0;
        double leaves = 1;
        const std::array<std::array<double, 2>, 4> edges{{{-way.x(), from.x()},
                                                          {way.x(), plot_.width() - from.x()},
                                                          {-way.y(), from.y()},
                                                          {way.y(), plot_.height() - from.y()}}};
        for (const auto& [slope, room] : edges) {
            if (slope == 0 && room < 0) leaves = -1;
            if (slope < 0) enters = std::max(enters, room / slope);
            if (slope > 0) leaves = std::min(leaves, room / slope);
        }
        if (enters > leaves) {
            isOpen_ = false;
            return;
        }
        if (!isOpen_ || enters > 0) begin(from + way * enters);
        lines_.back().append(from + way * leaves);
        isOpen_ = leaves == 1;
    }

    QSizeF plot_;
    std::vector<QPolygonF>& lines_;
    QPointF last_;
    bool hasLast_ = false;
    bool isOpen_ = false;  ///< The last line ends at the last point.
};

/// From point to point, those beside the plot's edges among them.
void addPoints(const StyledCurve& curve, double ratio, double width, LineCutter& cutter,
               QPolygonF& dots, std::vector<double>& holes) {
    const ColumnView& values = curve.place.values();
    const qint64 first = std::max<qint64>(0, curve.place.indexAt(0) - 1);
    const qint64 last = std::min(values.size(), curve.place.indexAt(width) + 1);
    for (qint64 i = first; i < last; ++i) {
        const QPointF point(curve.place.xOf(i) / ratio, curve.place.yOf(values.at(i)) / ratio);
        const bool isWithin = point.x() >= 0 && point.x() <= width / ratio;
        cutter.add(point);
        if (curve.raw && !std::isfinite(values.at(i)) && isWithin) holes.push_back(point.x());
        if (curve.dotted && std::isfinite(point.y()) && isWithin) dots.append(point);
    }
}

/// Through the extents of columns, each begun at the end that is nearer.
void addColumns(const StyledCurve& curve, double ratio, int width, LineCutter& cutter,
                std::vector<double>& holes) {
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(width));
    curve.place.spans(0, columns);
    double at = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const ColumnSpan& column = columns[i];
        if (column.nonFinite && curve.raw) holes.push_back((double(i) + 0.5) / ratio);
        if (column.isEmpty()) {
            cutter.interrupt();
            continue;
        }
        const double x = (double(i) + 0.5) / ratio;
        std::array<double, 2> ends{double(column.top), double(column.bottom)};
        if (std::abs(ends[1] - at) < std::abs(ends[0] - at)) std::swap(ends[0], ends[1]);
        cutter.add({x, ends[0] / ratio});
        if (ends[1] != ends[0]) cutter.add({x, ends[1] / ratio});
        at = ends[1];
    }
}

}  // namespace

StrokedCurves strokeCurves(const LayerRequest& request, const std::vector<ColumnView>& smoothed) {
    const QSize pixels(int(std::lround(request.size.width() * request.ratio)),
                       int(std::lround(request.size.height() * request.ratio)));
    StrokedCurves stroked;
    if (pixels.isEmpty()) return stroked;
    for (const StyledCurve& curve : orderedCurves(request, smoothed, pixels)) {
        CurveStrokes& each = stroked.curves.emplace_back();
        each.colour = curve.colour;
        each.width = curve.width;
        if (curve.dotted) each.dotRadius = curve.dotRadius;
        LineCutter cutter(request.size, each.lines);
        if (curve.sparse)
            addPoints(curve, request.ratio, pixels.width(), cutter, each.dots, stroked.holes);
        else
            addColumns(curve, request.ratio, pixels.width(), cutter, stroked.holes);
    }
    return stroked;
}

}  // namespace lockstep::ui
