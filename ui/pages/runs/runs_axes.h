// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QItemSelectionModel;
class QLabel;

namespace lockstep::ui {

class ParallelPlot;
class RunsFilterModel;
class RunsModel;

/// The listed runs as parallel coordinates: an axis for each setting in which they differ, then for
/// what came of them. Shares the choice of runs with the table.
class RunsAxes final : public QWidget {
    Q_OBJECT
public:
    static constexpr int kMostRuns = 1000;

    /// `selection`: of rows of `filtered`.
    RunsAxes(const RunsModel& model, RunsFilterModel& filtered, QItemSelectionModel& selection,
             QWidget* parent = nullptr);

    /// Other runs or columns are listed.
    void refresh();
    /// What can be done with chosen runs, by its keys and in a menu.
    void offer(const QList<QAction*>& actions);

Q_SIGNALS:
    /// Other runs than before, or none.
    void chosenByUser();
    void runChosen(const QString& runDir);

private:
    [[nodiscard]] QVector<int> columns() const;
    void showChoice();
    void choose(const QSet<int>& lines);

    const RunsModel& model_;
    RunsFilterModel& filtered_;
    QItemSelectionModel& selection_;
    ParallelPlot* plot_;
    QLabel* instead_;  ///< Why there are no axes.
};

}  // namespace lockstep::ui
