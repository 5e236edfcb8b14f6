// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <array>
#include <vector>

#include "core/job/fold/session.h"
#include "ui/models/replica_mean.h"

namespace lockstep::ui {

class ChartGroup;
class LiveChart;

/// Brings what several runs say into the charts that they share: of each the mean of its replicas,
/// and its validation. The time for which each has run counts from its first step.
class CompareFeed final : public QObject {
    Q_OBJECT
public:
    enum Figure { Loss, Accuracy, ValidationLoss, ValidationAccuracy, FigureCount };
    using Charts = std::array<LiveChart*, FigureCount>;
    CompareFeed(ChartGroup& group, Charts charts, QObject* parent);

    /// Runs of these names.
    void reset(const QStringList& names);
    void setShown(int run, bool shown);
    void showView(int run, const job::RunView& view);
    void addSteps(int run, const std::vector<job::StepColumns>& steps);

private:
    struct Validated {
        std::int64_t step = 0;
        double loss = 0;
        double accuracy = 0;
        bool operator==(const Validated&) const = default;
    };
    struct Run {
        std::vector<ReplicaMean::Stretch> stretches;
        std::vector<std::int64_t> stepsBefore;  ///< By start.
        std::array<ReplicaMean, 2> means;       ///< Loss and Accuracy.
        std::vector<job::StepColumns> early;
        std::vector<Validated> validated;
        int replicas = 0;
    };

    [[nodiscard]] int validationSeries(int run) const { return int(runs_.size()) + run; }
    void addColumns(int run, const job::StepColumns& columns);
    void addTimes(int run, const job::StepColumns& columns);
    void addMean(int run, Figure figure, const job::StepColumns& columns,
                 const std::vector<float>& values);

    ChartGroup& group_;
    Charts charts_;
    std::vector<Run> runs_;
};

}  // namespace lockstep::ui
