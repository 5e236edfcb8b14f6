// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/step_timeline.h"

#include <QEvent>
#include <QSettings>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/job/fold/step_places.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/widgets/phase_legend.h"

namespace lockstep::ui {
namespace {

const auto kWantedKey = QStringLiteral("live/steps");
constexpr std::size_t kPieceSteps = 1000;
constexpr std::size_t kSliceSteps = 20'000;  // some milliseconds

qint64 nanoseconds(double seconds) {
    return std::llround(seconds * 1e9);
}

/// Joins what follows the piece without a gap.
void append(job::StepColumns& piece, const job::StepColumns& columns) {
    const std::size_t before = piece.stepMicroseconds.size();
    const auto join = [](std::vector<float>& to, const std::vector<float>& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    for (job::StepColumns::MeasuredEnd end : columns.measuredEnds) {
        end.index += before;
        piece.measuredEnds.push_back(end);
    }
    join(piece.stepMicroseconds, columns.stepMicroseconds);
    for (std::size_t phase = 0; phase < job::kStepPhases; ++phase)
        join(piece.phaseMicroseconds[phase], columns.phaseMicroseconds[phase]);
}

/// Of the newest steps, without what a timeline does not show.
job::StepColumns newestTimes(const job::StepColumns& columns, std::size_t most) {
    const std::size_t count = columns.stepMicroseconds.size();
    const std::size_t skipped = count > most ? count - most : 0;
    job::StepColumns times;
    times.replica = columns.replica;
    times.firstStep = columns.firstStep + std::int64_t(skipped);
    // The first that is left ends as long behind the last end that is known as the steps took.
    job::StepColumns::MeasuredEnd known;
    for (const auto& [index, time] : columns.measuredEnds) {
        if (index <= skipped)
            known = {index, time};
        else
            times.measuredEnds.push_back({index - skipped, time});
    }
    double since = 0;  // microseconds
    for (std::size_t i = known.index + 1; i <= skipped; ++i)
        since += double(columns.stepMicroseconds[i]);
    times.firstEndWallTime = columns.firstEndWallTime + since * 1e-6;
    if (known.nanoseconds > 0)
        times.measuredEnds.insert(times.measuredEnds.begin(),
                                  {0, known.nanoseconds + std::llround(since * 1e3)});
    const auto rest = [skipped](const std::vector<float>& all) {
        return std::vector<float>(all.begin() + std::ptrdiff_t(std::min(skipped, all.size())),
                                  all.end());
    };
    times.stepMicroseconds = rest(columns.stepMicroseconds);
    for (std::size_t phase = 0; phase < job::kStepPhases; ++phase)
        times.phaseMicroseconds[phase] = rest(columns.phaseMicroseconds[phase]);
    return times;
}

}  // namespace

StepTimeline::StepTimeline(QWidget* place)
    : QObject(place),
      toggle_(new QToolButton(place)),
      legend_(new PhaseLegend(place)),
      chart_(new TimelineChart(place)) {
    chart_->setObjectName(QStringLiteral("timelineChart"));
    legend_->setObjectName(QStringLiteral("timelineLegend"));
    QStringList kinds;
    for (std::size_t phase = 0; phase < job::kStepPhases; ++phase)
        kinds << phaseName(job::Phase(phase));
    legend_->setNames(kinds);
    kinds << tr("the rest");
    chart_->setKindNames(kinds);
    buildToggle(place);
    placing_.setInterval(0);
    placing_.setSingleShot(true);
    placing_.callOnTimeout(this, &StepTimeline::placeWaiting);
}

void StepTimeline::buildToggle(QWidget* place) {
    toggle_->setObjectName(QStringLiteral("stepsToggle"));
    toggle_->setText(tr("Steps"));
    toggle_->setProperty("toggle", true);
    toggle_->setFont(smallFont());
    toggle_->setCheckable(true);
    toggle_->setAutoRaise(true);
    toggle_->setFocusPolicy(Qt::StrongFocus);
    toggle_->setToolTip(
        tr("Show each step with its phases, of all processes on one clock, instead of the "
           "heartbeats"));
    toggle_->setAccessibleName(tr("Show steps instead of heartbeats"));
    toggle_->setChecked(QSettings().value(kWantedKey).toBool());
    place->installEventFilter(this);
    connect(toggle_, &QToolButton::clicked, place,
            [](bool on) { QSettings().setValue(kWantedKey, on); });
    connect(toggle_, &QToolButton::toggled, this, [this] {
        placeWaiting();
        Q_EMIT wantedChanged();
    });
}

/// What the user has chosen while another page was shown, of the run's past, holds here, too.
bool StepTimeline::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show && !event->spontaneous())
        toggle_->setChecked(QSettings().value(kWantedKey, isWanted()).toBool());
    return QObject::eventFilter(watched, event);
}

bool StepTimeline::isWanted() const {
    return toggle_->isChecked();
}

void StepTimeline::reset() {
    lanes_.clear();
    waiting_.clear();
    sources_.clear();
    placing_.stop();
    chart_->clear();
}

void StepTimeline::showView(const job::RunView& view) {
    matchLanes(view);
    showMarks(view);
    chart_->setEmptyWords(isEnded(view.state) ? tr("No step was reported")
                                              : tr("Spans appear with the first step"));
    placeWaiting();
}

void StepTimeline::matchLanes(const job::RunView& view) {
    std::vector<Lane> lanes;
    for (const job::ReplicaView& replica : view.replicas)
        if (replica.role == job::Role::Worker && replica.replica >= 0)
            lanes.push_back({replica.processId, replica.replica});
    if (lanes == lanes_) return;
    lanes_ = std::move(lanes);
    QVector<TimelineChart::Name> names;
    for (const Lane& lane : lanes_) {
        const auto ofProcess = std::ranges::count(lanes_, lane.processId, &Lane::processId);
        const QString process = processSentenceName(job::Role::Worker, lane.processId);
        const QString full =
            ofProcess == 1 ? process : tr("%1, replica %2").arg(process).arg(lane.replica);
        names.push_back({full, processName(job::Role::Worker, lane.processId, lane.replica)});
    }
    chart_->setLanes(names);
}

void StepTimeline::showMarks(const job::RunView& view) {
    std::vector<qint64> starts;
    for (const job::StartView& start : view.starts)
        starts.push_back(nanoseconds(start.wallTime));
    chart_->setStarts(std::move(starts));
    std::vector<TimelineChart::Write> writes;
    for (const job::CheckpointView& checkpoint : view.checkpoints)
        if (checkpoint.error.empty() && checkpoint.sharedTime > 0)
            writes.push_back({nanoseconds(checkpoint.sharedTime - checkpoint.commitSeconds),
                              nanoseconds(checkpoint.sharedTime), checkpoint.step});
    std::ranges::sort(writes, {}, &TimelineChart::Write::end);
    chart_->setCheckpoints(std::move(writes));
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        std::vector<TimelineChart::Mark> losses;
        for (const job::FailureView& failure : view.failures)
            if (failure.role == job::Role::Worker && failure.processId == lanes_[i].processId)
                losses.push_back({nanoseconds(failure.wallTime), fromCore(failure.cause)});
        chart_->setLosses(int(i), std::move(losses));
    }
}

void StepTimeline::addSteps(const std::vector<job::StepColumns>& steps) {
    for (const job::StepColumns& columns : steps)
        if (columns.replica >= 0 && !columns.stepMicroseconds.empty()) wait(columns);
    placeWaiting();
}

int StepTimeline::sourceOf(const std::string& name) {
    return sources_.try_emplace(name, int(sources_.size())).first->second;
}

/// A GPU that several replicas compute on counts once.
void StepTimeline::addLoads(const std::vector<job::LoadMark>& marks) {
    using Load = TimelineChart::Load;
    for (const job::LoadMark& mark : marks) {
        const QString host = QString::fromStdString(mark.host);
        const qint64 time = nanoseconds(mark.sharedTime);
        const std::string process =
            std::to_string(int(mark.role)) + '/' + std::to_string(mark.processId);
        const int source = sourceOf(process);
        chart_->addLoad(host, Load::Processors, source, time, double(mark.cpuPercent));
        chart_->addLoad(host, Load::Memory, source, time, double(mark.residentBytes));
        for (std::size_t i = 0; i < mark.gpus.size(); ++i) {
            const std::string& uuid = mark.gpus[i].uuid;
            const std::string gpu = uuid.empty() ? process + '/' + std::to_string(i) : uuid;
            chart_->addLoad(host, Load::Gpus, sourceOf(gpu), time,
                            double(mark.gpus[i].computePercent));
        }
    }
    chart_->update();  // once: a history has hundreds of thousands
}

void StepTimeline::wait(const job::StepColumns& columns) {
    Waiting& waiting = waiting_[columns.replica];
    job::StepColumns times = newestTimes(columns, mostWaiting());
    const std::size_t count = times.stepMicroseconds.size();
    const auto follows = [&times](const job::StepColumns& piece) {
        const std::size_t size = piece.stepMicroseconds.size();
        return size < kPieceSteps && piece.firstStep + std::int64_t(size) == times.firstStep &&
               !piece.measuredEnds.empty() && !times.measuredEnds.empty();
    };
    if (!waiting.pieces.empty() && follows(waiting.pieces.back()))
        append(waiting.pieces.back(), times);
    else
        waiting.pieces.push_back(std::move(times));
    waiting.count += count;
    dropOldest(waiting);
}

/// Those that the chart keeps, and one that tells it that there were older ones.
std::size_t StepTimeline::mostWaiting() const {
    return chart_->stepsPerLane() + 1;
}

/// Whole pieces: more than is wanted may stay.
void StepTimeline::dropOldest(Waiting& waiting) const {
    while (waiting.pieces.size() > 1) {
        const std::size_t oldest = waiting.pieces.front().stepMicroseconds.size();
        if (waiting.count - oldest < mostWaiting()) break;
        waiting.count -= oldest;
        waiting.pieces.pop_front();
    }
}

/// Of a long run's steps never many at a time.
void StepTimeline::placeWaiting() {
    if (!isWanted()) return;
    std::size_t placed = 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const auto found = waiting_.find(lanes_[i].replica);
        if (found == waiting_.end()) continue;
        Waiting& waiting = found->second;
        dropOldest(waiting);
        while (!waiting.pieces.empty()) {
            if (placed >= kSliceSteps) return placing_.start();
            const job::StepColumns& oldest = waiting.pieces.front();
            const std::size_t count = oldest.stepMicroseconds.size();
            const std::size_t over =
                waiting.count - std::min(waiting.count, mostWaiting());  // there were fewer lanes
            place(int(i), newestTimes(oldest, count - std::min(over, count)));
            placed += count - std::min(over, count);
            waiting.count -= count;
            waiting.pieces.pop_front();
        }
    }
}

void StepTimeline::place(int lane, const job::StepColumns& columns) {
    std::vector<StepLane::Step> steps;
    steps.reserve(columns.stepMicroseconds.size());
    job::placeSteps(columns, [&steps](const job::PlacedStep& placed) {
        StepLane::Step& step = steps.emplace_back();
        step.number = qint64(placed.step);
        step.begin = placed.begin;
        step.end = placed.end;
        std::ranges::copy(placed.phaseEnds, step.phaseEnds.begin());
    });
    chart_->addSteps(lane, steps);
}

}  // namespace lockstep::ui
