// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// The runs of a runs folder, the newest first.
class RunsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Name, Status, Started, Score, Folder, Count };
    enum Role {
        SortRole = Qt::UserRole + 1,
        FolderRole,   ///< QString: the run folder's path.
        RunningRole,  ///< bool
        StatusRole,   ///< QString: completed | failed | stopped | running | interrupted
        BestRole,     ///< bool: no run of the same job has a better score, of two or more.
    };

    explicit RunsModel(QObject* parent = nullptr);

    void setRuns(std::vector<job::RunEntry> runs);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void findBest();
    [[nodiscard]] QString scoreTip(std::size_t row) const;

    std::vector<job::RunEntry> runs_;
    /// Of each run that is the best of its job: how many it beat; else 0.
    std::vector<int> rivals_;
};

}  // namespace lockstep::ui
