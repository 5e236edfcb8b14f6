// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/live_chart_private.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/series_renderer.h"
#include "ui/charts/ticks.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/style/window_beat.h"

namespace lockstep::ui {

namespace {
constexpr int kTickWidth = 90;   // pixels of the x axis a label wants
constexpr int kTickHeight = 40;  // and of the y axis
}  // namespace

QColor LiveChart::Private::colourOf(int series) const {
    const SeriesInfo& info = q.group_->series()[series];
    if (info.colour.isValid()) return info.colour;
    const Theme& theme = Theme::of(&q);
    return info.mean ? theme.text : theme.seriesColour(series);
}

double LiveChart::Private::xOf(int series, qint64 step) const {
    if (q.group_->axis_ == XAxis::Step) return double(step);
    return q.group_->timesOf(series).current().atStep(step) - q.group_->firstWallTime_;
}

double LiveChart::Private::stepOf(int series, double x) const {
    if (q.group_->axis_ == XAxis::Step) return x;
    return q.group_->timesOf(series).current().stepAtTime(x + q.group_->firstWallTime_);
}

void LiveChart::Private::showAxes(const RenderedLayer& layer) {
    if (!manualY) y = layer.y;
    drawnLog = layer.logY;
    const ChartGroup::Range x = layer.x;
    const QRectF plot = surface->plot();
    const int across = std::clamp(int(plot.width() / kTickWidth), 2, 12);
    const int up = std::clamp(int(plot.height() / kTickHeight), 2, 10);
    QVector<Tick> yTicks = drawnLog ? logTicks(layer.y, up) : linearTicks(layer.y, up);
    if (yFormat) {
        for (Tick& tick : yTicks) {
            tick.label = yFormat(drawnLog ? std::pow(10, tick.position) : tick.position);
        }
    }
    surface->setAxes(x,
                     q.group_->axis_ == XAxis::Step ? stepTicks(x, across) : timeTicks(x, across),
                     layer.y, yTicks);
}

void LiveChart::Private::postRequest() {
    if (wantsLog != q.group_->logY_) {
        wantsLog = q.group_->logY_;
        manualY = false;
    }
    LayerRequest request;
    request.revision = ++posted;
    request.size = surface->plot().size();
    request.ratio = q.devicePixelRatioF();
    request.x = q.group_->xRange();
    request.y = y;
    if (!manualY) request.automaticY = YAxisRules{yLow, yHigh, ignoresOutliers};
    request.axis = q.group_->axis_;
    request.timeOrigin = q.group_->firstWallTime_;
    request.logY = q.group_->logY_;
    request.smoothing = q.group_->smoothing_;
    request.marker = Theme::of(&q).bad;
    for (int i = 0; i < int(columns.size()); ++i) {
        const Column& column = columns[std::size_t(i)];
        if (!q.group_->isVisible(i) || column.size() == 0) continue;
        request.series.push_back({i, column.view(), q.group_->timesOf(i).view(), colourOf(i),
                                  q.group_->series_[i].mean});
    }
    q.group_->renderer().request(client, std::move(request));
}

void LiveChart::Private::accept(const RenderedLayer& layer) {
    drawn = layer.revision;
    hasCurves = layer.hasCurves;
    WindowBeat::shared().add(layer.processorSeconds);
    smoothed = layer.smoothed;
    surface->setLayer(layer);
    showAxes(layer);
    surface->setReadout(readout());
    Q_EMIT q.newestValueChanged();
    // Longer labels leave the plot less room than the picture was drawn for.
    if (surface->plot().size() != layer.size) q.scheduleRefresh();
}

std::optional<Readout> LiveChart::Private::readout() const {
    const std::optional<double> x = q.group_->crosshair_;
    const ChartGroup::Range range = q.group_->xRange();
    if (!x || *x < range.first || *x > range.last || q.pointCount() == 0) return std::nullopt;
    struct Found {
        int series;
        double value;
    };
    std::vector<Found> found;
    qint64 nearest = -1;
    for (int i = 0; i < int(columns.size()); ++i) {
        const ColumnView& raw = columns[std::size_t(i)].current();
        if (!q.group_->isVisible(i) || raw.size() == 0) continue;
        qint64 index = std::min(raw.size() - 1, raw.lowerBound(stepOf(i, *x)));
        const auto distance = [&](qint64 at) { return std::abs(xOf(i, raw.stepAt(at)) - *x); };
        if (index > 0 && distance(index - 1) < distance(index)) --index;
        const bool hasSmooth =
            std::size_t(i) < smoothed.size() && smoothed[std::size_t(i)].size() > index;
        found.push_back(
            {i, double(hasSmooth ? smoothed[std::size_t(i)].at(index) : raw.at(index))});
        if (nearest < 0 || q.group_->series_[i].mean) nearest = raw.stepAt(index);
    }
    // NaN last: it has no order.
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return std::isnan(b.value) ? !std::isnan(a.value) : a.value > b.value;
    });
    Readout result;
    result.x = (*x - range.first) / (range.last - range.first);
    result.headline =
        q.group_->axis_ == XAxis::Step
            ? LiveChart::tr("step %1").arg(units::count(nearest))
            : LiveChart::tr("%1 · step %2").arg(units::duration(*x), units::count(nearest));
    for (const Found& each : found) {
        const double place = drawnLog ? std::log10(each.value) : each.value;
        result.rows.append({q.group_->series_[each.series].name, colourOf(each.series),
                            q.formatted(each.value), (place - y.first) / (y.last - y.first)});
    }
    return result;
}

void LiveChart::Private::zoom(const QPointF& at, double factorX, double factorY) {
    if (q.group_ == nullptr) return;
    const auto around = [](ChartGroup::Range range, double fraction, double factor) {
        const double span = range.last - range.first;
        const double anchor = range.first + fraction * span;
        return ChartGroup::Range{anchor - fraction * span / factor,
                                 anchor + (1 - fraction) * span / factor};
    };
    if (factorY != 1) {
        const ChartGroup::Range next = around(y, at.y(), factorY);
        const double height = next.last - next.first;
        const double size = std::max({std::abs(next.first), std::abs(next.last), 1e-30});
        if (height > size * 1e-9) {  // what doubles can still tell apart
            y = next;
            manualY = true;
        }
    }
    if (factorX != 1)
        q.group_->setXRange(around(q.group_->xRange(), at.x(), factorX));
    else
        q.group_->setFollow(false);
    q.scheduleRefresh();
}

void LiveChart::Private::pan(double right, double up) {
    if (q.group_ == nullptr) return;
    if (up != 0) {
        const double distance = up * (y.last - y.first);
        y = {y.first + distance, y.last + distance};
        manualY = true;
    }
    const ChartGroup::Range x = q.group_->xRange();
    const double distance = right * (x.last - x.first);
    q.group_->setXRange({x.first + distance, x.last + distance});
    q.scheduleRefresh();
}

void LiveChart::Private::box(const QRectF& area) {
    if (q.group_ == nullptr) return;
    const QRectF part = area.normalized();
    const ChartGroup::Range x = q.group_->xRange();
    const double width = x.last - x.first;
    const double height = y.last - y.first;
    y = {y.first + part.top() * height, y.first + part.bottom() * height};
    manualY = true;
    q.group_->setXRange({x.first + part.left() * width, x.first + part.right() * width});
    q.scheduleRefresh();
}

}  // namespace lockstep::ui
