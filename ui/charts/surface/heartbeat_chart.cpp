// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/heartbeat_chart.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/surface/heartbeat_geometry.h"
#include "ui/charts/surface/lane_geometry.h"
#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/style/window_beat.h"

namespace lockstep::ui {

namespace {

constexpr int kDenseTop = 5;
constexpr double kGapIntervals = 3;
constexpr double kLiveSpan = 60;

}  // namespace

HeartbeatChart::HeartbeatChart(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleRole(*this, QAccessible::Chart);
    setAccessibleName(tr("Heartbeats"));
    clock_.setSingleShot(true);
    clock_.setTimerType(Qt::PreciseTimer);
    connect(&clock_, &QTimer::timeout, this, [this] {
        if (isMoving() && isVisible()) update();  // a hidden chart costs nothing
        clock_.start(WindowBeat::shared().untilNext());
    });
    clock_.start(WindowBeat::shared().untilNext());
}

/// The clock draws it anew: a finished run stands still, and so does what is looked at.
bool HeartbeatChart::isMoving() const {
    return follow_ && !now_ && !moment_;
}

void HeartbeatChart::setLanes(const QVector<Name>& names) {
    std::vector<Lane> former = std::exchange(lanes_, {});
    for (const Name& name : names) {
        const auto same = std::find_if(former.begin(), former.end(), [&name](const Lane& lane) {
            return lane.name.full == name.full;
        });
        if (same != former.end())
            lanes_.push_back(std::move(*same));
        else
            lanes_.push_back({name, {}, {}, false});
    }
    if (names.isEmpty()) {
        starts_.clear();
        forgotten_.reset();
        phasesSeen_ = 0;
        Q_EMIT phasesSeenChanged();
        span_.reset();
        setFollow(true);  // else another run's present would lie beyond the right edge
    }
    measureNames();
    wasEmpty_ = isEmpty();
    updateGeometry();
    update();
}

bool HeartbeatChart::isEmpty() const {
    return lanes_.empty() || (now_ && std::ranges::all_of(lanes_, [](const Lane& lane) {
                                  return lane.beats.empty() && lane.losses.empty();
                              }));
}

/// Lanes without a beat say nothing, however many there are.
void HeartbeatChart::matchEmptiness() {
    update();
    const bool was = std::exchange(wasEmpty_, isEmpty());
    if (was != wasEmpty_) updateGeometry();
}

QString HeartbeatChart::emptyWords() const {
    if (!isEmpty()) return {};
    return lanes_.empty() ? tr("No process yet")
                          : tr("The run had ended before the first heartbeat");
}

QString HeartbeatChart::olderWords() const {
    const double left = right() - spanSeconds();
    if (!forgotten_ || left > *forgotten_ + 2 * kBeatInterval) return {};
    return tr("Older ones: drag the slider below");
}

void HeartbeatChart::setPhaseNames(const QStringList& names) {
    phaseNames_ = names;
}

void HeartbeatChart::addBeat(int lane, double wallTime, int phase) {
    if (lane < 0 || lane >= int(lanes_.size()) || !std::isfinite(wallTime)) return;
    std::deque<Beat>& beats = lanes_[std::size_t(lane)].beats;
    if (!beats.empty()) wallTime = std::max(wallTime, beats.back().time);
    if (beats.size() == kBeatsPerLane) {
        forgotten_ = std::max(forgotten_.value_or(0), beats.front().time);
        beats.pop_front();
    }
    beats.push_back({wallTime, phase});
    if (wasEmpty_) matchEmptiness();
    const quint32 bit = phase >= 0 && phase < 32 ? 1U << phase : 0;
    if ((phasesSeen_ | bit) != phasesSeen_) {
        phasesSeen_ |= bit;
        Q_EMIT phasesSeenChanged();
    }
    if (!isMoving()) update();
}

void HeartbeatChart::setEnded(int lane, bool ended) {
    if (lane < 0 || lane >= int(lanes_.size())) return;
    if (std::exchange(lanes_[std::size_t(lane)].ended, ended) != ended) update();
}

void HeartbeatChart::setStarts(std::vector<double> wallTimes) {
    if (std::exchange(starts_, std::move(wallTimes)) != starts_) update();
}

void HeartbeatChart::setLosses(int lane, std::vector<Loss> losses) {
    if (lane < 0 || lane >= int(lanes_.size())) return;
    std::vector<Loss>& mine = lanes_[std::size_t(lane)].losses;
    if (std::exchange(mine, std::move(losses)) != mine) matchEmptiness();
}

void HeartbeatChart::setNow(std::optional<double> wallTime) {
    if (now_ == wallTime) return;
    now_ = wallTime;
    matchEmptiness();
}

void HeartbeatChart::setMoment(std::optional<double> wallTime) {
    if (std::exchange(moment_, wallTime) != wallTime) update();
}

void HeartbeatChart::setRoomy(bool roomy) {
    if (std::exchange(isRoomy_, roomy) != roomy) update();
}

void HeartbeatChart::setFollow(bool follow) {
    if (follow == follow_) return;
    right_ = right();
    follow_ = follow;
    update();
    Q_EMIT followChanged(follow);
}

bool HeartbeatChart::startsWithin(double from, double to) const {
    const auto start = std::upper_bound(starts_.begin(), starts_.end(), from);
    return start != starts_.end() && *start <= to;
}

/// What no heartbeat was to be expected in is no gap: a pause of the run, and what follows a loss.
std::vector<HeartbeatChart::Gap> HeartbeatChart::gaps(int lane) const {
    std::vector<Gap> found;
    const Lane& wanted = lanes_.at(std::size_t(lane));
    const double limit = kGapIntervals * kBeatInterval;
    const auto lostAfter = [&wanted](double time) -> std::optional<double> {
        for (const Loss& loss : wanted.losses)
            if (loss.wallTime >= time) return loss.wallTime;
        return std::nullopt;
    };
    const auto note = [&](double from, double to, bool lasting) {
        if (const auto lost = lostAfter(from); lost && *lost < to) {
            if (*lost - from > limit) found.push_back({from, *lost, true});
        } else if (!startsWithin(from, to)) {
            found.push_back({from, to, lasting});
        }
    };
    for (std::size_t i = 1; i < wanted.beats.size(); ++i) {
        const double from = wanted.beats[i - 1].time;
        const double to = wanted.beats[i].time;
        if (to - from > limit) note(from, to, false);
    }
    if (!wanted.ended && !wanted.beats.empty() && now() - wanted.beats.back().time > limit)
        note(wanted.beats.back().time, now(), true);
    return found;
}

double HeartbeatChart::spanSeconds() const {
    if (span_) return *span_;
    if (!now_) return kLiveSpan;
    double earliest = *now_;
    for (const Lane& lane : lanes_) {
        if (!lane.beats.empty()) earliest = std::min(earliest, lane.beats.front().time);
    }
    // A little more, so that the first beat does not stick to the edge.
    return std::clamp((*now_ - earliest) * 1.03, kLeastSpan, kLargestSpan);
}

double HeartbeatChart::now() const {
    if (now_) return *now_;
    return moment_.value_or(double(QDateTime::currentMSecsSinceEpoch()) / 1000);
}

double HeartbeatChart::right() const {
    return follow_ ? now() : right_;
}

// Measuring text costs more than painting a beat, and every beat asks for the width.
void HeartbeatChart::measureNames() {
    widestName_ = kLeastNameWidth;
    const bool dense = isDense();
    // Whole pixels rounded down would elide a name for the fraction that is missing.
    const QFontMetricsF metrics(dense ? smallFont() : font());
    for (const Lane& lane : lanes_) {
        const QString& name = dense ? lane.name.brief : lane.name.full;
        widestName_ = std::max(widestName_, int(std::ceil(metrics.horizontalAdvance(name))) + 1);
    }
}

bool HeartbeatChart::isDense() const {
    return int(lanes_.size()) > kMostLegible;
}

QVector<HeartbeatChart::Label> HeartbeatChart::labels() const {
    QVector<Label> result;
    const bool dense = isDense();
    const QFontMetrics metrics(dense ? smallFont() : font());
    const double height = lanes_.empty() ? kLane : track(0).height();
    const int each = dense ? std::max(1, int(std::ceil(metrics.height() / height))) : 1;
    for (int lane = 0; lane < int(lanes_.size()); lane += each) {
        const Name& name = lanes_[std::size_t(lane)].name;
        const QRectF area = track(lane);
        const double middle = area.center().y();
        const double tall = dense ? metrics.height() : area.height();
        result.push_back({QRectF(0, middle - tall / 2, area.left() - kNameGap, tall),
                          metrics.elidedText(dense ? name.brief : name.full, Qt::ElideRight,
                                             nameWidth() - kNameGap)});
    }
    return result;
}

int HeartbeatChart::nameWidth() const {
    return std::min(widestName_, width() / 4) + kNameGap;
}

QRectF HeartbeatChart::track(int lane) const {
    const int top = topMargin();
    const double each = std::min<double>(
        isRoomy_ ? kRoomyLane : kLane,
        (height() - kAxis - top) / double(std::max<std::size_t>(1, lanes_.size())));
    return {double(nameWidth()), top + lane * each, double(width() - nameWidth() - kRight), each};
}

/// The first name is higher than a low lane.
int HeartbeatChart::topMargin() const {
    return isDense() ? kDenseTop : 0;
}

double HeartbeatChart::timeAt(qreal x) const {
    const QRectF area = track(0);
    return right() - (area.right() - x) / area.width() * spanSeconds();
}

qreal HeartbeatChart::xAt(double time) const {
    const QRectF area = track(0);
    return area.right() - (right() - time) / spanSeconds() * area.width();
}

bool HeartbeatChart::isShown(double time) const {
    return time >= right() - spanSeconds() && time <= right();
}

int HeartbeatChart::shownLanes() const {
    return isEmpty() ? 2 : int(std::max<std::size_t>(2, lanes_.size()));
}

QSize HeartbeatChart::sizeHint() const {
    const int lanes = shownLanes();
    return {480, topMargin() + kAxis + lanes * (lanes <= kMostAiry ? kLane : leastLane(lanes))};
}

QSize HeartbeatChart::minimumSizeHint() const {
    return {240, topMargin() + kAxis + shownLanes() * leastLane(shownLanes())};
}

}  // namespace lockstep::ui
