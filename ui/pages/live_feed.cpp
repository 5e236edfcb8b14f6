// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live_feed.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/chart_group.h"
#include "ui/charts/heartbeat_chart.h"
#include "ui/charts/live_chart.h"
#include "ui/models/words.h"

namespace lockstep::ui {
namespace {

constexpr std::size_t kMostEarlyBeats = 100'000;

std::vector<float> scaled(const std::vector<float>& values, float factor) {
    std::vector<float> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [factor](float v) { return v * factor; });
    return result;
}

/// Samples a second of a step that took `microseconds`.
std::vector<float> rates(const std::vector<float>& microseconds, int samples) {
    std::vector<float> result(microseconds.size());
    std::transform(microseconds.begin(), microseconds.end(), result.begin(),
                   [samples](float v) { return v > 0 ? float(samples) * 1e6F / v : 0.0F; });
    return result;
}

}  // namespace

LiveFeed::LiveFeed(ChartGroup& group, Charts charts, HeartbeatChart& heartbeats, QObject* parent)
    : QObject(parent), group_(group), charts_(charts), heartbeats_(heartbeats) {}

void LiveFeed::reset() {
    replicas_ = 0;
    lanes_.clear();
    early_.clear();
    group_.setSeries({});
    heartbeats_.setLanes({});
    heartbeats_.setNow(std::nullopt);
}

void LiveFeed::showView(const job::RunView& view) {
    matchSeries(view);
    matchLanes(view);
    batchPerReplica_ = view.replicaCount > 0 ? view.globalBatchSize / view.replicaCount : 0;
    if (view.endedWallTime > 0) heartbeats_.setNow(view.endedWallTime);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        const auto& replica =
            *std::find_if(view.replicas.begin(), view.replicas.end(),
                          [this, lane](const job::ReplicaView& candidate) {
                              return candidate.role == lanes_[lane].role &&
                                     candidate.processId == lanes_[lane].processId;
                          });
        heartbeats_.setEnded(int(lane), replica.liveness == job::Liveness::Left);
    }
}

void LiveFeed::matchSeries(const job::RunView& view) {
    if (view.replicaCount == replicas_ || view.replicaCount <= 0) return;
    replicas_ = view.replicaCount;
    QVector<SeriesInfo> series;
    for (int replica = 0; replica < replicas_; ++replica) {
        series.push_back({tr("Replica %1").arg(replica), {}, false, -1});
    }
    if (replicas_ > 1) series.push_back({tr("Mean"), {}, true, 0});
    group_.setSeries(series);
    for (ReplicaMean& mean : means_)
        mean.reset(replicas_);
}

void LiveFeed::matchLanes(const job::RunView& view) {
    std::vector<Lane> lanes;
    QStringList names;
    for (const job::ReplicaView& replica : view.replicas) {
        const bool known = !lanes.empty() && lanes.back().role == replica.role &&
                           lanes.back().processId == replica.processId;
        if (known) continue;  // a process with several replicas beats once
        lanes.push_back({replica.role, replica.processId});
        names << processSentenceName(replica.role, replica.processId);
    }
    if (lanes.size() == lanes_.size()) return;
    lanes_ = std::move(lanes);
    heartbeats_.setLanes(names);
    addHeartbeats(std::exchange(early_, {}));
}

void LiveFeed::addSteps(const std::vector<job::StepColumns>& steps) {
    for (const job::StepColumns& columns : steps) {
        if (columns.replica < 0 || columns.replica >= replicas_) continue;
        addTimes(columns);
        addFigure(Loss, columns, columns.loss);
        // A user's own program need not report one: no chart full of gaps.
        if (std::ranges::any_of(columns.accuracy, [](float value) { return std::isfinite(value); }))
            addFigure(Accuracy, columns, columns.accuracy);
        addFigure(Throughput, columns, rates(columns.stepMicroseconds, batchPerReplica_));
        addFigure(StepTime, columns, scaled(columns.stepMicroseconds, 1e-3F));
    }
}

void LiveFeed::addTimes(const job::StepColumns& columns) {
    std::vector<double> times(columns.stepMicroseconds.size());
    double time = columns.firstEndWallTime;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (i > 0) time += double(columns.stepMicroseconds[i]) * 1e-6;
        times[i] = time;
    }
    group_.appendTimes(columns.replica, columns.firstStep, times);
}

void LiveFeed::addFigure(Figure figure, const job::StepColumns& columns,
                         const std::vector<float>& values) {
    LiveChart& chart = *charts_[figure];
    chart.appendSteps(columns.replica, columns.firstStep, values);
    if (replicas_ < 2) return;
    const auto mean = means_[figure].add(columns.replica, columns.firstStep, values);
    if (!mean.values.empty()) chart.appendSteps(replicas_, mean.firstStep, mean.values);
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
