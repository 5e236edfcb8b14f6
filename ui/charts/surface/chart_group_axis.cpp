// SPDX-License-Identifier: GPL-3.0-or-later
// The x axis that the charts of a group share: what it counts, and which part of it is shown.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/paint/series_renderer.h"
#include "ui/charts/surface/chart_group.h"

namespace lockstep::ui {

namespace {

constexpr double kLeastSteps = 2;  // of a range that is shown
constexpr double kLeastSeconds = 0.01;
constexpr double kLeastEpochs = 1e-3;  // where an epoch's steps are not known
constexpr double kLeastDecades = 0.1;  // of what is followed

}  // namespace

int ChartGroup::clockOf(int series) const {
    if (series < 0 || series >= series_.size()) return -1;  // there is none yet
    const int other = series_[series].timesOf;
    return other >= 0 && other < series_.size() ? other : series;
}

void ChartGroup::appendTimes(int series, qint64 firstStep, std::span<const double> wallTimes) {
    if (series < 0 || series >= series_.size() || wallTimes.empty()) return;
    TimeColumn& times = clocks_[std::size_t(series)].times;
    const bool rewinds = times.current().size() > 0 && firstStep <= times.current().lastStep();
    times.append(firstStep, wallTimes);
    if (rewinds) measureRunning();
    noteTimes(series, wallTimes);
}

/// What a lost attempt did is no longer so once a later start has done it again, whatever comes
/// last: figures of one step may come in several pieces.
bool ChartGroup::isNewsOf(const Clock& clock, qint64 step, double wallTime) const {
    if (!std::isfinite(wallTime)) return false;
    const TimeView& known = clock.times.current();
    const auto trains =
        std::ranges::find_if(clock.starts.rbegin(), clock.starts.rend(),
                             [step](const RunStart& start) { return start.firstStep <= step; });
    const double began = trains == clock.starts.rend() ? 0 : trains->wallTime;
    if (wallTime < began) return false;
    return known.size() == 0 || known.lastStep() < step || known.atOrBehind(step) < began;
}

void ChartGroup::addTimes(int series, std::span<const qint64> steps,
                          std::span<const double> wallTimes) {
    if (series < 0 || series >= series_.size()) return;
    TimeColumn& times = clocks_[std::size_t(series)].times;
    const qint64 last = times.current().size() > 0 ? times.current().lastStep() : -1;
    std::vector<double> added;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!isNewsOf(clocks_[std::size_t(series)], steps[i], wallTimes[i])) continue;
        times.append(steps[i], wallTimes.subspan(i, 1));
        added.push_back(wallTimes[i]);
    }
    if (added.empty()) return;
    if (steps.front() <= last) measureRunning();
    noteTimes(series, added);
}

/// That they came, to a series' times.
void ChartGroup::noteTimes(int series, std::span<const double> wallTimes) {
    if (!std::isfinite(wallTimes.front()) || !std::isfinite(wallTimes.back())) return;
    firstWallTime_ =
        firstWallTime_ > 0 ? std::min(firstWallTime_, wallTimes.front()) : wallTimes.front();
    lastWallTime_ = std::max(lastWallTime_, wallTimes.back());
    if (sharePauses(series)) measureRunning();
    lastRunning_ = std::max(lastRunning_, runningTimeOf(series));
    followTimes();
    if (axis_ == XAxis::Relative || axis_ == XAxis::Wall) Q_EMIT grown();
}

void ChartGroup::setStarts(int series, std::vector<RunStart> starts) {
    if (series < 0 || series >= series_.size()) return;
    // Told with every view, for every replica: it nearly never is news.
    std::vector<RunStart>& known = clocks_[std::size_t(series)].starts;
    if (known == starts) return;
    known = std::move(starts);
    sharePauses(series);
    measureRunning();
    followTimes();
    if (axis_ == XAxis::Relative) Q_EMIT appearanceChanged();
}

/// Behind news of a series: whether the run's pauses are others than before. The first one with
/// times measures them for all; what comes to another one changes nobody else's, of many replicas.
bool ChartGroup::sharePauses(int series) {
    const auto measure = [](Clock& clock) {
        std::vector<qint64> steps;
        for (const RunStart& start : clock.starts)
            steps.push_back(start.firstStep);
        const std::vector<RunPause> before = clock.times.pauses();
        clock.times.setStarts(std::move(steps));
        return clock.times.pauses() != before;
    };
    Clock& told = clocks_[std::size_t(series)];
    if (ownOrigins_) return measure(told);
    const auto leader = std::ranges::find_if(
        clocks_, [](const Clock& clock) { return clock.times.current().size() > 0; });
    if (leader == clocks_.end()) return false;
    const auto share = [&](Clock& clock) {
        const bool isNews = clock.times.pauses() != leader->times.pauses();
        clock.times.setPauses(leader->times.pauses());
        return isNews;
    };
    if (&told != &*leader) return share(told);
    measure(*leader);
    bool isNews = false;
    for (Clock& clock : clocks_)
        if (&clock != &*leader) isNews = share(clock) || isNews;
    return isNews;
}

/// How long a series has run.
double ChartGroup::runningTimeOf(int series) const {
    const TimeView& times = clocks_[std::size_t(series)].times.current();
    if (times.size() == 0) return 0;
    return times.at(times.size() - 1, TimeView::Clock::Running) - runningOriginOf(series);
}

void ChartGroup::measureRunning() {
    lastRunning_ = 0;
    for (int i = 0; i < series_.size(); ++i)
        lastRunning_ = std::max(lastRunning_, runningTimeOf(i));
}

void ChartGroup::setOwnOrigins(bool own) {
    ownOrigins_ = own;
}

double ChartGroup::runningOriginOf(int series) const {
    const TimeView& times = clocks_[std::size_t(series)].times.current();
    return ownOrigins_ && times.size() > 0 ? times.at(0) : firstWallTime_;
}

void ChartGroup::followTimes() {
    followed_[std::size_t(XAxis::Relative)].show(0, lastRunning_);
    followed_[std::size_t(XAxis::Wall)].show(0, lastWallTime_ - firstWallTime_);
}

void ChartGroup::setStepsPerEpoch(int series, double steps) {
    const int index = clockOf(series);
    if (index < 0 || clocks_[std::size_t(index)].stepsPerEpoch == steps) return;
    const bool knew = knowsEpochs();
    clocks_[std::size_t(index)].stepsPerEpoch = steps;
    followEpochs();
    if (axis_ != XAxis::Epoch) {
        if (knew != knowsEpochs()) Q_EMIT epochsChanged();
        return;
    }
    if (knew != knowsEpochs()) {
        crosshair_.reset();
        setFollow(true);
        Q_EMIT epochsChanged();
    }
    Q_EMIT appearanceChanged();
}

bool ChartGroup::knowsEpochs() const {
    return std::ranges::any_of(clocks_, [](const Clock& clock) { return clock.stepsPerEpoch > 0; });
}

void ChartGroup::followEpochs() {
    epochs_ = {};
    for (const Clock& clock : clocks_)
        growEpochs(clock);
}

void ChartGroup::growEpochs(const Clock& clock) {
    if (!(clock.stepsPerEpoch > 0) || clock.lastStep < clock.firstStep) return;
    const double first = double(clock.firstStep) / clock.stepsPerEpoch;
    const double last = double(clock.lastStep) / clock.stepsPerEpoch;
    epochs_ = epochs_ ? AxisRange{std::min(epochs_->first, first), std::max(epochs_->last, last)}
                      : AxisRange{first, last};
    followed_[std::size_t(XAxis::Epoch)].show(epochs_->first, epochs_->last);
}

void ChartGroup::noteExtent(int series, qint64 firstStep, qint64 lastStep) {
    const auto take = [&](qint64& first, qint64& last) {
        const bool isFirst = last < first;
        first = isFirst ? firstStep : std::min(first, firstStep);
        last = isFirst ? lastStep : std::max(last, lastStep);
    };
    take(firstStep_, lastStep_);
    Clock& clock = clocks_[std::size_t(clockOf(series))];
    take(clock.firstStep, clock.lastStep);
    followed_[std::size_t(XAxis::Step)].show(double(firstStep_), double(lastStep_));
    growEpochs(clock);  // an extent only grows
    if (follow_) Q_EMIT grown();
}

void ChartGroup::setXAxis(XAxis axis, bool logarithmic) {
    if (axis == axis_ && logarithmic == logX_) return;
    axis_ = axis;
    logX_ = logarithmic;
    crosshair_.reset();
    setFollow(true);  // the shown steps have no counterpart worth keeping
    Q_EMIT appearanceChanged();
}

XAxis ChartGroup::xAxis() const {
    return axis_ == XAxis::Epoch && !knowsEpochs() ? XAxis::Step : axis_;
}

bool ChartGroup::isLogX() const {
    return logX_ && axis_ != XAxis::Wall;
}

XScale ChartGroup::scaleOf(int series) const {
    XScale scale;
    scale.axis = xAxis();
    scale.logarithmic = isLogX();
    const int index = clockOf(series);
    if (index < 0) return scale;
    const Clock& clock = clocks_[std::size_t(index)];
    scale.stepsPerEpoch = clock.stepsPerEpoch;
    scale.times = clock.times.view();
    scale.runningOrigin = runningOriginOf(index);
    scale.wallOrigin = firstWallTime_;
    return scale;
}

bool ChartGroup::showMoment(double wallTime) {
    const auto known = std::ranges::find_if(
        clocks_, [](const Clock& clock) { return clock.times.current().size() > 0; });
    if (known == clocks_.end()) return false;
    const XScale scale = scaleOf(int(known - clocks_.begin()));
    const TimeView& times = known->times.current();
    const qint64 step = std::clamp(qint64(times.stepAtTime(wallTime, TimeView::Clock::Wall)),
                                   known->firstStep, known->lastStep);
    const double place = scale.at(step);
    const AxisRange shown = xRange();
    if (place < shown.first || place > shown.last) {
        const double half = (shown.last - shown.first) / 2;
        setXRange(withinExtent({place - half, place + half}));
    }
    setCrosshair(place);
    return true;
}

double ChartGroup::wallTimeOf(qint64 step) const {
    for (const Clock& clock : clocks_)
        if (clock.times.current().size() > 0) return clock.times.current().atStep(step);
    return 0;
}

/// The least place that a log scale shows: that of the first step, or how long one takes.
double ChartGroup::leastPlace() const {
    if (xAxis() == XAxis::Step) return std::max(1.0, double(firstStep_));
    double least = std::numeric_limits<double>::infinity();
    for (const Clock& clock : clocks_) {
        const TimeView& times = clock.times.current();
        double place = 0;
        if (xAxis() == XAxis::Epoch && clock.stepsPerEpoch > 0)
            place = std::max(1.0, double(clock.firstStep)) / clock.stepsPerEpoch;
        if (xAxis() == XAxis::Relative && times.size() > 1) place = times.at(1) - times.at(0);
        if (place > 0) least = std::min(least, place);
    }
    return std::isfinite(least) ? least : kLeastSeconds;
}

AxisRange ChartGroup::drawn(AxisRange units) const {
    if (!isLogX()) return units;
    const double first = std::log10(std::max(units.first, leastPlace()));
    return {first, std::max(first + kLeastDecades, XScale::drawn(units.last, true))};
}

AxisRange ChartGroup::followed() const {
    return drawn(followed_[std::size_t(xAxis())].range());
}

/// How much of the axis from `first` on is shown at least.
double ChartGroup::leastSpan(double first) const {
    double least = kLeastSeconds;
    if (xAxis() == XAxis::Step) least = kLeastSteps;
    if (xAxis() == XAxis::Epoch) {
        const double steps = clocks_.empty() ? 0 : clocks_.front().stepsPerEpoch;
        least = steps > 0 ? kLeastSteps / steps : kLeastEpochs;
    }
    if (!isLogX()) return least;
    return std::log1p(least / XScale::units(first, true)) / std::log(10.0);
}

void ChartGroup::setXRange(AxisRange range) {
    const double least = leastSpan(range.first);
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
    return newest_ > 0 && lastStep_ - firstStep_ > newest_ ? newestRange() : followed();
}

/// It goes on by leaps, as what shows everything does.
AxisRange ChartGroup::newestRange() const {
    const double leap = std::max(1.0, double(newest_) * FollowedRange::kLeap);
    const double air = double(newest_) * FollowedRange::kLeastAir;
    const double last = std::ceil((double(lastStep_) + air) / leap) * leap;
    const AxisRange steps{last - double(newest_) - leap, last};
    const XScale scale = scaleOf(0);
    if (!scale.isKnown()) return followed();
    if (scale.axis == XAxis::Step) return drawn(steps);
    if (scale.axis == XAxis::Epoch)
        return drawn({steps.first / scale.stepsPerEpoch, steps.last / scale.stepsPerEpoch});
    const double newest =
        scale.axis == XAxis::Relative ? lastRunning_ : lastWallTime_ - firstWallTime_;
    const double first = std::min(scale.unitsAt(qint64(steps.first)), newest - kLeastSeconds);
    return drawn({first, newest + (newest - first) * FollowedRange::kAir});
}

AxisRange ChartGroup::withinExtent(AxisRange range) const {
    const AxisRange whole = followed();
    const double span = range.last - range.first;
    if (span >= whole.last - whole.first) return whole;
    if (range.first < whole.first) return {whole.first, whole.first + span};
    if (range.last > whole.last) return {whole.last - span, whole.last};
    return range;
}

}  // namespace lockstep::ui
