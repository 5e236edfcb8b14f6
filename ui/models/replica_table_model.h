// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// The replicas of a run and its evaluator, one row each, as the newest RunView knows them.
/// Rows keep their place while the same replicas exist; only the cells that differ are announced.
class ReplicaTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column {
        Process,
        Role,
        Host,
        Device,
        State,
        Heartbeat,
        Step,
        Loss,
        StepTime,
        Phases,
        Count
    };
    enum Role {
        SortRole = Qt::UserRole + 1,  ///< The raw number or text to sort by.
        LivenessRole,                 ///< int(job::Liveness), of every column.
        AccusedRole,                  ///< bool: the verdict that stands names it.
        PhasesRole,                   ///< QList<float>, microseconds of the newest step's phases.
        ReplicaRole,                  ///< int: replica in the whole job, -1 for the evaluator.
    };

    explicit ReplicaTableModel(QObject* parent = nullptr);

    void update(const std::vector<job::ReplicaView>& replicas);
    /// Null when the row does not exist. Valid until the next update().
    [[nodiscard]] const job::ReplicaView* replicaAt(int row) const;
    /// Rows but for the evaluators'.
    [[nodiscard]] int workerCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void matchRows(const std::vector<job::ReplicaView>& replicas);
    void announceChanges(int row, const job::ReplicaView& before);

    std::vector<job::ReplicaView> replicas_;
};

}  // namespace lockstep::ui
