// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/live_chart.h"

#include <QEvent>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/chart_surface.h"
#include "ui/charts/series_renderer.h"
#include "ui/charts/ticks.h"
#include "ui/charts/y_scale.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {
constexpr int kRefreshMilliseconds = 33;
constexpr int kTickWidth = 90;   // pixels of the x axis a label wants
constexpr int kTickHeight = 40;  // and of the y axis
}  // namespace

/// The chart's data and what is on the screen.
class LiveChart::Private {
public:
    explicit Private(LiveChart& chart) : q(chart), surface(new ChartSurface(&chart)) {}

    [[nodiscard]] QColor colourOf(int series) const;
    [[nodiscard]] YScaleInput yScaleInput() const;
    [[nodiscard]] double xOf(int series, qint64 step) const;
    [[nodiscard]] double stepOf(int series, double x) const;
    [[nodiscard]] std::optional<Readout> readout() const;
    void updateAxes();
    void postRequest();
    void accept(const RenderedLayer& layer);
    void zoom(const QPointF& at, double factorX, double factorY);
    void pan(double right, double up);
    void box(const QRectF& area);

    LiveChart& q;
    ChartSurface* surface;
    QToolButton* followButton = nullptr;
    QTimer timer;
    ValueFormat valueFormat;
    ValueFormat yFormat;
    QString emptyText;
    std::optional<double> yLow;
    std::optional<double> yHigh;
    std::vector<Column> columns;
    ChartGroup::Range y{0, 1};  ///< As drawn: logarithms on a log scale.
    bool manualY = false;
    bool drawnLog = false;
    int client = -1;
    quint64 posted = 0;
    quint64 drawn = 0;
    std::vector<ColumnView> smoothed;
};

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

YScaleInput LiveChart::Private::yScaleInput() const {
    YScaleInput input;
    input.logarithmic = q.group_->logY_;
    input.low = yLow;
    input.high = yHigh;
    const ChartGroup::Range x = q.group_->xRange();
    for (int i = 0; i < int(columns.size()); ++i) {
        const ColumnView& view = columns[std::size_t(i)].current();
        if (!q.group_->isVisible(i) || view.size() == 0) continue;
        // The points next to the edges belong to lines that enter the plot.
        const qint64 first = std::max<qint64>(0, view.lowerBound(stepOf(i, x.first)) - 1);
        const qint64 last = std::min(view.size(), view.lowerBound(stepOf(i, x.last)) + 1);
        input.stretches.push_back({view, first, last});
    }
    return input;
}

void LiveChart::Private::updateAxes() {
    const ChartGroup& group = *q.group_;
    if (drawnLog != group.logY_) {
        drawnLog = group.logY_;
        manualY = false;
    }
    if (!manualY) y = automaticYRange(yScaleInput());
    const ChartGroup::Range x = group.xRange();
    const QRectF plot = surface->plot();
    const int across = std::clamp(int(plot.width() / kTickWidth), 2, 12);
    const int up = std::clamp(int(plot.height() / kTickHeight), 2, 10);
    QVector<Tick> yTicks = drawnLog ? logTicks(y, up) : linearTicks(y, up);
    if (yFormat) {
        for (Tick& tick : yTicks) {
            tick.label = yFormat(drawnLog ? std::pow(10, tick.position) : tick.position);
        }
    }
    surface->setAxes(x, group.axis_ == XAxis::Step ? stepTicks(x, across) : timeTicks(x, across), y,
                     yTicks);
}

void LiveChart::Private::postRequest() {
    LayerRequest request;
    request.revision = ++posted;
    request.size = surface->plot().size();
    request.ratio = q.devicePixelRatioF();
    request.x = q.group_->xRange();
    request.y = y;
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
    smoothed = layer.smoothed;
    surface->setLayer(layer);
    surface->setReadout(readout());
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

LiveChart::LiveChart(ChartGroup* group, QWidget* parent)
    : QWidget(parent),
      ownGroup_(group == nullptr ? std::make_unique<ChartGroup>() : nullptr),
      group_(group == nullptr ? ownGroup_.get() : group),
      d_(std::make_unique<Private>(*this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(d_->surface);
    setFocusProxy(d_->surface);
    setEmptyText(tr("Nothing measured yet"));
    buildFollowButton();
    d_->timer.setSingleShot(true);
    d_->timer.setInterval(kRefreshMilliseconds);
    connect(&d_->timer, &QTimer::timeout, this, &LiveChart::refresh);
    connectSurface();
    connectGroup();
    d_->client =
        group_->renderer().addClient([this](const RenderedLayer& layer) { d_->accept(layer); });
    clear();
}

LiveChart::~LiveChart() {
    disconnect(d_->surface, nullptr, this, nullptr);  // it dies after this object's members
    if (group_ != nullptr) group_->renderer().removeClient(d_->client);
}

void LiveChart::buildFollowButton() {
    d_->followButton = new QToolButton(this);
    d_->followButton->setObjectName(QStringLiteral("follow"));
    d_->followButton->setText(tr("Follow"));
    d_->followButton->setIcon(makeIcon(Icon::Follow, Tone::Accent));
    d_->followButton->setToolTip(tr("Show everything and follow new data (0)"));
    d_->followButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    d_->followButton->setProperty("floating", true);
    d_->followButton->setCursor(Qt::ArrowCursor);
    d_->followButton->hide();
    connect(d_->followButton, &QToolButton::clicked, this, &LiveChart::fit);
}

void LiveChart::connectSurface() {
    const ChartSurface* surface = d_->surface;
    connect(surface, &ChartSurface::zoomed, this,
            [this](const QPointF& at, double x, double y) { d_->zoom(at, x, y); });
    connect(surface, &ChartSurface::panned, this,
            [this](double right, double up) { d_->pan(right, up); });
    connect(surface, &ChartSurface::boxed, this, [this](const QRectF& box) { d_->box(box); });
    connect(surface, &ChartSurface::fitWanted, this, &LiveChart::fit);
    connect(surface, &ChartSurface::pointedAt, this, [this](std::optional<double> at) {
        if (group_ == nullptr) return;  // the page is being destroyed
        const ChartGroup::Range x = group_->xRange();
        if (at) at = x.first + *at * (x.last - x.first);
        group_->setCrosshair(at);
    });
}

void LiveChart::connectGroup() {
    connect(group_, &ChartGroup::seriesReset, this, &LiveChart::clear);
    connect(group_, &ChartGroup::appearanceChanged, this, &LiveChart::scheduleRefresh);
    connect(group_, &ChartGroup::crosshairChanged, this,
            [this] { d_->surface->setReadout(d_->readout()); });
    connect(group_, &ChartGroup::followChanged, this, [this](bool following) {
        if (following) d_->manualY = false;
        d_->followButton->setVisible(!following);
        placeFollowButton();
        scheduleRefresh();
    });
}

void LiveChart::placeFollowButton() {
    d_->followButton->adjustSize();
    const QRectF plot = plotArea();
    d_->followButton->move(int(plot.right()) - d_->followButton->width() - 4,
                           int(plot.bottom()) - d_->followButton->height() - 4);
}

void LiveChart::setTitle(const QString& title) {
    title_ = title;
    setAccessibleName(title);
    d_->surface->setAccessibleName(tr("Chart of %1").arg(title));
}

void LiveChart::setUnit(const QString& unit) {
    unit_ = unit;
}

void LiveChart::setValueFormat(ValueFormat format) {
    d_->valueFormat = std::move(format);
}

void LiveChart::setYFormat(ValueFormat format) {
    d_->yFormat = std::move(format);
    scheduleRefresh();
}

QString LiveChart::formatted(double value) const {
    return d_->valueFormat ? d_->valueFormat(value) : units::number(value);
}

void LiveChart::setEmptyText(const QString& text) {
    d_->emptyText = text;
    scheduleRefresh();
}

void LiveChart::setYAtLeast(std::optional<double> low, std::optional<double> high) {
    d_->yLow = low;
    d_->yHigh = high;
    scheduleRefresh();
}

void LiveChart::appendSteps(int series, qint64 firstStep, std::span<const float> values) {
    if (series < 0 || series >= int(d_->columns.size()) || values.empty()) return;
    Column& column = d_->columns[std::size_t(series)];
    column.append(firstStep, values);
    const ColumnView& view = column.current();
    group_->noteExtent(view.stepAt(0), view.stepAt(view.size() - 1));
    scheduleRefresh();
    Q_EMIT newestValueChanged();
}

void LiveChart::appendPoint(int series, qint64 step, float value) {
    appendSteps(series, step, std::span(&value, 1));
}

void LiveChart::clear() {
    d_->columns.assign(std::size_t(group_->series().size()), Column());
    d_->smoothed.clear();
    d_->manualY = false;
    d_->surface->setLayer({});
    d_->surface->setReadout(std::nullopt);
    scheduleRefresh();
    Q_EMIT newestValueChanged();
}

float LiveChart::newestValue(int series) const {
    if (series < 0 || series >= int(d_->columns.size())) {
        return std::numeric_limits<float>::quiet_NaN();
    }
    const ColumnView& view = d_->columns[std::size_t(series)].current();
    return view.size() > 0 ? view.at(view.size() - 1) : std::numeric_limits<float>::quiet_NaN();
}

float LiveChart::newestValue() const {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < int(d_->columns.size()); ++i) {
        if (d_->columns[std::size_t(i)].size() == 0) continue;
        if (group_->series()[i].mean) return newestValue(i);
        if (!group_->isVisible(i)) continue;
        sum += double(newestValue(i));
        ++count;
    }
    return count > 0 ? float(sum / count) : std::numeric_limits<float>::quiet_NaN();
}

qint64 LiveChart::pointCount() const {
    qint64 count = 0;
    for (const Column& column : d_->columns)
        count += column.size();
    return count;
}

void LiveChart::fit() {
    if (group_ == nullptr) return;
    d_->manualY = false;
    group_->setFollow(true);
    scheduleRefresh();
}

ChartGroup::Range LiveChart::yRange() const {
    if (!d_->drawnLog) return d_->y;
    return {std::pow(10, d_->y.first), std::pow(10, d_->y.last)};
}

void LiveChart::setYRange(ChartGroup::Range range) {
    if (!(range.last > range.first) || (d_->drawnLog && range.first <= 0)) return;
    d_->y =
        d_->drawnLog ? ChartGroup::Range{std::log10(range.first), std::log10(range.last)} : range;
    d_->manualY = true;
    scheduleRefresh();
}

QRectF LiveChart::plotArea() const {
    return d_->surface->plot().translated(d_->surface->pos());
}

bool LiveChart::isUpToDate() const {
    return !d_->timer.isActive() && d_->drawn == d_->posted;
}

QSize LiveChart::sizeHint() const {
    return {480, 260};
}

QSize LiveChart::minimumSizeHint() const {
    return {220, 120};
}

void LiveChart::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    scheduleRefresh();
}

void LiveChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeFollowButton();
    scheduleRefresh();
}

void LiveChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        d_->surface->refreshColours();
        scheduleRefresh();
    }
    QWidget::changeEvent(event);
}

void LiveChart::scheduleRefresh() {
    if (!d_->timer.isActive()) d_->timer.start();
}

void LiveChart::refresh() {
    if (!isVisible() || group_ == nullptr) return;  // showEvent() will ask again
    const bool empty = pointCount() == 0;
    d_->surface->setEmptyText(empty ? d_->emptyText : QString());
    const float newest = newestValue();
    setAccessibleDescription(empty ? d_->emptyText
                                   : tr("newest %1").arg(formatted(double(newest))));
    d_->updateAxes();
    d_->surface->setReadout(d_->readout());
    placeFollowButton();
    d_->postRequest();
}

}  // namespace lockstep::ui
