// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QPushButton;
class QTableView;
class QVBoxLayout;

namespace lockstep::ui {

class ClusterTableModel;
class JobEditor;

/// The cluster as a table that is edited in place, with each row's problem beside it, and what
/// concerns the cluster as a whole beneath.
class ClusterCard final : public QWidget {
    Q_OBJECT
public:
    ClusterCard(JobEditor& editor, ClusterTableModel& model, QWidget* parent = nullptr);

private:
    void buildTable();
    void buildButtons(QVBoxLayout* layout);
    void addFields(QVBoxLayout* layout);
    void fitTable();
    void showButtons();
    void showProblems();

    JobEditor& editor_;
    ClusterTableModel& model_;
    QTableView* table_ = nullptr;
    QPushButton* remove_ = nullptr;
    QWidget* buttons_ = nullptr;
    QLabel* problems_ = nullptr;
    std::vector<QWidget*> trainerFields_;  ///< What an own program does not see.
};

}  // namespace lockstep::ui
