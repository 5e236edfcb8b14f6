// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/layer_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/charts/span_raster.h"

namespace lockstep::ui {

namespace {

constexpr double kLine = 1.5;  // widths in device independent pixels
constexpr double kMeanLine = 2.25;
constexpr double kDotRadius = 2.5;
constexpr double kDotSpacing = 12;  // points farther apart than this are drawn as dots as well
constexpr double kMarkerSide = 10;
constexpr double kFaint = 0.34;       // ink of all raw curves behind the smoothed ones
constexpr double kPointsOfMean = 20;  // a mean reaches over at most this part of a curve
constexpr int kLeastAlpha = 12;
constexpr int kBand = 165;      // alpha of a raw curve among others
constexpr int kMeanBand = 110;  // alpha of a raw mean that is dense
// QPainter's rasterizer grows faster than linearly with the points of a path that runs up and down:
// long curves are stroked in pieces, and beyond this many points in one picture drawn as spans.
constexpr qint64 kPolylineBudget = 3'000;
constexpr qsizetype kPiecePoints = 32;

/// Where the points of one series lie in the picture, in device pixels.
class Placement {
public:
    Placement(const LayerRequest& request, const LayerSeries& series, int width, int height)
        : request_(request), series_(series), width_(width), height_(height) {}

    /// The first index at or right of a pixel boundary.
    qint64 indexAt(double pixel, qint64 count) const {
        const double x = request_.x.first + pixel / width_ * (request_.x.last - request_.x.first);
        const double step =
            request_.axis == XAxis::Step ? x : series_.times.stepAtTime(x + request_.timeOrigin);
        return series_.values.steps().lowerBound(step, count);
    }

    double xOf(qint64 index) const {
        const qint64 step = series_.values.stepAt(index);
        const double x = request_.axis == XAxis::Step
                             ? double(step)
                             : series_.times.atStep(step) - request_.timeOrigin;
        return (x - request_.x.first) / (request_.x.last - request_.x.first) * width_;
    }

    /// Downwards; not finite for a value that has no place (NaN, or not positive on a log scale).
    double yOf(float value) const {
        const double y = request_.logY ? std::log10(double(value)) : double(value);
        return (request_.y.last - y) / (request_.y.last - request_.y.first) * height_;
    }

private:
    const LayerRequest& request_;
    const LayerSeries& series_;
    double width_;
    double height_;
};

struct Extent {
    double top = 0;
    double bottom = 0;

    void include(double y) {
        top = std::min(top, y);
        bottom = std::max(bottom, y);
    }
};

/// One curve to be drawn: raw or smoothed values at the places of its series.
struct Curve {
    const LayerSeries& series;
    const ColumnView& values;
    QColor colour;
    double thickness;
};

class LayerPainter {
public:
    LayerPainter(const LayerRequest& request, QImage& image)
        : request_(request),
          width_(image.width()),
          height_(image.height()),
          image_(image),
          raster_(width_, height_) {}

    void draw(const std::vector<Curve>& curves) {
        std::vector<const Curve*> sparse;
        qint64 budget = kPolylineBudget;
        for (const Curve& curve : curves) {
            const Placement place(request_, curve.series, width_, height_);
            const qint64 points =
                place.indexAt(width_, curve.values.size()) - place.indexAt(0, curve.values.size());
            if (points <= width_ / 2 && points <= budget) {
                budget -= points;
                sparse.push_back(&curve);
            } else {
                // A band of many steps would hide the replicas behind it: let them through.
                Curve band = curve;
                if (curve.series.mean && isRaw(curve)) band.colour.setAlpha(kMeanBand);
                drawSpans(band, place);
            }
        }
        if (raster_.isTouched()) image_ = raster_.finish();
        QPainter painter(&image_);
        painter.setRenderHint(QPainter::Antialiasing);
        for (const Curve* curve : sparse)
            drawPolyline(painter, *curve);
    }

    void drawMarkers(const LayerSeries& series) {
        const Placement place(request_, series, width_, height_);
        const double side = kMarkerSide * request_.ratio;
        QPainter painter(&image_);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(request_.marker);
        for (double left = 0; left < width_; left += side) {
            const qint64 first = place.indexAt(left, series.values.size());
            const qint64 last = place.indexAt(left + side, series.values.size());
            if (first == last || series.values.minMax(first, last).nonFinite == 0) continue;
            const double middle = left + side / 2;
            painter.drawPolygon(QPolygonF({QPointF(middle - side * 0.45, 1),
                                           {middle + side * 0.45, 1},
                                           {middle, 1 + side * 0.8}}));
        }
    }

private:
    bool isRaw(const Curve& curve) const {
        return request_.series.size() > 1 && &curve.values == &curve.series.values;
    }

    /// Where the line between two neighbours crosses a pixel boundary.
    std::optional<double> crossing(const Curve& curve, const Placement& place, qint64 right,
                                   double pixel) const {
        if (right <= 0 || right >= curve.values.size()) return std::nullopt;
        const double y0 = place.yOf(curve.values.at(right - 1));
        const double y1 = place.yOf(curve.values.at(right));
        const double x0 = place.xOf(right - 1);
        const double x1 = place.xOf(right);
        const double y = x1 > x0 ? y0 + (y1 - y0) * (pixel - x0) / (x1 - x0) : y0;
        return std::isfinite(y) ? std::optional(y) : std::nullopt;
    }

    std::optional<Extent> extentOf(const Curve& curve, const Placement& place, qint64 first,
                                   qint64 last) const {
        const MinMax values = curve.values.minMax(first, last);
        if (values.isEmpty()) return std::nullopt;
        const double top = place.yOf(values.max);
        if (!std::isfinite(top)) return std::nullopt;  // nothing positive on a log scale
        const double bottom = place.yOf(values.min);
        return Extent{top, std::isfinite(bottom) ? bottom : double(height_)};
    }

    void drawSpans(const Curve& curve, const Placement& place) {
        const double half = curve.thickness * request_.ratio / 2;
        const qint64 count = curve.values.size();
        qint64 first = place.indexAt(0, count);
        std::optional<double> entry = crossing(curve, place, first, 0);
        for (int column = 0; column < width_; ++column) {
            const qint64 last = place.indexAt(column + 1, count);
            const std::optional<double> exit = crossing(curve, place, last, column + 1);
            std::optional<Extent> extent = extentOf(curve, place, first, last);
            for (const std::optional<double>& edge : {entry, exit}) {
                if (!edge) continue;
                if (extent)
                    extent->include(*edge);
                else
                    extent = Extent{*edge, *edge};
            }
            if (extent) {
                raster_.span(column, extent->top - half, extent->bottom + half, curve.colour);
            }
            first = last;
            entry = exit;
        }
    }

    void drawPolyline(QPainter& painter, const Curve& curve) const {
        const Placement place(request_, curve.series, width_, height_);
        const qint64 count = curve.values.size();
        const qint64 first = std::max<qint64>(0, place.indexAt(0, count) - 1);
        const qint64 last = std::min(count, place.indexAt(width_, count) + 1);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(curve.colour, curve.thickness * request_.ratio, Qt::SolidLine,
                            Qt::RoundCap, Qt::RoundJoin));
        QPolygonF stretch;
        QVector<QPointF> dots;
        const bool dotted = (last - first) * kDotSpacing * request_.ratio <= width_;
        for (qint64 i = first; i < last; ++i) {
            // Far outside values would overflow the rasterizer's fixed point numbers.
            const double y = place.yOf(curve.values.at(i));
            const QPointF point(place.xOf(i), std::clamp(y, -30'000.0, 30'000.0));
            if (std::isfinite(y)) {
                stretch << point;
                if (dotted) dots << point;
                continue;
            }
            strokeStretch(painter, stretch, dots, dotted);
            stretch.clear();
        }
        strokeStretch(painter, stretch, dots, dotted);
        painter.setPen(Qt::NoPen);
        painter.setBrush(curve.colour);
        const double radius = kDotRadius * request_.ratio * (curve.series.mean ? 1.2 : 1);
        for (const QPointF& dot : dots)
            painter.drawEllipse(dot, radius, radius);
    }

    static void strokeStretch(QPainter& painter, const QPolygonF& stretch, QVector<QPointF>& dots,
                              bool dotted) {
        if (stretch.size() == 1 && !dotted) dots << stretch.first();
        for (qsizetype first = 0; first + 1 < stretch.size(); first += kPiecePoints - 1)
            painter.drawPolyline(stretch.constData() + first,
                                 int(std::min(kPiecePoints, stretch.size() - first)));
    }

    const LayerRequest& request_;
    int width_;
    int height_;
    QImage& image_;
    SpanRaster raster_;
};

QColor withAlpha(QColor colour, int alpha) {
    colour.setAlpha(alpha);
    return colour;
}

/// The alpha of each of `curves` that together cover what is behind them by `ink`: eight replicas
/// are then no darker than two.
int alphaOfEach(double ink, std::size_t curves) {
    const double each = 1 - std::pow(1 - ink, 1 / double(std::max<std::size_t>(1, curves)));
    return std::max(kLeastAlpha, int(std::lround(255 * each)));
}

/// The weight of a mean over no more than a twentieth of the longest curve: of a few points a
/// longer one would only lag behind.
double weightFor(const LayerRequest& request) {
    qint64 longest = 0;
    for (const LayerSeries& series : request.series)
        longest = std::max(longest, series.values.size());
    const double most = 1 - 1 / std::max(1.0, double(longest) / kPointsOfMean);
    return std::min(request.smoothing, most);
}

/// From the back to the front: faint raw curves, replicas, means.
std::vector<Curve> arrange(const LayerRequest& request, const std::vector<ColumnView>& smoothed) {
    std::vector<Curve> curves;
    const bool crowded = request.series.size() > 1;
    const int faint = alphaOfEach(kFaint, request.series.size());
    for (const LayerSeries& series : request.series) {
        // The raw mean behind the raw replicas would only be dirt.
        if (smoothed.empty() || (series.mean && crowded)) continue;
        curves.push_back({series, series.values, withAlpha(series.colour, faint), kLine});
    }
    for (const bool mean : {false, true}) {
        for (std::size_t i = 0; i < request.series.size(); ++i) {
            const LayerSeries& series = request.series[i];
            if (series.mean != mean) continue;
            const int alpha = crowded && !mean && smoothed.empty() ? kBand : 255;
            curves.push_back({series, smoothed.empty() ? series.values : smoothed[i],
                              withAlpha(series.colour, alpha), mean ? kMeanLine : kLine});
        }
    }
    return curves;
}

}  // namespace

RenderedLayer paintLayer(const LayerRequest& request, Smoother& smoother,
                         const std::function<bool()>& interrupted) {
    RenderedLayer layer;
    layer.revision = request.revision;
    layer.x = request.x;
    layer.y = request.y;
    const QSize pixels(int(std::lround(request.size.width() * request.ratio)),
                       int(std::lround(request.size.height() * request.ratio)));
    if (pixels.isEmpty()) return layer;
    layer.image = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
    layer.image.fill(Qt::transparent);

    std::vector<ColumnView> smoothed;
    if (const double weight = weightFor(request); weight > 0) {
        int highest = -1;
        for (const LayerSeries& series : request.series)
            highest = std::max(highest, series.key);
        layer.smoothed.resize(std::size_t(highest + 1));
        for (const LayerSeries& series : request.series) {
            smoothed.push_back(smoother.smooth(series.key, series.values, weight, interrupted));
            layer.smoothed[std::size_t(series.key)] = smoothed.back();
        }
    } else {
        smoother.clear();
    }
    LayerPainter painter(request, layer.image);
    painter.draw(arrange(request, smoothed));
    for (const LayerSeries& series : request.series)
        painter.drawMarkers(series);
    layer.image.setDevicePixelRatio(request.ratio);
    return layer;
}

}  // namespace lockstep::ui
