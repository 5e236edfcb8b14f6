// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ui/models/evaluation_model.h"
#include "ui/pages/evaluator/keep_button.h"

class QLabel;
class QPushButton;
class QTableView;

namespace lockstep::ui {

class ChartCard;
class CheckpointActions;
class ChartGroup;
class EmptyState;
class EvaluationDetails;
class LiveChart;
class MetricTile;

/// How the checkpoints score: the score over steps, the latest and the best, and at the right what
/// the chosen one gets right and wrong. Follows the latest until the user chooses one.
class EvaluatorPage final : public QWidget {
    Q_OBJECT
public:
    explicit EvaluatorPage(EvaluationModel& model, QWidget* parent = nullptr);

    void reset();
    void showView(std::shared_ptr<const job::RunView> view);
    /// Keeps the files of the chosen checkpoint.
    void setKeeper(KeepButton::Keeper keeper) { keep_->setKeeper(std::move(keeper)); }
    [[nodiscard]] CheckpointActions& actions() const { return *actions_; }
    [[nodiscard]] EvaluationDetails& details() const { return *details_; }
    [[nodiscard]] LiveChart& scoreChart() const { return *chart_; }
    /// Chooses a checkpoint, on the data of the one that was chosen where it is scored on those.
    void openCheckpoint(std::int64_t step);

protected:
private:
    QWidget* buildHead();
    QWidget* buildScores();
    void buildTable();
    void fitColumns();
    void buildLayout();
    void addPoints();
    void chooseScore(bool isAccuracy);
    void choose(int row);
    void chooseAgain();
    [[nodiscard]] int rowOf(std::int64_t step, const std::string& split) const;
    void openRow(int row, std::int64_t step);
    void openStep(std::int64_t step);
    void forgetPoints();
    void showChosen();
    void showTiles();
    void showMarks();
    void showStored();
    /// Says so where the files of the best checkpoint are gone, and how to keep them.
    void showNotes();
    void showEmptyWords();

    EvaluationModel& model_;
    std::shared_ptr<const job::RunView> view_;
    std::string judgedFor_;  ///< The job whose best checkpoint is looked for.
    ChartGroup* group_;
    LiveChart* chart_ = nullptr;
    ChartCard* scoreCard_ = nullptr;
    QLabel* scoredNote_ = nullptr;
    QLabel* bestNote_ = nullptr;
    MetricTile* latest_ = nullptr;
    MetricTile* best_ = nullptr;
    QPushButton* showLatest_ = nullptr;
    QPushButton* showBest_ = nullptr;
    QTableView* table_ = nullptr;
    KeepButton* keep_ = nullptr;
    CheckpointActions* actions_ = nullptr;
    EvaluationDetails* details_ = nullptr;
    EmptyState* empty_ = nullptr;
    QWidget* content_ = nullptr;
    int pointsDrawn_ = 0;
    std::int64_t newestDrawn_ = 0;  ///< Step.
    /// Which steps the user has kept, or no longer keeps, while the view does not say so yet.
    std::map<std::int64_t, bool> told_;
    Evaluation chosen_;
    bool choosing_ = false;     ///< The program, not the user.
    std::int64_t noteOf_ = -1;  ///< The step that the note speaks of.
    std::optional<std::pair<std::size_t, bool>>
        emptyFor_;  ///< What the empty state's words are of.
    bool followsLatest_ = true;
    bool showsAccuracy_ = true;  ///< In the chart; else losses.
};

}  // namespace lockstep::ui
