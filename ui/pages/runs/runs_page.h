// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace lockstep::ui {

class ElidedLabel;
class EmptyState;
class RunsModel;

/// The runs of the runs folder: attach to one that runs, look at one that has ended.
class RunsPage final : public QWidget {
    Q_OBJECT
public:
    explicit RunsPage(RunsModel& model, QWidget* parent = nullptr);

    /// Where the next run comes to lie.
    struct Place {
        QString folder;
        QString why;          ///< "beside the job file".
        bool chosen = false;  ///< By the user, for the runs of all jobs.
        bool exists = false;
    };
    void showPlace(const Place& place);

Q_SIGNALS:
    void runChosen(const QString& runDir);
    void refreshRequested();
    /// All runs are to lie in another folder.
    void placeChangeRequested();
    /// Runs are to lie beside their job files again.
    void placeResetRequested();

private:
    void buildTable();
    void buildLayout();
    QWidget* buildPlace();
    void openCurrent();
    void noteChosen();
    void showRuns();

    RunsModel& model_;
    QSortFilterProxyModel* sorted_ = nullptr;
    QTableView* table_ = nullptr;
    QPushButton* open_ = nullptr;
    EmptyState* empty_ = nullptr;
    QWidget* content_ = nullptr;
    ElidedLabel* place_ = nullptr;
    QPushButton* resetPlace_ = nullptr;
    QPushButton* openPlace_ = nullptr;
    QString folder_;
    QString chosen_;  ///< The folder of the run that was chosen last.
};

}  // namespace lockstep::ui
