// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/host_check_model.h"

class QLabel;
class QPushButton;
class QTableView;
class QVBoxLayout;

namespace lockstep::ui {

class Card;
class ClusterTableModel;
class HostTable;
class JobEditor;

/// The cluster as a table that is edited in place, with each row's problem beside it, and what
/// concerns the cluster as a whole beneath: a row a process, of a job over ssh a row a host.
class ClusterCard final : public QWidget {
    Q_OBJECT
public:
    ClusterCard(JobEditor& editor, ClusterTableModel& model, QWidget* parent = nullptr);

    /// How the job's hosts were examined last; null: they were not.
    void showChecks(const HostReport& report, bool isOld);

private:
    void buildTable();
    void buildButtons();
    void buildImport(Card* card);
    void addFields(QVBoxLayout* layout);
    void fitTable();
    void showButtons();
    void showProblems();

    JobEditor& editor_;
    ClusterTableModel& model_;
    HostTable* hosts_ = nullptr;    ///< Of a job over ssh, in the place of the next.
    QWidget* processes_ = nullptr;  ///< The table of processes with what belongs to it.
    QTableView* table_ = nullptr;
    QPushButton* remove_ = nullptr;
    QPushButton* import_ = nullptr;
    QWidget* buttons_ = nullptr;
    QLabel* problems_ = nullptr;
    std::vector<QWidget*> trainerFields_;  ///< What an own program does not see.
};

}  // namespace lockstep::ui
