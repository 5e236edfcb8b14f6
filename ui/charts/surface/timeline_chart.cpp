// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/timeline_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/paint/ticks.h"
#include "ui/charts/surface/heartbeat_geometry.h"
#include "ui/charts/surface/lane_geometry.h"
#include "ui/charts/surface/timeline_geometry.h"
#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {

constexpr std::size_t kUsualSteps = 30;

}  // namespace

TimelineChart::TimelineChart(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleRole(*this, QAccessible::Chart);
    setAccessibleName(tr("Steps"));
    measureNames();
}

void TimelineChart::setLanes(const QVector<Name>& names) {
    std::vector<Lane> former = std::exchange(lanes_, {});
    for (const Name& name : names) {
        const auto same = std::find_if(former.begin(), former.end(), [&name](const Lane& lane) {
            return lane.name.full == name.full;
        });
        if (same != former.end())
            lanes_.push_back(std::move(*same));
        else
            lanes_.push_back({name, {}, {}});
    }
    if (names.isEmpty()) {
        starts_.clear();
        checkpoints_.clear();
        hosts_.clear();
        hostIndex_.clear();
        loadLanes_.clear();
        forgotten_.reset();
        chosenSpan_.reset();
        setFollow(true);  // another run's steps lie elsewhere
    }
    findNewestStep();
    measureNames();
    updateGeometry();
    update();
}

void TimelineChart::setEmptyWords(const QString& words) {
    if (std::exchange(emptyWords_, words) != words) update();
}

std::size_t TimelineChart::stepsPerLane() const {
    return std::clamp(kMostSteps / std::max<std::size_t>(1, lanes_.size()), kUsualSteps,
                      kMostStepsPerLane);
}

void TimelineChart::addSteps(int lane, std::span<const StepLane::Step> steps) {
    if (lane < 0 || lane >= laneCount() || steps.empty()) return;
    StepLane& mine = lanes_[std::size_t(lane)].steps;
    const qint64 former = mine.end();
    for (const StepLane::Step& step : steps)
        mine.add(step);
    const std::size_t most = stepsPerLane();
    if (mine.size() > most) {
        const qint64 gone = mine.at(mine.size() - most - 1).end;
        forgotten_ = std::max(forgotten_.value_or(0), gone);
        mine.keep(most);
    }
    if (lane == 0) matchUsualSpan(mine);
    newestStep_ = std::max(newestStep_, mine.end());
    if (mine.end() < former) {  // its clock was set back
        if (forgotten_) forgotten_ = std::min(*forgotten_, mine.begin());
        findNewestStep();
    }
    update();
}

void TimelineChart::findNewestStep() {
    newestStep_ = 0;
    for (const Lane& lane : lanes_)
        newestStep_ = std::max(newestStep_, lane.steps.end());
}

/// A round time in which some steps lie; another one only where they take much longer, or shorter,
/// than they did.
void TimelineChart::matchUsualSpan(const StepLane& steps) {
    const std::size_t count = std::min(kUsualSteps, steps.size());
    qint64 taken = 0;
    for (std::size_t i = steps.size() - count; i < steps.size(); ++i)
        taken += steps.at(i).end - steps.at(i).begin;
    const double wanted = double(taken) / double(count) * double(kUsualSteps);
    const bool fits = wanted < 2 * double(usualSpan_) && wanted > double(usualSpan_) / 4;
    if (fits || taken <= 0) return;
    usualSpan_ = std::max(kLeastSpan, std::llround(roundInterval(wanted, 1)));
}

void TimelineChart::setLosses(int lane, std::vector<Mark> losses) {
    if (lane < 0 || lane >= laneCount()) return;
    std::vector<Mark>& mine = lanes_[std::size_t(lane)].losses;
    if (std::exchange(mine, std::move(losses)) != mine) update();
}

void TimelineChart::setStarts(std::vector<qint64> times) {
    if (std::exchange(starts_, std::move(times)) != starts_) update();
}

void TimelineChart::setCheckpoints(std::vector<Write> writes) {
    if (writes == checkpoints_) return;
    const bool hadAny = !checkpoints_.empty();
    checkpoints_ = std::move(writes);
    if (hadAny == checkpoints_.empty()) updateGeometry();
    update();
}

void TimelineChart::setFollow(bool follow) {
    if (follow == follow_) return;
    right_ = right();
    follow_ = follow;
    update();
    Q_EMIT followChanged(follow);
}

void TimelineChart::setRoomy(bool roomy) {
    if (std::exchange(isRoomy_, roomy) != roomy) update();
}

bool TimelineChart::isEmpty() const {
    return std::ranges::all_of(lanes_, [](const Lane& lane) { return lane.steps.isEmpty(); });
}

QString TimelineChart::olderWords() const {
    if (!forgotten_ || shownFrom() > *forgotten_) return {};
    return tr("Older ones: drag the slider below");
}

/// The end of what is known: losses and checkpoints may lie behind the newest step.
qint64 TimelineChart::newest() const {
    qint64 newest = newestStep_;
    for (const Lane& lane : lanes_)
        if (!lane.losses.empty()) newest = std::max(newest, lane.losses.back().time);
    for (const Host& host : hosts_)
        for (const LoadCurve& curve : host.curves)
            newest = std::max(newest, curve.end());
    return checkpoints_.empty() ? newest : std::max(newest, checkpoints_.back().end);
}

qint64 TimelineChart::earliest() const {
    qint64 earliest = newestStep_;
    for (const Lane& lane : lanes_)
        if (!lane.steps.isEmpty()) earliest = std::min(earliest, lane.steps.begin());
    return earliest;
}

/// A little more than there is, so that the first step does not stick to the edge.
qint64 TimelineChart::longestSpan() const {
    return std::max(kLeastSpan, std::llround(1.03 * double(newest() - earliest())));
}

/// A right edge with which there is something to see.
qint64 TimelineChart::within(qint64 right) const {
    const qint64 most = newest();
    return std::clamp(right, std::min(earliest() + span(), most), most);
}

bool TimelineChart::isDense() const {
    return laneCount() > kMostLegible;
}

int TimelineChart::rows() const {
    const int rows = laneCount() + (checkpoints_.empty() ? 0 : 1);
    return std::max(isEmpty() ? 2 : 1, rows);
}

// Measuring text costs more than painting spans.
void TimelineChart::measureNames() {
    widestName_ = kLeastNameWidth;
    const QFontMetricsF metrics(isDense() ? smallFont() : font());
    const auto fit = [this, &metrics](const QString& name) {
        widestName_ = std::max(widestName_, int(std::ceil(metrics.horizontalAdvance(name))) + 1);
    };
    fit(tr("checkpoints"));
    for (const Lane& lane : lanes_)
        fit(isDense() ? lane.name.brief : lane.name.full);
    for (const LoadLane& lane : loadLanes_)
        fit(nameOf(lane));
}

int TimelineChart::nameWidth() const {
    return std::min(widestName_, width() / 4) + kNameGap;
}

QRectF TimelineChart::track(int row) const {
    const int loads = loadLaneCount() * loadHeight();
    const double each = std::min<double>(isRoomy_ ? kRoomyLane : kLane,
                                         double(height() - kAxis - kStepRow - loads) / rows());
    return {double(nameWidth()), kStepRow + row * each, double(width() - nameWidth() - kRight),
            each};
}

qint64 TimelineChart::timeAt(qreal x) const {
    const QRectF area = track(0);
    return right() - std::llround((area.right() - x) / area.width() * double(span()));
}

qreal TimelineChart::xAt(qint64 time) const {
    const QRectF area = track(0);
    return area.right() - double(right() - time) / double(span()) * area.width();
}

QSize TimelineChart::sizeHint() const {
    const int lanes = rows();
    return {480, kStepRow + kAxis + loadLaneCount() * kLoadLane +
                     lanes * (lanes <= kMostAiry ? kLane : leastLane(lanes))};
}

QSize TimelineChart::minimumSizeHint() const {
    return {240, kStepRow + kAxis + loadLaneCount() * kLoadLane + rows() * leastLane(rows())};
}

}  // namespace lockstep::ui
