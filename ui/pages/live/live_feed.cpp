// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/live_feed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/config/document/job_file.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/run_starts.h"
#include "ui/models/words.h"
#include "ui/style/core_words.h"

namespace lockstep::ui {
namespace {

constexpr std::size_t kMostEarlyBeats = 100'000;
constexpr std::size_t kMostEarlySteps = 10'000;  // pieces

std::vector<float> scaled(const std::vector<float>& values, float factor) {
    std::vector<float> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [factor](float v) { return v * factor; });
    return result;
}

/// At the last step of an epoch there may be fewer samples than replicas: who had none says neither
/// loss nor accuracy, which is no alarm.
bool hadNoSamples(const job::StepColumns& columns, std::size_t at, std::int64_t stepsPerEpoch) {
    return (columns.firstStep + std::int64_t(at)) % stepsPerEpoch == 0 &&
           std::isnan(columns.loss[at]) && std::isnan(columns.accuracy[at]);
}

}  // namespace

LiveFeed::LiveFeed(ChartGroup& group, Charts charts, HeartbeatChart& heartbeats, QObject* parent)
    : QObject(parent), group_(group), charts_(charts), heartbeats_(heartbeats) {}

void LiveFeed::reset() {
    lanes_.clear();
    early_.clear();
    earlySteps_.clear();
    seriesOf_.clear();
    meanSeries_ = -1;
    scores_ = {};
    marked_ = {};
    stretches_.clear();
    stepsBefore_.clear();
    for (ReplicaMean& mean : means_)
        mean.reset();
    outliers_.reset();
    group_.setSeries({});
    heartbeats_.clear();
    heartbeats_.setNow(std::nullopt);
}

void LiveFeed::showView(const job::RunView& view) {
    matchJob(view);
    matchSeries(view);
    matchMeans(view);
    matchStarts(view);
    matchClocks(view);
    matchOutliers(view);
    matchLanes(view);
    showLanes(view);
    showMarks(view);
    showScores(view);
    stepsPerEpoch_ = view.stepsPerEpoch;
    globalBatchSize_ = view.globalBatchSize;
    addSteps(std::exchange(earlySteps_, {}));
}

void LiveFeed::matchJob(const job::RunView& view) {
    if (view.jobToml == jobToml_) return;
    jobToml_ = view.jobToml;
    const auto job = config::JobDocument::lenient(jobToml_, "job.toml");
    members_ = std::max(job.spec().distribution.model, 1);
}

int LiveFeed::replicasAt(std::int64_t step) const {
    return ReplicaMean::replicasAt(stretches_, step);
}

/// A resume may have more replicas or fewer: the curves of those that are gone stay, and so does
/// what they said before anybody looked.
void LiveFeed::matchSeries(const job::RunView& view) {
    const int known = int(seriesOf_.size());
    int most = view.replicaCount;
    for (const job::StartView& start : view.starts)
        most = std::max(most, start.replicas);
    if (most <= known) return;
    QVector<SeriesInfo> more;
    const auto place = [&] { return int(group_.series().size() + more.size()); };
    for (int replica = known; replica < most; ++replica) {
        seriesOf_.push_back(place());
        more.push_back(
            {.name = tr("Replica %1").arg(replica), .colour = {}, .colourIndex = replica});
    }
    if (meanSeries_ < 0 && most > 1) {
        meanSeries_ = place();
        more.push_back({.name = tr("Mean"), .colour = {}, .mean = true, .timesOf = seriesOf_[0]});
    }
    if (known == 0)
        group_.setSeries(more);
    else
        group_.addSeries(more);
}

void LiveFeed::matchMeans(const job::RunView& view) {
    const std::vector<ReplicaMean::Stretch> stretches = ReplicaMean::stretchesOf(view);
    if (stretches == stretches_) return;
    stretches_ = stretches;
    for (ReplicaMean& mean : means_)
        mean.setStretches(stretches);
}

void LiveFeed::matchStarts(const job::RunView& view) {
    std::vector<std::int64_t> steps = ui::stepsBeforeStarts(view);
    if (steps == stepsBefore_) return;
    for (ReplicaMean& mean : means_)
        mean.setStarts(steps);
    stepsBefore_ = std::move(steps);
}

/// Where epochs end, and before which steps the run stood still.
void LiveFeed::matchClocks(const job::RunView& view) {
    const std::vector<RunStart> starts = laterStartsOf(view);
    for (const int series : seriesOf_) {
        group_.setStepsPerEpoch(series, double(view.stepsPerEpoch));
        group_.setStarts(series, starts);
    }
}

/// Of many replicas those that stand out have colours and names, the others are a band.
void LiveFeed::matchOutliers(const job::RunView& view) {
    if (int(seriesOf_.size()) <= ReplicaOutliers::kFew) return group_.setOutstanding(std::nullopt);
    QVector<int> series;
    for (const int replica : outliers_.find(view))
        if (replica < int(seriesOf_.size())) series << seriesOf_[std::size_t(replica)];
    group_.setOutstanding(series);
}

void LiveFeed::matchLanes(const job::RunView& view) {
    std::vector<Lane> lanes;
    QVector<HeartbeatChart::Name> names;
    for (const job::ReplicaView& replica : view.replicas) {
        const Lane lane{replica.role, replica.processId};
        if (!lanes.empty() && lanes.back() == lane) continue;  // several replicas beat once
        lanes.push_back(lane);
        const QString full = processSentenceName(replica.role, replica.processId);
        const bool isWorker = replica.role == job::Role::Worker;
        names.push_back({full, isWorker ? QString::number(replica.processId) : full});
    }
    if (lanes == lanes_) return;
    lanes_ = std::move(lanes);
    heartbeats_.setLanes(names);
    addHeartbeats(std::exchange(early_, {}));
}

void LiveFeed::showLanes(const job::RunView& view) {
    const bool ended = view.endedWallTime > 0;
    heartbeats_.setNow(ended ? std::optional(view.endedWallTime) : std::nullopt);
    heartbeats_.setMoment(view.momentWallTime > 0 ? std::optional(view.momentWallTime)
                                                  : std::nullopt);
    std::vector<double> starts;
    for (const job::StartView& start : view.starts)
        starts.push_back(start.wallTime);
    heartbeats_.setStarts(std::move(starts));
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const auto replica = std::find_if(view.replicas.begin(), view.replicas.end(),
                                          [&](const job::ReplicaView& each) {
                                              return Lane{each.role, each.processId} == lanes_[i];
                                          });
        heartbeats_.setEnded(
            int(i), replica != view.replicas.end() && replica->liveness == job::Liveness::Left);
        std::vector<HeartbeatChart::Loss> losses;
        for (const job::FailureView& failure : view.failures) {
            if (Lane{failure.role, failure.processId} == lanes_[i])
                losses.push_back({failure.wallTime, fromCore(failure.cause)});
        }
        heartbeats_.setLosses(int(i), std::move(losses));
    }
}

void LiveFeed::addSteps(const std::vector<job::StepColumns>& steps) {
    for (const job::StepColumns& columns : steps) {
        if (columns.replica < 0) continue;
        if (columns.replica < int(seriesOf_.size()) && columns.start < int(stepsBefore_.size()))
            addColumns(columns);
        else if (earlySteps_.size() < kMostEarlySteps)
            earlySteps_.push_back(columns);
    }
}

/// Steps whose loss and accuracy say nothing, because the replica had no samples. Older journals do
/// not tell; a program that reports no accuracy at all does not say that it had none.
std::vector<std::int64_t> LiveFeed::withoutSamples(const job::StepColumns& columns) const {
    const bool saysAccuracy =
        charts_[Accuracy]->pointCount() > 0 ||
        std::ranges::any_of(columns.accuracy, [](float value) { return std::isfinite(value); });
    if (!columns.withoutSamples.empty() || !saysAccuracy || stepsPerEpoch_ <= 0)
        return columns.withoutSamples;
    std::vector<std::int64_t> steps;
    for (std::size_t i = 0; i < columns.loss.size(); ++i)
        if (hadNoSamples(columns, i, stepsPerEpoch_))
            steps.push_back(columns.firstStep + std::int64_t(i));
    return steps;
}

void LiveFeed::addColumns(const job::StepColumns& columns) {
    addTimes(columns);
    outliers_.add(columns);
    const std::vector<std::int64_t> gaps = withoutSamples(columns);
    addFigure(Loss, columns, columns.loss, gaps);
    // A user's own program need not report one: no chart full of gaps.
    if (std::ranges::any_of(columns.accuracy, [](float value) { return std::isfinite(value); }))
        addFigure(Accuracy, columns, columns.accuracy, gaps);
    // Nor how many samples a step has.
    if (globalBatchSize_ > 0) addFigure(Throughput, columns, rates(columns));
    addFigure(StepTime, columns, scaled(columns.stepMicroseconds, 1e-3F));
}

/// Samples a second of a replica, which had its share of each step, the mean one where they differ:
/// of a mesh's members those of a row together.
std::vector<float> LiveFeed::rates(const job::StepColumns& columns) const {
    std::vector<float> result(columns.stepMicroseconds.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const float microseconds = columns.stepMicroseconds[i];
        const int replicas = std::max(1, replicasAt(columns.firstStep + std::int64_t(i)));
        const float samples = float(globalBatchSize_) * float(members_) / float(replicas);
        result[i] = microseconds > 0 ? samples * 1e6F / microseconds : 0.0F;
    }
    return result;
}

void LiveFeed::addTimes(const job::StepColumns& columns) {
    std::vector<double> times(columns.stepMicroseconds.size());
    double time = columns.firstEndWallTime;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (i > 0) time += double(columns.stepMicroseconds[i]) * 1e-6;
        times[i] = time;
    }
    group_.appendTimes(seriesOf_[std::size_t(columns.replica)], columns.firstStep, times);
}

void LiveFeed::addFigure(Figure figure, const job::StepColumns& columns,
                         const std::vector<float>& values,
                         const std::vector<std::int64_t>& withoutSamples) {
    LiveChart& chart = *charts_[figure];
    const int series = seriesOf_[std::size_t(columns.replica)];
    // Where the replica had no samples its curve has no point; its times are those of any step.
    std::size_t begin = 0;
    for (const std::int64_t step : withoutSamples) {
        const auto gap = std::size_t(step - columns.firstStep);
        chart.appendSteps(series, columns.firstStep + qint64(begin),
                          std::span(values).subspan(begin, gap - begin));
        begin = gap + 1;
    }
    chart.appendSteps(series, columns.firstStep + qint64(begin), std::span(values).subspan(begin));
    if (meanSeries_ < 0) return;
    const auto mean = means_[figure].add(columns.replica, columns.start, columns.firstStep, values);
    if (!mean.values.empty()) chart.appendSteps(meanSeries_, mean.firstStep, mean.values);
}

void LiveFeed::addHeartbeats(const std::vector<job::HeartbeatMark>& marks) {
    for (const job::HeartbeatMark& mark : marks) {
        const auto lane =
            std::find_if(lanes_.begin(), lanes_.end(), [&mark](const Lane& candidate) {
                return candidate.role == mark.role && candidate.processId == mark.processId;
            });
        if (lane != lanes_.end()) {
            heartbeats_.addBeat(int(lane - lanes_.begin()), mark.wallTime, int(mark.phase));
        } else if (early_.size() < kMostEarlyBeats && mark.role != job::Role::Agent) {
            early_.push_back(mark);
        }
    }
}

}  // namespace lockstep::ui
