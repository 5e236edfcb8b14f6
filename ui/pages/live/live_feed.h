// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/job/fold/session.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/models/replica_mean.h"
#include "ui/models/replica_outliers.h"

namespace lockstep::ui {

class HeartbeatChart;
class LiveChart;

/// Turns what a run says into series of charts: a line a replica, for several their mean, the
/// scores as points, and the marks of what happened; and its heartbeats into lanes.
class LiveFeed final : public QObject {
    Q_OBJECT
public:
    enum Figure { Loss, Accuracy, Throughput, StepTime, FigureCount };
    using Charts = std::array<LiveChart*, FigureCount>;

    LiveFeed(ChartGroup& group, Charts charts, HeartbeatChart& heartbeats,
             QObject* parent = nullptr);

    void reset();
    void showView(const job::RunView& view);
    void addSteps(const std::vector<job::StepColumns>& steps);
    void addHeartbeats(const std::vector<job::HeartbeatMark>& marks);

    /// How many replicas the start had that took a step; 0: not known yet.
    [[nodiscard]] int replicasAt(std::int64_t step) const;
    /// By start, the step that it goes on behind; a later one is not known to train yet.
    [[nodiscard]] const std::vector<std::int64_t>& stepsBeforeStarts() const {
        return stepsBefore_;
    }
    /// The group's series of a replica; -1: it is not known.
    [[nodiscard]] int seriesOf(int replica) const {
        return replica < int(seriesOf_.size()) ? seriesOf_[std::size_t(replica)] : -1;
    }
    /// That of the replicas' mean; -1: there is one replica alone.
    [[nodiscard]] int meanSeries() const { return meanSeries_; }

private:
    /// What was scored at a step; an accuracy that is not finite has no point.
    struct Scored {
        std::int64_t step = 0;
        float loss = 0;
        float accuracy = 0;
    };
    struct ScoreSeries {
        int series = -1;  ///< Of the group; -1: nothing is scored yet.
        std::vector<Scored> drawn;
    };

    void matchSeries(const job::RunView& view);
    void matchMeans(const job::RunView& view);
    void matchStarts(const job::RunView& view);
    void matchClocks(const job::RunView& view);
    void matchOutliers(const job::RunView& view);
    void matchLanes(const job::RunView& view);
    void showLanes(const job::RunView& view);
    void showMarks(const job::RunView& view);
    [[nodiscard]] static qint64 stepOf(const job::FailureView& failure, const job::RunView& view);
    void showScores(const job::RunView& view);
    void showScores(Scores scores, std::vector<Scored> points);
    [[nodiscard]] std::vector<std::int64_t> withoutSamples(const job::StepColumns& columns) const;
    void matchJob(const job::RunView& view);
    void addColumns(const job::StepColumns& columns);
    [[nodiscard]] std::vector<float> rates(const job::StepColumns& columns) const;
    void addTimes(const job::StepColumns& columns);
    void addFigure(Figure figure, const job::StepColumns& columns, const std::vector<float>& values,
                   const std::vector<std::int64_t>& withoutSamples = {});

    struct Lane {
        job::Role role = job::Role::Worker;
        int processId = 0;
        bool operator==(const Lane&) const = default;
    };
    ChartGroup& group_;
    Charts charts_;
    HeartbeatChart& heartbeats_;
    std::array<ReplicaMean, FigureCount> means_;
    ReplicaOutliers outliers_;
    std::vector<Lane> lanes_;
    std::vector<job::HeartbeatMark> early_;     ///< For lanes that the view does not know yet.
    std::vector<job::StepColumns> earlySteps_;  ///< Of replicas, or a start, not known yet.
    /// Marks are made anew when one of them differs.
    struct MarkCounts {
        std::size_t epochs = 0;
        std::int64_t lastEpochStep = 0;  ///< An epoch that a start ended within is told anew.
        std::size_t checkpoints = 0;
        std::size_t deleted = 0;
        std::size_t scored = 0;  ///< Steps of which there is a score.
        std::size_t starts = 0;
        std::size_t failures = 0;
        std::size_t drills = 0;  ///< That have landed.
        std::size_t verdicts = 0;
        std::size_t verdictsLeftOut = 0;
        std::int64_t firstStep = 0;
        bool operator==(const MarkCounts&) const = default;
    };
    [[nodiscard]] static MarkCounts countMarks(const job::RunView& view, std::size_t scored);
    MarkCounts marked_;
    std::vector<int> seriesOf_;  ///< By replica.
    int meanSeries_ = -1;
    std::array<ScoreSeries, std::size_t(Scores::Count)> scores_;
    std::vector<ReplicaMean::Stretch> stretches_;
    std::vector<std::int64_t> stepsBefore_;  ///< By start.
    std::int64_t stepsPerEpoch_ = 0;
    int globalBatchSize_ = 0;
    std::string jobToml_;
    int members_ = 1;  ///< Of the job that share a row's samples: a mesh's columns.
};

}  // namespace lockstep::ui
