// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace lockstep::ui {

class EmptyState;
class RunsModel;

/// The runs of the runs folder: attach to one that runs, look at one that has ended.
class RunsPage final : public QWidget {
    Q_OBJECT
public:
    explicit RunsPage(RunsModel& model, QWidget* parent = nullptr);

signals:
    void runChosen(const QString& runDir);
    void refreshRequested();

private:
    void buildTable();
    void buildLayout();
    void openCurrent();
    void showRuns();

    RunsModel& model_;
    QSortFilterProxyModel* sorted_ = nullptr;
    QTableView* table_ = nullptr;
    QPushButton* open_ = nullptr;
    EmptyState* empty_ = nullptr;
    QWidget* content_ = nullptr;
};

}  // namespace lockstep::ui
