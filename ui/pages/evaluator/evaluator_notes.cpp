// SPDX-License-Identifier: GPL-3.0-or-later
// What the page says of checkpoints: that there are none yet, and what became of their files.
#include <QLabel>
#include <QTableView>
#include <algorithm>
#include <map>
#include <set>

#include "core/config/document/job_file.h"
#include "core/config/job/monitor.h"
#include "core/job/fold/score.h"
#include "ui/models/resume_point.h"
#include "ui/models/words.h"
#include "ui/pages/evaluator/checkpoint_actions.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/style/units.h"
#include "ui/widgets/empty_state.h"

namespace lockstep::ui {
namespace {

config::JobSpec specOf(const job::RunView& view) {
    return config::JobDocument::lenient(view.jobToml, "job.toml").spec();
}

}  // namespace

void EvaluatorPage::showEmptyWords() {
    QString title = tr("No checkpoint was scored yet");
    QString text =
        tr("The evaluator is a process of its own: it scores every checkpoint as it appears, "
           "while training goes on. Its first score comes with the first checkpoint.");
    const auto known = std::pair(view_ ? view_->jobToml.size() + view_->checkpoints.size() : 0,
                                 view_ && isEnded(view_->state));
    if (emptyFor_ == known) return;
    emptyFor_ = known;
    const bool hasEvaluator = !view_ || view_->jobToml.empty() || specOf(*view_).cluster.evaluator;
    const bool ended = view_ && isEnded(view_->state);
    const bool anyWritten = view_ && std::ranges::any_of(view_->checkpoints, [](const auto& each) {
                                return each.error.empty();
                            });
    const QString later =
        anyWritten ? tr(" lockstepctl evaluate scores what a run has come to at any time; opened "
                        "again, an ended run shows those scores here.")
                   : QString();
    if (ended) title = tr("No checkpoint was scored");
    if (!hasEvaluator) {
        title = tr("This job has no evaluator");
        text = tr("With cluster.evaluator = true a process of its own scores every checkpoint as "
                  "it appears, while training goes on.") +
               later;
    } else if (ended) {
        text = (view_->checkpoints.empty() ? tr("The run ended before it wrote a checkpoint.")
                : !anyWritten              ? tr("None of the run's checkpoints could be written.")
                              : tr("The run ended before its evaluator had scored one.")) +
               later;
    }
    // Its replicas test the weights that they end with, too.
    if (const auto tested = view_ ? job::testScoreIn(view_->summaryJson) : std::nullopt)
        text = tr("The weights that the run ended with have a test %1. ").arg(scoreText(*tested)) +
               text;
    empty_->setTitle(title);
    empty_->setText(text);
}

void EvaluatorPage::showNotes() {
    scoredNote_->setText(scoredText(*view_));
    const Evaluation best = model_.at(model_.bestRow());
    const bool deleted =
        best && std::ranges::any_of(view_->checkpoints, [&](const job::CheckpointView& each) {
            return each.step == best->step && each.deleted;
        });
    bestNote_->setVisible(deleted);
    if (!deleted || noteOf_ == best->step) return;
    noteOf_ = best->step;
    const config::CheckpointSpec spec = specOf(*view_).checkpoint;
    // Retention took it, or somebody: nobody knows here.
    const QString gone = tr("The files of the best checkpoint, of step %1, are gone. "
                            "checkpoint.keep keeps the newest %2.")
                             .arg(units::count(best->step))
                             .arg(spec.keep);
    bestNote_->setText(
        spec.keepBest
            ? gone + tr(" checkpoint.keep_best keeps the best at an epoch's end too.")
            : gone + tr(" checkpoint.keep_best = true keeps the best of the epochs' ends too."));
}

/// Which checkpoints are deleted, which are kept by the user's word; of one that was written again,
/// the newest files count. A running run looks at its folder now and then, one that has ended never
/// again: until the view knows of it, what was told here holds.
void EvaluatorPage::showStored() {
    std::map<std::int64_t, KeepButton::State> states;
    for (const job::CheckpointView& checkpoint : view_->checkpoints)
        states[checkpoint.step] = checkpoint.deleted ? KeepButton::State::Deleted
                                  : checkpoint.kept  ? KeepButton::State::Kept
                                                     : KeepButton::State::Stored;
    for (auto told = told_.begin(); told != told_.end();) {
        const auto found = states.find(told->first);
        const auto state = told->second ? KeepButton::State::Kept : KeepButton::State::Stored;
        const bool isKnown = found != states.end() && found->second == state;
        if (found != states.end() && found->second != KeepButton::State::Deleted)
            found->second = state;
        told = isKnown ? told_.erase(told) : std::next(told);
    }
    std::set<std::int64_t> deleted;
    std::set<std::int64_t> kept;
    for (const auto& [step, state] : states) {
        if (state == KeepButton::State::Deleted) deleted.insert(step);
        if (state == KeepButton::State::Kept) kept.insert(step);
    }
    model_.setStored(deleted, kept);
    const Evaluation shown = model_.at(table_->currentIndex().row());
    const auto found = shown ? states.find(shown->step) : states.end();
    keep_->showCheckpoint(view_->runDir, shown ? shown->step : -1,
                          found == states.end() ? KeepButton::State::None : found->second);
    const job::CheckpointView* newest = newestUsableCheckpoint(*view_);
    actions_->showCheckpoint(
        {.runDir = view_->runDir,
         .step = found == states.end() ? 0 : found->first,
         .isGone = found != states.end() && found->second == KeepButton::State::Deleted,
         .canResume =
             shown && newest != nullptr && canResume(*view_) && newest->step == shown->step});
}

}  // namespace lockstep::ui
