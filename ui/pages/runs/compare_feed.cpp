// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/compare_feed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/run_starts.h"

namespace lockstep::ui {
CompareFeed::CompareFeed(ChartGroup& group, Charts charts, QObject* parent)
    : QObject(parent), group_(group), charts_(charts) {}

void CompareFeed::reset(const QStringList& names) {
    runs_.clear();
    runs_.resize(std::size_t(names.size()));
    QVector<SeriesInfo> series;
    for (int run = 0; run < names.size(); ++run)
        series.push_back({.name = names[run], .colour = {}, .colourIndex = run});
    // In the same colour, as points that are never smoothed.
    for (int run = 0; run < names.size(); ++run)
        series.push_back(
            {.name = names[run], .colour = {}, .timesOf = run, .colourIndex = run, .exact = true});
    group_.setOwnOrigins(true);
    group_.setSeries(series);
}

void CompareFeed::setShown(int run, bool shown) {
    group_.setVisible(run, shown);
    group_.setVisible(validationSeries(run), shown);
}

void CompareFeed::showView(int run, const job::RunView& view) {
    Run& mine = runs_[std::size_t(run)];
    mine.replicas = view.replicaCount;
    for (const job::StartView& start : view.starts)
        mine.replicas = std::max(mine.replicas, start.replicas);
    auto stretches = ReplicaMean::stretchesOf(view);
    if (stretches != mine.stretches) {
        for (ReplicaMean& mean : mine.means)
            mean.setStretches(stretches);
        mine.stretches = std::move(stretches);
    }
    mine.stepsBefore = stepsBeforeStarts(view);
    for (ReplicaMean& mean : mine.means)
        mean.setStarts(mine.stepsBefore);
    group_.setStepsPerEpoch(run, double(view.stepsPerEpoch));
    group_.setStarts(run, laterStartsOf(view));
    std::vector<Validated> now;
    for (const job::EpochView& epoch : view.epochResults)
        if (epoch.validationLoss)
            now.push_back(
                {epoch.step, *epoch.validationLoss, epoch.validationAccuracy.value_or(NAN)});
    const auto [was, is] =
        std::mismatch(mine.validated.begin(), mine.validated.end(), now.begin(), now.end());
    for (auto point = is; point != now.end(); ++point) {
        const int series = validationSeries(run);
        charts_[ValidationLoss]->appendPoint(series, point->step, float(point->loss));
        if (std::isfinite(point->accuracy))
            charts_[ValidationAccuracy]->appendPoint(series, point->step, float(point->accuracy));
    }
    mine.validated = std::move(now);
    addSteps(run, std::exchange(mine.early, {}));
}

void CompareFeed::addSteps(int run, const std::vector<job::StepColumns>& steps) {
    Run& mine = runs_[std::size_t(run)];
    for (const job::StepColumns& columns : steps) {
        if (columns.replica < mine.replicas && columns.start < int(mine.stepsBefore.size()))
            addColumns(run, columns);
        else
            mine.early.push_back(columns);  // what tells of it comes with the next view
    }
}

void CompareFeed::addColumns(int run, const job::StepColumns& columns) {
    if (columns.replica < 0) return;
    if (columns.replica == 0) addTimes(run, columns);
    addMean(run, Loss, columns, columns.loss);
    if (std::ranges::any_of(columns.accuracy, [](float value) { return std::isfinite(value); }))
        addMean(run, Accuracy, columns, columns.accuracy);
}

void CompareFeed::addTimes(int run, const job::StepColumns& columns) {
    std::vector<double> times(columns.stepMicroseconds.size());
    double time = columns.firstEndWallTime;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (i > 0) time += double(columns.stepMicroseconds[i]) * 1e-6;
        times[i] = time;
    }
    group_.appendTimes(run, columns.firstStep, times);
}

void CompareFeed::addMean(int run, Figure figure, const job::StepColumns& columns,
                          const std::vector<float>& values) {
    const auto mean = runs_[std::size_t(run)].means[figure].add(columns.replica, columns.start,
                                                                columns.firstStep, values);
    if (!mean.values.empty()) charts_[figure]->appendSteps(run, mean.firstStep, mean.values);
}

}  // namespace lockstep::ui
