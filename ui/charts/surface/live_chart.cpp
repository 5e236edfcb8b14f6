// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/live_chart.h"

#include <QDeadlineTimer>
#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/paint/series_renderer.h"
#include "ui/charts/surface/live_chart_private.h"
#include "ui/style/accessible_role.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"
#include "ui/style/window_beat.h"

namespace lockstep::ui {

namespace {
constexpr qint64 kFrameMilliseconds = 16;  // no more pictures than a screen shows
}  // namespace

LiveChart::LiveChart(ChartGroup* group, QWidget* parent)
    : QWidget(parent),
      ownGroup_(group == nullptr ? std::make_unique<ChartGroup>() : nullptr),
      group_(group == nullptr ? ownGroup_.get() : group),
      d_(std::make_unique<Private>(*this)) {
    setAccessibleRole(*this, QAccessible::Grouping);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(d_->surface);
    setFocusProxy(d_->surface);
    setEmptyText(tr("Nothing measured yet"));
    d_->timer.setSingleShot(true);
    d_->timer.setTimerType(Qt::PreciseTimer);
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

void LiveChart::connectSurface() {
    const ChartSurface* surface = d_->surface;
    connect(surface, &ChartSurface::zoomed, this,
            [this](const QPointF& at, double x, double y) { d_->zoom(at, x, y); });
    connect(surface, &ChartSurface::panned, this,
            [this](double right, double up) { d_->pan(right, up); });
    connect(surface, &ChartSurface::ranged, this,
            [this](double first, double last) { d_->range(first, last); });
    connect(surface, &ChartSurface::boxed, this, [this](const QRectF& box) { d_->box(box); });
    connect(surface, &ChartSurface::drawing, this, [this] {
        if (group_ != nullptr) group_->setFollow(false);
    });
    connect(surface, &ChartSurface::logToggleWanted, this, [this] { setLogY(!isLogY()); });
    connect(surface, &ChartSurface::resized, this, [this] {
        d_->showMarks();
        if (d_->surface->hasPlot() && !d_->hasCurves) scheduleRefresh();
    });
    connect(surface, &ChartSurface::fitWanted, this, [this] {
        d_->clickTimer.stop();
        fit();
    });
    connect(surface, &ChartSurface::pointedAt, this,
            [this](const std::optional<QPointF>& at) { d_->pointAt(at); });
    connect(surface, &ChartSurface::elsewhereWanted, this, [this] { d_->goElsewhere(); });
    connect(surface, &ChartSurface::clicked, this, [this](const QPointF& at) { d_->click(at); });
    d_->clickTimer.setSingleShot(true);
    d_->clickTimer.callOnTimeout(this, [this] {
        if (group_ != nullptr) Q_EMIT group_->markChosen(d_->clicked);
    });
}

void LiveChart::connectGroup() {
    connect(group_, &ChartGroup::seriesReset, this, &LiveChart::clear);
    connect(group_, &ChartGroup::seriesAdded, this,
            [this] { d_->columns.resize(std::size_t(group_->series().size())); });
    connect(group_, &ChartGroup::marksChanged, this, [this] { d_->showMarks(); });
    connect(group_, &ChartGroup::appearanceChanged, this, [this] {
        d_->keepInView();
        scheduleRefresh();
    });
    connect(group_, &ChartGroup::grown, this, &LiveChart::scheduleGrowth);
    connect(group_, &ChartGroup::crosshairChanged, this,
            [this] { d_->surface->setReadout(d_->readout()); });
    connect(group_, &ChartGroup::followChanged, this, [this](bool following) {
        if (following) d_->manualY = false;
        scheduleRefresh();
    });
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
    if (d_->emptyText == text) return;
    d_->emptyText = text;
    scheduleRefresh();
}

void LiveChart::setYBounds(std::optional<double> low, std::optional<double> ceiling) {
    d_->yLow = low;
    d_->yCeiling = ceiling;
    scheduleRefresh();
}

void LiveChart::setIgnoresOutliers(bool ignores) {
    d_->ignoresOutliers = ignores;
    scheduleRefresh();
}

void LiveChart::setOffersLogY(bool offers) {
    d_->offersLogY = offers;
    if (!offers) setLogY(false);
}

bool LiveChart::offersLogY() const {
    return d_->offersLogY;
}

void LiveChart::setLogY(bool logarithmic) {
    if (logarithmic == d_->logY || (logarithmic && !d_->offersLogY)) return;
    d_->logY = logarithmic;
    d_->manualY = false;
    scheduleRefresh();
    Q_EMIT logYChanged(logarithmic);
}

bool LiveChart::isLogY() const {
    return d_->logY;
}

void LiveChart::setHeadlineSteps(qint64 steps) {
    d_->headlineSteps = std::max<qint64>(1, steps);
    Q_EMIT newestValueChanged();
}

qint64 LiveChart::headlineSteps() const {
    return d_->headlineSteps;
}

void LiveChart::setHeadlineSeries(int series) {
    d_->headline = series;
    Q_EMIT newestValueChanged();
}

void LiveChart::appendSteps(int series, qint64 firstStep, std::span<const float> values) {
    if (series < 0 || series >= int(d_->columns.size()) || values.empty()) return;
    Column& column = d_->columns[std::size_t(series)];
    column.append(firstStep, values);
    noteGrowth(series);
}

void LiveChart::noteGrowth(int series) {
    const ColumnView& view = d_->columns[std::size_t(series)].current();
    group_->noteExtent(series, view.stepAt(0), view.stepAt(view.size() - 1));
    scheduleGrowth();
}

void LiveChart::appendPoints(int series, std::span<const qint64> steps,
                             std::span<const float> values) {
    if (series < 0 || series >= int(d_->columns.size()) || steps.empty()) return;
    Column& column = d_->columns[std::size_t(series)];
    for (std::size_t i = 0; i < steps.size(); ++i)
        column.append(steps[i], values.subspan(i, 1));
    noteGrowth(series);
}

void LiveChart::appendPoint(int series, qint64 step, float value) {
    appendSteps(series, step, std::span(&value, 1));
}

void LiveChart::clear() {
    d_->columns.assign(std::size_t(group_->series().size()), Column());
    d_->smoothed.clear();
    d_->clickTimer.stop();
    d_->hasCurves = false;
    d_->manualY = false;
    d_->surface->setLayer({});
    d_->surface->setNote({});
    d_->surface->setElsewhere({}, false);
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

template <typename Value>
double LiveChart::newestOf(Value valueOf) const {
    if (d_->headline >= 0) return valueOf(d_->headline);
    double sum = 0;
    int count = 0;
    for (int i = 0; i < int(d_->columns.size()); ++i) {
        if (d_->columns[std::size_t(i)].size() == 0) continue;
        if (group_->series()[i].mean) return valueOf(i);
        if (!group_->isVisible(i) || group_->series()[i].exact) continue;
        sum += valueOf(i);
        ++count;
    }
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

float LiveChart::newestValue() const {
    return float(newestOf([this](int series) { return double(newestValue(series)); }));
}

double LiveChart::headline() const {
    return newestOf([this](int series) { return d_->newestMean(series); });
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
    group_->showAll();
    scheduleRefresh();
}

AxisRange LiveChart::yRange() const {
    if (!d_->drawnLog) return d_->y;
    return {std::pow(10, d_->y.first), std::pow(10, d_->y.last)};
}

QRectF LiveChart::plotArea() const {
    return d_->surface->plot().translated(d_->surface->pos());
}

bool LiveChart::isUpToDate() const {
    return !d_->timer.isActive() && d_->drawn == d_->posted;
}

bool LiveChart::hasPicture() const {
    return d_->hasCurves;
}

QSize LiveChart::sizeHint() const {
    return {480, 260};
}

QSize LiveChart::minimumSizeHint() const {
    return {220, 150};
}

void LiveChart::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    scheduleRefresh();
}

void LiveChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
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
    refreshIn(int(untilDue(kFrameMilliseconds)));
}

void LiveChart::scheduleGrowth() {
    // Where nobody turns or zooms, a picture may wait: a chart that grows by itself leaves the
    // processors to the training.
    if (!d_->hasCurves) {
        scheduleRefresh();  // the first points are awaited
        return;
    }
    const bool shown = d_->sinceRefresh.isValid();
    refreshIn(shown ? WindowBeat::shared().untilAgain(d_->sinceRefresh.elapsed()) : 0);
}

/// Milliseconds until the last picture is `milliseconds` old.
qint64 LiveChart::untilDue(qint64 milliseconds) const {
    const qint64 since = d_->sinceRefresh.isValid() ? d_->sinceRefresh.elapsed() : milliseconds;
    return std::clamp<qint64>(milliseconds - since, 0, milliseconds);
}

void LiveChart::refreshIn(int wait) {
    if (d_->timer.isActive() && d_->timer.remainingTime() <= wait) return;
    d_->timer.start(wait);
}

/// For who cannot see it.
void LiveChart::describe() {
    QStringList words{pointCount() == 0 ? d_->emptyText
                                        : tr("newest %1").arg(formatted(headline()))};
    for (const QString& each : {d_->surface->note(), d_->surface->elsewhere()})
        if (!each.isEmpty()) words << each;
    setAccessibleDescription(listed(words));
    d_->surface->setAccessibleDescription(accessibleDescription());  // it has the keyboard
}

void LiveChart::refresh() {
    if (!isVisible() || group_ == nullptr) return;  // showEvent() will ask again
    d_->sinceRefresh.start();
    const bool empty = pointCount() == 0;
    d_->surface->setEmptyText(empty ? d_->emptyText : QString());
    describe();
    if (empty) Q_EMIT newestValueChanged();  // else with the picture: one painting for both
    d_->postRequest();
}

}  // namespace lockstep::ui
