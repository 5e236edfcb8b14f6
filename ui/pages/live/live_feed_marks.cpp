// SPDX-License-Identifier: GPL-3.0-or-later
// What happened in a run, as marks on the charts' axis.
#include <algorithm>
#include <set>
#include <utility>

#include "ui/charts/surface/chart_group.h"
#include "ui/models/words.h"
#include "ui/pages/live/live_feed.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"

namespace lockstep::ui {

/// How far training was: the evaluator has steps of its own, of the checkpoint that it scores.
qint64 LiveFeed::stepOf(const job::FailureView& failure, const job::RunView& view) {
    qint64 step = failure.step;
    if (failure.role != job::Role::Evaluator) return step;
    for (const job::CheckpointView& checkpoint : view.checkpoints)
        if (checkpoint.wallTime <= failure.wallTime) step = std::max<qint64>(step, checkpoint.step);
    return step;
}

LiveFeed::MarkCounts LiveFeed::countMarks(const job::RunView& view, std::size_t scored) {
    MarkCounts counts;
    counts.epochs = view.epochResults.size();
    if (!view.epochResults.empty()) counts.lastEpochStep = view.epochResults.back().step;
    counts.checkpoints = view.checkpoints.size();
    counts.deleted = std::size_t(std::ranges::count_if(
        view.checkpoints, [](const job::CheckpointView& each) { return each.deleted; }));
    counts.scored = scored;
    counts.starts = view.starts.size();
    counts.failures = view.failures.size();
    counts.drills = std::size_t(std::ranges::count_if(
        view.drills, [](const job::DrillView& each) { return each.landedWallTime > 0; }));
    counts.verdicts = view.verdicts.size();
    counts.verdictsLeftOut = view.verdictsLeftOut;
    counts.firstStep = view.firstStep;
    return counts;
}

void LiveFeed::showMarks(const job::RunView& view) {
    std::set<std::int64_t> scored;
    for (const auto& evaluation : view.evaluations)
        if (evaluation->error.empty()) scored.insert(evaluation->step);
    const MarkCounts counts = countMarks(view, scored.size());
    if (counts == marked_) return;
    marked_ = counts;
    const QString there = tr("click: go to that moment");
    QVector<AxisMark> marks;
    using Kind = AxisMark::Kind;
    // Without a time: when its step ended.
    const auto add = [&](std::int64_t step, Kind kind, const QString& words, double wallTime = 0) {
        marks.push_back({step, kind, words, {}, wallTime, there});
    };
    for (const job::EpochView& epoch : view.epochResults)
        add(epoch.step, Kind::Epoch, tr("end of epoch %1").arg(epoch.epoch), epoch.sharedTime);
    for (const job::CheckpointView& checkpoint : view.checkpoints) {
        if (!checkpoint.error.empty()) continue;
        const QString words = checkpoint.deleted ? tr("checkpoint of step %1, deleted since")
                                                 : tr("checkpoint of step %1");
        add(checkpoint.step, Kind::Checkpoint, words.arg(units::count(checkpoint.step)),
            checkpoint.wallTime);
        marks.back().click =
            scored.contains(checkpoint.step) ? tr("click: how the checkpoint scores") : QString();
    }
    for (std::size_t i = 1; i < view.starts.size(); ++i)
        add(view.starts[i].firstStep, Kind::Restart,
            tr("started again after step %1").arg(units::count(view.starts[i].firstStep)),
            view.starts[i].wallTime);
    for (const job::FailureView& failure : view.failures)
        add(stepOf(failure, view), Kind::Loss,
            tr("%1 was lost: %2")
                .arg(processSentenceName(failure.role, failure.processId), fromCore(failure.cause)),
            failure.wallTime);
    for (const job::DrillView& drill : view.drills)
        if (drill.landedWallTime > 0)
            add(drill.landedStep, Kind::Loss,
                tr("drill: %1 of process %2")
                    .arg(QString::fromStdString(job::wordOf(drill.order.kind)))
                    .arg(drill.order.processId),
                drill.landedWallTime);
    for (const job::VerdictView& verdict : view.verdicts)
        add(verdict.step, Kind::Verdict, fromCore(verdict.sentence), verdict.wallTime);
    if (view.verdictsLeftOut > 0)
        marks.back().words =
            tr("%1 (without a mark of their own: %2 more)")
                .arg(marks.back().words, units::count(qint64(view.verdictsLeftOut)));
    std::stable_sort(marks.begin(), marks.end(),
                     [](const AxisMark& a, const AxisMark& b) { return a.step < b.step; });
    group_.setMarks(std::move(marks));
}

}  // namespace lockstep::ui
