// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <array>
#include <memory>
#include <vector>

#include "core/job/session.h"
#include "ui/models/replica_mean.h"

namespace lockstep::ui {

class ChartGroup;
class HeartbeatChart;
class LiveChart;

/// Turns what a run says into series of charts: a line a replica and, for several, their mean.
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

private:
    void matchSeries(const job::RunView& view);
    void matchLanes(const job::RunView& view);
    void addTimes(const job::StepColumns& columns);
    void addFigure(Figure figure, const job::StepColumns& columns,
                   const std::vector<float>& values);

    struct Lane {
        job::Role role = job::Role::Worker;
        int processId = 0;
    };

    ChartGroup& group_;
    Charts charts_;
    HeartbeatChart& heartbeats_;
    std::array<ReplicaMean, FigureCount> means_;
    std::vector<Lane> lanes_;
    std::vector<job::HeartbeatMark> early_;  ///< Of lanes that the view does not know yet.
    int replicas_ = 0;
    int batchPerReplica_ = 0;
};

}  // namespace lockstep::ui
