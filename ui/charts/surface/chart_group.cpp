// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/chart_group.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/paint/series_renderer.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {
constexpr double kAir = 0.012;  // so that the dot of the newest value is not cut in half
constexpr double kLonelyPointAir = 5;
constexpr double kLeastAir = 0.004;  // with less left, the range that is followed leaps
constexpr double kQuiet = 0.45;      // of the ink of words
constexpr double kLeap = 0.04;       // so far ahead: each leap draws everything anew
}  // namespace

QColor colourOf(const SeriesInfo& info, int series, const Theme& theme) {
    if (info.colour.isValid()) return info.colour;
    if (info.mean) return theme.text;
    if (info.exact && info.colourIndex < 0) return theme.validation;
    if (info.quiet) return mixed(theme.surface, theme.textSecondary, kQuiet);
    return theme.seriesColour(info.colourIndex >= 0 ? info.colourIndex : series);
}

ChartGroup::ChartGroup(QObject* parent)
    : QObject(parent), renderer_(std::make_unique<SeriesRenderer>()) {}

ChartGroup::~ChartGroup() = default;

void ChartGroup::setSeries(QVector<SeriesInfo> series) {
    series_ = std::move(series);
    visible_.assign(std::size_t(series_.size()), true);
    times_.assign(std::size_t(series_.size()), TimeColumn());
    marks_.clear();
    firstWallTime_ = lastWallTime_ = 0;
    firstStep_ = 0;
    lastStep_ = -1;
    followSteps();
    followedTimes_ = {0, 1};
    crosshair_.reset();
    Q_EMIT seriesReset();
    setFollow(true);
    Q_EMIT appearanceChanged();
}

void ChartGroup::addSeries(const QVector<SeriesInfo>& more) {
    series_ += more;
    visible_.resize(std::size_t(series_.size()), true);
    times_.resize(std::size_t(series_.size()));
    Q_EMIT seriesAdded();
    Q_EMIT appearanceChanged();
}

void ChartGroup::setMarks(QVector<AxisMark> marks) {
    if (marks == marks_) return;
    marks_ = std::move(marks);
    Q_EMIT marksChanged();
}

void ChartGroup::setOutstanding(const std::optional<QVector<int>>& series) {
    bool isOther = false;
    for (int i = 0; i < series_.size(); ++i) {
        SeriesInfo& info = series_[i];
        const bool quiet = series && !info.mean && !info.exact && !series->contains(i);
        isOther = isOther || quiet != info.quiet;
        info.quiet = quiet;
    }
    if (!isOther) return;
    Q_EMIT outstandingChanged();
    Q_EMIT appearanceChanged();
}

void ChartGroup::setVisible(int series, bool visible) {
    if (series < 0 || series >= series_.size() || isVisible(series) == visible) return;
    visible_[std::size_t(series)] = visible;
    Q_EMIT visibilityChanged(series, visible);
    Q_EMIT appearanceChanged();
}

bool ChartGroup::isVisible(int series) const {
    return series >= 0 && series < series_.size() && visible_[std::size_t(series)];
}

void ChartGroup::appendTimes(int series, qint64 firstStep, std::span<const double> wallTimes) {
    if (series < 0 || series >= series_.size() || wallTimes.empty()) return;
    times_[std::size_t(series)].append(firstStep, wallTimes);
    noteTimes(wallTimes);
}

/// That they came, to a series' times.
void ChartGroup::noteTimes(std::span<const double> wallTimes) {
    if (!std::isfinite(wallTimes.front()) || !std::isfinite(wallTimes.back())) return;
    firstWallTime_ =
        firstWallTime_ > 0 ? std::min(firstWallTime_, wallTimes.front()) : wallTimes.front();
    lastWallTime_ = std::max(lastWallTime_, wallTimes.back());
    followTimes();
    if (axis_ == XAxis::Time) Q_EMIT grown();
}

void ChartGroup::addTimes(int series, std::span<const qint64> steps,
                          std::span<const double> wallTimes) {
    if (series < 0 || series >= series_.size()) return;
    TimeColumn& times = times_[std::size_t(series)];
    std::vector<double> added;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const TimeView& known = times.current();
        if (!std::isfinite(wallTimes[i]) || (known.size() > 0 && known.lastStep() >= steps[i]))
            continue;
        times.append(steps[i], wallTimes.subspan(i, 1));
        added.push_back(wallTimes[i]);
    }
    if (!added.empty()) noteTimes(added);
}

const TimeColumn& ChartGroup::timesOf(int series) const {
    static const TimeColumn kNone;
    if (series < 0 || series >= series_.size()) return kNone;  // there is none yet
    const int other = series_[series].timesOf;
    const int index = other >= 0 && other < series_.size() ? other : series;
    return times_[std::size_t(index)];
}

void ChartGroup::setXAxis(XAxis axis) {
    if (axis == axis_) return;
    axis_ = axis;
    crosshair_.reset();
    setFollow(true);  // the shown steps have no counterpart worth keeping
    Q_EMIT appearanceChanged();
}

void ChartGroup::setSmoothing(double weight) {
    weight = std::clamp(weight, 0.0, 0.999);
    if (weight == smoothing_) return;
    smoothing_ = weight;
    Q_EMIT appearanceChanged();
}

void ChartGroup::setFollow(bool follow) {
    if (follow == follow_) return;
    if (!follow) range_ = xRange();
    follow_ = follow;
    Q_EMIT followChanged(follow);
    Q_EMIT appearanceChanged();
}

void ChartGroup::setXRange(AxisRange range) {
    const double least = axis_ == XAxis::Step ? 2 : 0.01;
    if (!(range.last - range.first >= least)) {
        const double middle = (range.first + range.last) / 2;
        range = {middle - least / 2, middle + least / 2};
    }
    setFollow(false);
    if (range == range_) return;
    range_ = range;
    Q_EMIT appearanceChanged();
}

AxisRange ChartGroup::xRange() const {
    if (!follow_) return range_;
    if (newest_ > 0 && lastStep_ - firstStep_ > newest_) return newestRange();
    return axis_ == XAxis::Step ? followedSteps_ : followedTimes_;
}

void ChartGroup::setNewest(qint64 steps) {
    if (steps == newest_) return;
    newest_ = steps;
    Q_EMIT newestChanged(steps);
    Q_EMIT appearanceChanged();
}

void ChartGroup::showAll() {
    setNewest(0);
    setFollow(true);
}

/// It goes on by leaps, as what shows everything does.
AxisRange ChartGroup::newestRange() const {
    const double leap = std::max(1.0, double(newest_) * kLeap);
    const double last = std::ceil((double(lastStep_) + double(newest_) * kLeastAir) / leap) * leap;
    const AxisRange steps{last - double(newest_) - leap, last};
    if (axis_ == XAxis::Step) return steps;
    const TimeView& times = timesOf(0).current();
    if (times.size() == 0) return followedTimes_;
    const double newest = lastWallTime_ - firstWallTime_;
    const double first = times.atStep(qint64(steps.first)) - firstWallTime_;
    return {std::min(first, newest - 0.01), newest + (newest - first) * kAir};
}

AxisRange ChartGroup::withinExtent(AxisRange range) const {
    const AxisRange whole = axis_ == XAxis::Step ? followedSteps_ : followedTimes_;
    const double span = range.last - range.first;
    if (span >= whole.last - whole.first) return whole;
    if (range.first < whole.first) return {whole.first, whole.first + span};
    if (range.last > whole.last) return {whole.last - span, whole.last};
    return range;
}

void ChartGroup::followSteps() {
    if (lastStep_ < firstStep_) {
        followedSteps_ = {0, 100};
        return;
    }
    const double extent = double(lastStep_ - firstStep_);
    const double room = followedSteps_.last - double(lastStep_);
    // The range grows by leaps: in between a chart draws only what came.
    if (room >= extent * kLeastAir && room <= extent * kLeap && !followsAnew_) return;
    const double ahead = extent * (followsAnew_ ? kAir : kLeap);
    followsAnew_ = false;
    // A curve of one point still has a place, and one that begins near 0 begins at 0.
    const double before = extent > 0 ? extent * kAir : kLonelyPointAir;
    const double first = firstStep_ <= 1 ? 0 : std::max(0.0, double(firstStep_) - before);
    followedSteps_ = {first, std::max(first + 10, double(lastStep_) + ahead)};
}

void ChartGroup::followTimes() {
    const double extent = lastWallTime_ - firstWallTime_;
    const double room = followedTimes_.last - extent;
    if (room >= extent * kLeastAir && room <= extent * kLeap) return;
    const bool isFirst = followedTimes_.last <= 1;
    followedTimes_ = {0, std::max(1.0, extent * (1 + (isFirst ? kAir : kLeap)))};
}

void ChartGroup::noteExtent(qint64 firstStep, qint64 lastStep) {
    const bool isFirst = lastStep_ < firstStep_;
    followsAnew_ = isFirst || firstStep < firstStep_;
    firstStep_ = isFirst ? firstStep : std::min(firstStep_, firstStep);
    lastStep_ = isFirst ? lastStep : std::max(lastStep_, lastStep);
    followSteps();
    if (follow_) Q_EMIT grown();
}

void ChartGroup::setCrosshair(std::optional<double> x) {
    if (x == crosshair_) return;
    crosshair_ = x;
    Q_EMIT crosshairChanged();
}

}  // namespace lockstep::ui
