// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the checkpoints is shown.
#include <QTableView>
#include <utility>

#include "ui/pages/evaluator/evaluation_details.h"
#include "ui/pages/evaluator/evaluator_page.h"

namespace lockstep::ui {

/// The latest, or what the user chose, wherever it stands now.
void EvaluatorPage::chooseAgain() {
    if (followsLatest_ || !chosen_) return choose(model_.latestRow());
    for (int row = 0; row < model_.rowCount(); ++row) {
        const Evaluation each = model_.at(row);
        if (each->step != chosen_->step || each->split != chosen_->split) continue;
        if (each != chosen_ || table_->currentIndex().row() != row) choose(row);
        return;
    }
}

/// -1: it was not scored on those samples, on none where `split` is empty.
int EvaluatorPage::rowOf(std::int64_t step, const std::string& split) const {
    for (int row = 0; row < model_.rowCount(); ++row) {
        const Evaluation each = model_.at(row);
        const bool isOfSplit = split.empty() || each->split == split;
        if (each->error.empty() && each->step == step && isOfSplit) return row;
    }
    return -1;
}

void EvaluatorPage::openRow(int row, std::int64_t step) {
    if (row < 0) return details_->sayNotScored(step);
    followsLatest_ = false;
    choose(row);
}

/// From a sample's course: on the same data.
void EvaluatorPage::openStep(std::int64_t step) {
    openRow(rowOf(step, chosen_->split), step);
}

void EvaluatorPage::openCheckpoint(std::int64_t step) {
    const int row = rowOf(step, chosen_ ? chosen_->split : std::string());
    openRow(row >= 0 ? row : rowOf(step, {}), step);
}

void EvaluatorPage::choose(int row) {
    if (row < 0) return;
    choosing_ = true;
    table_->selectRow(row);
    choosing_ = false;
    table_->scrollTo(model_.index(row, 0));
    showChosen();
}

void EvaluatorPage::showChosen() {
    const Evaluation evaluation = model_.at(table_->currentIndex().row());
    if (evaluation) chosen_ = evaluation;
    if (evaluation && view_) details_->showEvaluation(*evaluation, *view_);
    if (view_) showStored();
    showMarks();
}

}  // namespace lockstep::ui
