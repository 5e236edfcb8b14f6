// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/live_chart_private.h"

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ui/charts/paint/series_renderer.h"
#include "ui/charts/paint/ticks.h"
#include "ui/style/theme.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"
#include "ui/style/window_beat.h"

namespace lockstep::ui {

namespace {

/// Of an axis that leaves out so many that their places say nothing.
QString wordsOfPointsAbove(qint64 count) {
    const QString number = units::count(count);
    return count < RenderedLayer::kMostCounted
               ? tr("\u25b2 points above this axis: %1").arg(number)
               : tr("\u25b2 points above this axis: %1 or more").arg(number);
}

constexpr int kTickWidth = 90;   // pixels of the x axis a label wants
constexpr int kTickHeight = 32;  // and of the y axis
constexpr int kLogTickHeight = 20;
constexpr double kShareGap = 1.75;      // of shares: from one to the next, in heights of a label
constexpr double kLeastShareGap = 1.1;  // where there would be too few: labels do not touch
constexpr double kMarkDistance = 5;     // pixels between marks of a kind
constexpr double kMostDecades = 80;     // of floats: from the smallest to the largest
constexpr double kMostTimes = 1e4;      // the height of what there is
constexpr double kKeptInView = 0.1;     // of the height: at least so far curves reach into the plot

}  // namespace

QColor LiveChart::Private::colourOf(int series) const {
    return lockstep::ui::colourOf(q.group_->series()[series], series, Theme::of(&q));
}

/// And may be seen.
bool LiveChart::Private::hasPoints(int series) const {
    return q.group_->isVisible(series) && columns[std::size_t(series)].size() > 0;
}

bool LiveChart::Private::isShown(int series) const {
    return hasPoints(series) && q.group_->scaleOf(series).isKnown();
}

int LiveChart::Private::ticksAcross() const {
    return std::clamp(int(surface->plot().width() / kTickWidth), 2, 12);
}

QVector<Tick> LiveChart::Private::xTicks() const {
    const int across = ticksAcross();
    if (q.group_->isLogX()) return logXTicks(shownX, across);
    switch (q.group_->xAxis()) {
        case XAxis::Step:
            break;
        case XAxis::Epoch:
            return linearTicks(shownX, across);
        case XAxis::Relative:
            return timeTicks(shownX, across);
        case XAxis::Wall:
            return clockTicks(shownX, q.group_->firstWallTime_, across);
    }
    return stepTicks(shownX, across);
}

QVector<Tick> LiveChart::Private::logXTicks(AxisRange range, int wanted) const {
    QVector<Tick> ticks = logTicks(range, wanted);
    if (q.group_->xAxis() == XAxis::Relative) {
        for (Tick& tick : ticks)
            tick.label = units::duration(std::pow(10, tick.position));
    }
    return ticks;
}

QVector<Tick> LiveChart::Private::yTicks(AxisRange range) const {
    QVector<Tick> ticks = drawnLog   ? logTicks(range, ticksUp())
                          : yCeiling ? yShareTicks(range)
                                     : linearTicks(range, ticksUp());
    if (yFormat) {
        for (Tick& tick : ticks)
            tick.label = yFormat(drawnLog ? std::pow(10, tick.position) : tick.position);
    }
    return ticks;
}

QVector<Tick> LiveChart::Private::yShareTicks(AxisRange range) const {
    const double pixel = (range.last - range.first) / std::max(1.0, surface->plot().height());
    const double label = pixel * QFontMetricsF(smallFont()).height();
    return shareTicks(range, kShareGap * label, kLeastShareGap * label);
}

int LiveChart::Private::ticksUp() const {
    const int tall = drawnLog ? kLogTickHeight : kTickHeight;
    return std::clamp(int(surface->plot().height() / tall), 2, 10);
}

void LiveChart::Private::showAxes(const RenderedLayer& layer) {
    if (!manualY) y = layer.y;
    drawnLog = layer.logY;
    shownX = layer.x;
    ChartSurface::MinorTicks minor;
    if (q.group_->isLogX()) minor.x = minorLogTicks(shownX, ticksAcross());
    if (drawnLog) minor.y = minorLogTicks(layer.y, ticksUp());
    surface->setAxes(shownX, xTicks(), layer.y, yTicks(layer.y), minor);
    showMarks();
}

void LiveChart::Private::showMarks() {
    if (q.group_ != nullptr) surface->setMarks(marksWithin(q.group_->xRange()));
}

/// Those to be seen; of many on the same pixels one a kind.
QVector<ChartSurface::Mark> LiveChart::Private::marksWithin(AxisRange range) const {
    QVector<ChartSurface::Mark> shown;
    if (q.group_->series().isEmpty()) return shown;  // marks lie where the first one has its times
    const XScale scale = q.group_->scaleOf(0);
    if (!scale.isKnown()) return shown;
    const double pixel = (range.last - range.first) / std::max(1.0, surface->plot().width());
    const QVector<AxisMark>& marks = q.group_->marks();
    const auto first = std::lower_bound(
        marks.begin(), marks.end(), std::floor(scale.stepAt(range.first)),
        [](const AxisMark& mark, double step) { return double(mark.step) < step; });
    std::array<double, std::size_t(AxisMark::Kind::Count)> shownTo;
    shownTo.fill(-std::numeric_limits<double>::infinity());
    for (auto mark = first; mark != marks.end(); ++mark) {
        const double at = scale.at(mark->step);
        if (at > range.last) break;
        double& last = shownTo[std::size_t(mark->kind)];
        if (at < range.first || at - last < kMarkDistance * pixel) continue;
        last = at;
        std::optional<double> height;
        if (mark->value) height = drawnLog ? std::log10(*mark->value) : *mark->value;
        shown.push_back({at, mark->kind, height});
    }
    return shown;
}

LayerSeries LiveChart::Private::layerSeries(int series, const Theme& theme) const {
    const SeriesInfo& info = q.group_->series_[series];
    return {series,
            columns[std::size_t(series)].view(),
            q.group_->scaleOf(series),
            lockstep::ui::colourOf(info, series, theme),
            info.mean,
            info.exact,
            info.quiet};
}

void LiveChart::Private::postRequest() {
    if (!surface->hasPlot()) return;  // resized() will ask again
    LayerRequest request;
    request.revision = ++posted;
    request.size = surface->plot().size();
    request.ratio = q.devicePixelRatioF();
    request.x = q.group_->xRange();
    request.y = y;
    if (!manualY) request.automaticY = YAxisRules{yLow, yCeiling, ignoresOutliers};
    request.logY = logY;
    request.smoothing = q.group_->smoothing_;
    request.marker = Theme::of(&q).bad;
    for (int i = 0; i < int(columns.size()); ++i)
        if (isShown(i)) request.series.push_back(layerSeries(i, Theme::of(&q)));
    q.group_->renderer().request(client, std::move(request));
}

void LiveChart::Private::accept(const RenderedLayer& layer) {
    drawn = layer.revision;
    hasCurves = layer.hasCurves;
    WindowBeat::shared().add(layer.processorSeconds);
    smoothed = layer.smoothed;
    spikes = layer.spikes;
    surface->setLayer(layer);
    surface->setNote(noteOf(layer));
    showElsewhere();
    q.describe();
    showAxes(layer);
    surface->setReadout(readout());
    Q_EMIT q.newestValueChanged();
    // Longer labels leave the plot less room than the picture was drawn for.
    if (surface->plot().size() != layer.size) q.scheduleRefresh();
}

/// What is not to be seen: points above the axis, curves that have no place on it.
QString LiveChart::Private::noteOf(const RenderedLayer& layer) const {
    QStringList notes;
    if (layer.pointsAbove > 0) notes << wordsOfPointsAbove(layer.pointsAbove);
    int placeless = 0;
    for (int i = 0; i < int(columns.size()); ++i)
        placeless += hasPoints(i) && !q.group_->scaleOf(i).isKnown() ? 1 : 0;
    if (placeless > 0) notes << tr("curves without a place on this axis: %1").arg(placeless);
    return notes.join(QStringLiteral(" \u00b7 "));
}

/// Before it the newest point counts, else the first one behind it.
std::optional<LiveChart::Private::Elsewhere> LiveChart::Private::elsewhere() const {
    const AxisRange x = q.group_->xRange();
    std::optional<Elsewhere> before;
    std::optional<Elsewhere> behind;
    for (int i = 0; i < int(columns.size()); ++i) {
        if (!isShown(i)) continue;
        const ColumnView& values = columns[std::size_t(i)].current();
        const XScale scale = q.group_->scaleOf(i);
        const qint64 first = values.stepAt(0);
        const qint64 last = values.stepAt(values.size() - 1);
        if (scale.at(last) < x.first) {
            if (!before || last > before->step) before = Elsewhere{last, scale.at(last), false};
        } else if (scale.at(first) > x.last) {
            if (!behind || first < behind->step) behind = Elsewhere{first, scale.at(first), true};
        } else {
            return std::nullopt;  // it is there, or a line of it
        }
    }
    return before ? before : behind;
}

void LiveChart::Private::showElsewhere() {
    const std::optional<Elsewhere> found = elsewhere();
    if (!found) return surface->setElsewhere({}, false);
    const QString step = units::count(found->step);
    surface->setElsewhere(found->isRight ? tr("first at step %1 \u2192").arg(step)
                                         : tr("\u2190 newest at step %1").arg(step),
                          found->isRight);
}

void LiveChart::Private::goElsewhere() {
    if (q.group_ == nullptr) return;
    const std::optional<Elsewhere> found = elsewhere();
    if (!found) return;
    const AxisRange x = q.group_->xRange();
    const double half = (x.last - x.first) / 2;
    manualY = false;  // y shows what is to be seen there
    q.group_->setXRange(q.group_->withinExtent({found->place - half, found->place + half}));
    q.scheduleRefresh();
}

AxisRange LiveChart::Private::valuesWithin(AxisRange x) const {
    MinMax all = MinMax::none();
    for (int i = 0; i < int(columns.size()); ++i) {
        const ColumnView& values = columns[std::size_t(i)].current();
        if (!isShown(i)) continue;
        const XScale scale = q.group_->scaleOf(i);
        // The points beside the edges belong to lines that enter the plot.
        const std::array<qint64, 2> edges{
            std::max<qint64>(0, values.lowerBound(scale.stepAt(x.first)) - 1),
            std::min(values.size(), values.lowerBound(scale.stepAt(x.last)) + 1)};
        std::array<Stretch, 1> found;
        values.stretches(edges, found);
        all.add(found[0].bounds);
    }
    if (all.isEmpty()) return {1, 0};
    if (!drawnLog) return {double(all.min), double(all.max)};
    if (all.max <= 0) return {1, 0};
    return {all.min > 0 ? std::log10(double(all.min)) : y.first, std::log10(double(all.max))};
}

void LiveChart::Private::chooseY(AxisRange range) {
    const double height = range.last - range.first;
    const double size = std::max({std::abs(range.first), std::abs(range.last), 1e-30});
    if (!(height > size * 1e-9)) return;  // what doubles cannot tell apart any more
    const AxisRange values = valuesWithin(q.group_->xRange());
    if (values.first > values.last) return;
    // Further out there is nothing to see: the values are floats, and a flat line is flat.
    const double most =
        drawnLog ? kMostDecades
                 : kMostTimes * std::max(values.last - values.first, std::abs(values.last));
    if (height > most && height > y.last - y.first) return;
    const double edge = height * kKeptInView;
    double shift = 0;
    if (range.last - edge < values.first) shift = values.first - (range.last - edge);
    if (range.first + edge > values.last) shift = values.last - (range.first + edge);
    y = {range.first + shift, range.last + shift};
    manualY = true;
}

void LiveChart::Private::keepInView() {
    if (manualY && q.group_ != nullptr) chooseY(y);
}

void LiveChart::Private::zoom(const QPointF& at, double factorX, double factorY) {
    if (q.group_ == nullptr) return;
    const auto around = [](AxisRange range, double fraction, double factor) {
        const double span = range.last - range.first;
        const double anchor = range.first + fraction * span;
        return AxisRange{anchor - fraction * span / factor,
                         anchor + (1 - fraction) * span / factor};
    };
    if (factorY != 1) {
        chooseY(around(y, at.y(), factorY));
        q.group_->setFollow(false);
    }
    if (factorX != 1) {
        manualY = false;  // y shows what is to be seen there
        q.group_->setXRange(q.group_->withinExtent(around(q.group_->xRange(), at.x(), factorX)));
    }
    q.scheduleRefresh();
}

void LiveChart::Private::pan(double right, double up) {
    if (q.group_ == nullptr) return;
    if (up != 0) {
        const double distance = up * (y.last - y.first);
        chooseY({y.first + distance, y.last + distance});
        q.group_->setFollow(false);
    }
    const AxisRange x = q.group_->xRange();
    const double distance = right * (x.last - x.first);
    if (right != 0)
        q.group_->setXRange(q.group_->withinExtent({x.first + distance, x.last + distance}));
    q.scheduleRefresh();
}

void LiveChart::Private::range(double first, double last) {
    if (q.group_ == nullptr) return;
    const AxisRange x = q.group_->xRange();
    const double width = x.last - x.first;
    manualY = false;  // y shows what is to be seen there
    q.group_->setXRange(q.group_->withinExtent({x.first + first * width, x.first + last * width}));
    q.scheduleRefresh();
}

void LiveChart::Private::box(const QRectF& area) {
    if (q.group_ == nullptr) return;
    const QRectF part = area.normalized();
    const AxisRange x = q.group_->xRange();
    const double width = x.last - x.first;
    const double height = y.last - y.first;
    q.group_->setXRange(
        q.group_->withinExtent({x.first + part.left() * width, x.first + part.right() * width}));
    chooseY({y.first + part.top() * height, y.first + part.bottom() * height});
    q.scheduleRefresh();
}

}  // namespace lockstep::ui
