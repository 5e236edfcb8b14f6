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
    enum class Column { Name, Status, Started, Accuracy, Folder, Count };
    enum Role {
        SortRole = Qt::UserRole + 1,
        FolderRole,   ///< QString: the run folder's path.
        RunningRole,  ///< bool
        StatusRole,   ///< QString: completed | failed | stopped | running | interrupted
    };

    explicit RunsModel(QObject* parent = nullptr);

    void setRuns(std::vector<job::RunEntry> runs);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<job::RunEntry> runs_;
};

}  // namespace lockstep::ui
