// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QVector>
#include <QWidget>

#include "core/job/fold/session.h"

class QSortFilterProxyModel;
class QTableView;

namespace lockstep::ui {

class EmptyState;
class LogModel;
class ReplicaPanel;
class ReplicaTableModel;

/// All replicas and the evaluator in a table that shows as many rows as fit, with a legend of the
/// phases beneath; the chosen row opens its details at the side.
class ReplicasPage final : public QWidget {
    Q_OBJECT
public:
    ReplicasPage(ReplicaTableModel& model, LogModel& log, QWidget* parent = nullptr);

    void reset();
    /// Keeps the newest steps of each replica for the details.
    void addSteps(const std::vector<job::StepColumns>& steps);
    /// After the models were updated.
    void refreshPanel();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct History {
        QVector<float> losses;
        QVector<float> stepMilliseconds;
    };

    void buildTable();
    void buildLayout();
    QWidget* buildHint();
    void showRows();
    void showPanel(bool on);
    void closePanel();
    [[nodiscard]] const job::ReplicaView* chosen() const;

    ReplicaTableModel& model_;
    LogModel& log_;
    QHash<int, History> history_;
    QSortFilterProxyModel* sorted_ = nullptr;
    QTableView* table_ = nullptr;
    ReplicaPanel* panel_ = nullptr;
    EmptyState* empty_ = nullptr;
    QWidget* content_ = nullptr;
    QWidget* hint_ = nullptr;
};

}  // namespace lockstep::ui
