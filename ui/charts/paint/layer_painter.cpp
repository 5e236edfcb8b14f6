// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/layer_painter.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "ui/charts/paint/curve_order.h"
#include "ui/charts/paint/y_scale.h"

namespace lockstep::ui {

namespace {

constexpr double kMarkerSide = 10;
constexpr double kPointsOfMean = 20;  // a mean reaches over at most this part of a curve
constexpr double kSpikeCell = 8;      // device independent pixels: of a mark
constexpr double kRareSpikes = 0.33;  // of the cells; more are one number

/// The weight of a mean over no more than a twentieth of the longest curve: of a few points a
/// longer one would only lag behind.
double weightFor(const LayerRequest& request) {
    qint64 longest = 0;
    for (const LayerSeries& series : request.series)
        longest = std::max(longest, series.values.size());
    const double most = 1 - 1 / std::max(1.0, double(longest) / kPointsOfMean);
    return std::min(request.smoothing, most);
}

/// What is to be seen of a series' values. The points next to the edges belong to lines that enter
/// the plot.
YScaleInput::Curve shownPart(const LayerRequest& request, const LayerSeries& series,
                             const ColumnView& values, QSize pixels) {
    const CurvePlace place(request, series, values, pixels);
    return {values, std::max<qint64>(0, place.indexAt(0) - 1),
            std::min(values.size(), place.indexAt(pixels.width()) + 1)};
}

/// What the y axis has to show of each series. Smoothed curves are shown whole, of the raw ones
/// behind them what is usual: a single spike would flatten both.
AxisRange chosenY(const LayerRequest& request, const YAxisRules& rules,
                  const std::vector<ColumnView>& smoothed, QSize pixels) {
    YScaleInput input{{}, {}, request.logY, rules.low, rules.ceiling, rules.ignoreOutliers};
    const bool fitsSmoothed = !smoothed.empty() && !request.logY && !rules.ignoreOutliers;
    for (std::size_t i = 0; i < request.series.size(); ++i) {
        const LayerSeries& series = request.series[i];
        const YScaleInput::Curve raw = shownPart(request, series, series.values, pixels);
        if (!fitsSmoothed || series.exact) {
            input.curves.push_back(raw);
            continue;
        }
        if (!series.quiet) input.curves.push_back(shownPart(request, series, smoothed[i], pixels));
        input.behind.push_back(raw);
    }
    if (input.curves.empty()) input.curves.swap(input.behind);  // whoever stands out is hidden
    return automaticYRange(input);
}

/// All points above the axis, as far as they are counted.
qint64 pointsAbove(const LayerRequest& request, QSize pixels) {
    qint64 count = 0;
    for (const LayerSeries& series : request.series) {
        const CurvePlace place(request, series, series.values, pixels);
        count += series.values.countAbove(place.indexAt(0), place.indexAt(pixels.width()),
                                          request.y.last, RenderedLayer::kMostCounted - count);
    }
    return count;
}

/// Tells of what an automatic axis leaves out: where it is, or how much where it is everywhere.
void findSpikes(const LayerRequest& request, QSize pixels, RenderedLayer& layer) {
    const auto cells = int(request.size.width() / kSpikeCell);
    if (cells <= 0) return;
    std::vector<char> isAbove(std::size_t(cells), 0);
    std::vector<qint64> edges(std::size_t(cells) + 1);
    std::vector<Stretch> parts(std::size_t(cells), Stretch{});
    for (const LayerSeries& series : request.series) {
        const CurvePlace place(request, series, series.values, pixels);
        for (int i = 0; i <= cells; ++i)
            edges[std::size_t(i)] = place.indexAt(double(pixels.width()) * i / cells);
        series.values.stretches(edges, parts);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (!parts[i].bounds.isEmpty() && double(parts[i].bounds.max) > request.y.last)
                isAbove[i] = 1;
    }
    for (int i = 0; i < cells; ++i)
        if (isAbove[std::size_t(i)] != 0) layer.spikes.push_back((i + 0.5) / cells);
    if (double(layer.spikes.size()) <= kRareSpikes * cells) return;
    layer.spikes.clear();
    layer.pointsAbove = pointsAbove(request, pixels);
}

}  // namespace

LayerPainter::Arrangement LayerPainter::arrange(const LayerRequest& request,
                                                const std::vector<ColumnView>& smoothed,
                                                QSize pixels) {
    Arrangement result;
    result.origin = {pixels,
                     request.ratio,
                     request.x,
                     request.y,
                     request.logY,
                     weightFor(request),
                     request.marker.rgba(),
                     {}};
    for (const StyledCurve& each : orderedCurves(request, smoothed, pixels)) {
        result.curves.push_back(
            {each.place, Ink(each.colour), float(each.width * request.ratio / 2),
             float(each.dotRadius * request.ratio), each.sparse, each.dotted, each.raw});
        const ColumnView& raw = each.series.values;
        const XScale& scale = each.series.scale;
        result.origin.lines.push_back({each.series.key, each.colour.rgba(), !each.raw, each.sparse,
                                       each.dotted, scale.axis, scale.logarithmic,
                                       scale.stepsPerEpoch, raw.generation(), raw.size()});
    }
    return result;
}

std::vector<ColumnView> LayerPainter::smooth(const LayerRequest& request,
                                             const std::function<bool()>& interrupted) {
    const double weight = weightFor(request);
    if (!(weight > 0)) {
        smoother_.clear();
        return {};
    }
    std::vector<ColumnView> smoothed;
    for (const LayerSeries& series : request.series) {
        // The usual ones among many are a band of raw curves: theirs would take as much memory
        // again as all that is drawn.
        if (series.quiet) smoother_.forget(series.key);
        smoothed.push_back(series.exact ? series.values
                           : series.quiet
                               ? ColumnView()
                               : smoother_.smooth(series.key, series.values, weight, interrupted));
    }
    return smoothed;
}

/// Before it the picture that is there can stay; 0: nothing of it can.
int LayerPainter::firstNewColumn(const Arrangement& arrangement) const {
    const Origin& now = arrangement.origin;
    const auto kind = [](const Origin& o) {
        return std::tie(o.pixels, o.ratio, o.x, o.y, o.logY, o.weight, o.marker);
    };
    if (kind(origin_) != kind(now) || origin_.lines.size() != now.lines.size()) return 0;
    double first = now.pixels.width();
    for (std::size_t i = 0; i < now.lines.size(); ++i) {
        const Origin::Line& before = origin_.lines[i];
        const Origin::Line& after = now.lines[i];
        const auto same = [](const Origin::Line& l) {
            return std::tie(l.series, l.colour, l.smoothed, l.sparse, l.dotted, l.generation,
                            l.axis, l.logX, l.stepsPerEpoch);
        };
        // On an axis of time a value's place may become known after the value itself.
        const bool isTime = after.axis == XAxis::Relative || after.axis == XAxis::Wall;
        if (same(before) != same(after) || after.count < before.count || isTime) return 0;
        if (after.count == before.count) continue;
        // The line to the first new point begins at the last old one.
        const Curve& curve = arrangement.curves[i];
        const double margin = double(std::max(curve.halfWidth, curve.dotRadius)) + 1;
        first = std::min(first, curve.place.xOf(std::max<qint64>(0, before.count - 1)) - margin);
    }
    // A marker is either kept or drawn as a whole.
    const double cell = kMarkerSide * now.ratio;
    return std::max(0, int(std::floor(std::floor(first / cell) * cell)));
}

void LayerPainter::draw(const LayerRequest& request, const Arrangement& arrangement,
                        WorkCrew& crew) {
    const QSize pixels = arrangement.origin.pixels;
    int from = image_.size() == pixels ? firstNewColumn(arrangement) : 0;
    if (from >= pixels.width()) return;
    if (image_.size() != pixels) {
        image_ = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
        holes_.assign(std::size_t(pixels.width()), 0);
    }
    const int firstStripe = from / kStripeColumns;
    from = firstStripe * kStripeColumns;
    std::fill(holes_.begin() + from, holes_.end(), quint8(0));
    const StripeTarget target{reinterpret_cast<quint32*>(image_.bits()),
                              image_.bytesPerLine() / qsizetype(sizeof(quint32)), pixels, holes_};
    const int stripes = (pixels.width() + kStripeColumns - 1) / kStripeColumns;
    crew.run(stripes - firstStripe, [&](int piece) {
        paintStripe(arrangement.curves, (firstStripe + piece) * kStripeColumns, target);
    });
    drawMarkers(request, from);
}

void LayerPainter::drawMarkers(const LayerRequest& request, int from) {
    if (std::find(holes_.begin() + from, holes_.end(), quint8(1)) == holes_.end()) return;
    const double side = kMarkerSide * request.ratio;
    QPainter painter(&image_);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(request.marker);
    // What is left of `from` keeps the marker that it has.
    painter.setClipRect(QRect(from, 0, image_.width() - from, image_.height()));
    for (int cell = int(from / side); cell * side < image_.width(); ++cell) {
        const double left = cell * side;
        const auto begin = holes_.begin() + qsizetype(left);
        const auto end =
            holes_.begin() + std::min<qsizetype>(qsizetype(left + side), qsizetype(holes_.size()));
        if (std::find(begin, end, quint8(1)) == end) continue;
        const double middle = left + side / 2;
        painter.drawPolygon(QPolygonF({QPointF(middle - side * 0.45, 1),
                                       {middle + side * 0.45, 1},
                                       {middle, 1 + side * 0.8}}));
    }
}

RenderedLayer LayerPainter::paint(LayerRequest request, WorkCrew& crew,
                                  const std::function<bool()>& interrupted) {
    RenderedLayer layer;
    const QSize pixels(int(std::lround(request.size.width() * request.ratio)),
                       int(std::lround(request.size.height() * request.ratio)));
    const std::vector<ColumnView> smoothed =
        pixels.isEmpty() ? std::vector<ColumnView>() : smooth(request, interrupted);
    if (request.automaticY && !pixels.isEmpty()) {
        request.y = chosenY(request, *request.automaticY, smoothed, pixels);
        if (!request.logY) findSpikes(request, pixels, layer);
    }
    layer.revision = request.revision;
    layer.size = request.size;
    layer.x = request.x;
    layer.y = request.y;
    layer.logY = request.logY;
    layer.hasCurves = !request.series.empty();
    if (pixels.isEmpty()) return layer;
    for (std::size_t i = 0; i < smoothed.size(); ++i) {
        const auto key = std::size_t(request.series[i].key);
        if (layer.smoothed.size() <= key) layer.smoothed.resize(key + 1);
        layer.smoothed[key] = smoothed[i];
    }
    Arrangement arrangement = arrange(request, smoothed, pixels);
    draw(request, arrangement, crew);
    origin_ = std::move(arrangement.origin);
    layer.image = image_;
    layer.image.setDevicePixelRatio(request.ratio);
    return layer;
}

}  // namespace lockstep::ui
