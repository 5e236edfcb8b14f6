// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include "ui/models/words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

QString statusText(const job::RunEntry& run) {
    if (run.running || run.status == "running") return RunsModel::tr("running");
    if (run.status == "completed") return RunsModel::tr("finished");
    if (run.status == "failed") return RunsModel::tr("failed");
    if (run.status == "stopped") return RunsModel::tr("stopped");
    if (run.status == "interrupted") return RunsModel::tr("interrupted");
    return QString::fromStdString(run.status);
}

}  // namespace

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunsModel::setRuns(std::vector<job::RunEntry> runs) {
    beginResetModel();
    runs_ = std::move(runs);
    endResetModel();
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(runs_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const job::RunEntry& run = runs_[std::size_t(index.row())];
    const auto column = Column(index.column());
    if (role == FolderRole) return QString::fromStdString(run.runDir.string());
    if (role == RunningRole) return run.running;
    if (role == StatusRole) return QString::fromStdString(run.running ? "running" : run.status);
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignVCenter |
                   (column == Column::Accuracy ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role == Qt::ToolTipRole) return QString::fromStdString(run.runDir.string());
    if (role != Qt::DisplayRole && role != SortRole) return {};
    switch (column) {
        case Column::Name:
            return QString::fromStdString(run.name);
        case Column::Status:
            return statusText(run);
        case Column::Started:
            return role == SortRole ? QVariant(run.startedWallTime)
                                    : units::dateAndTime(run.startedWallTime);
        case Column::Accuracy:
            if (role == SortRole) return run.testAccuracy.value_or(-1);
            return run.testAccuracy ? units::percent(*run.testAccuracy, 2) : QStringLiteral("–");
        case Column::Folder:
            return QString::fromStdString(run.runDir.filename().string());
        case Column::Count:
            break;
    }
    return {};
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignVCenter |
                   (Column(section) == Column::Accuracy ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Name:
            return tr("Job");
        case Column::Status:
            return tr("Status");
        case Column::Started:
            return tr("Started");
        case Column::Accuracy:
            return tr("Test accuracy");
        case Column::Folder:
            return tr("Run folder");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui
