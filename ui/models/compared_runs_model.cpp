// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/compared_runs_model.h"

#include "ui/models/runs_model.h"

namespace lockstep::ui {
namespace {

bool isLegend(const QModelIndex& index) {
    return index.column() == int(RunsModel::Column::Folder);
}

}  // namespace

ComparedRunsModel::ComparedRunsModel(std::function<QColor(int)> colourOf, QObject* parent)
    : QIdentityProxyModel(parent), colourOf_(std::move(colourOf)) {}

void ComparedRunsModel::setProblem(int row, const QString& problem) {
    problems_[row] = problem;
    const QModelIndex cell = index(row, int(RunsModel::Column::Folder));
    Q_EMIT dataChanged(cell, cell);
}

void ComparedRunsModel::showAll() {
    hidden_.clear();
    problems_.clear();
}

Qt::ItemFlags ComparedRunsModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags base = QIdentityProxyModel::flags(index);
    return isLegend(index) ? base | Qt::ItemIsUserCheckable : base;
}

QVariant ComparedRunsModel::data(const QModelIndex& index, int role) const {
    if (!isLegend(index)) return QIdentityProxyModel::data(index, role);
    const QString problem = problems_.value(index.row());
    const auto words = [&] {
        const QModelIndex called = index.siblingAtColumn(int(RunsModel::Column::Called));
        QString folder = QIdentityProxyModel::data(called, Qt::DisplayRole).toString();
        if (folder.isEmpty()) folder = QIdentityProxyModel::data(index, Qt::DisplayRole).toString();
        return problem.isEmpty() ? folder : tr("%1: %2").arg(folder, problem);
    };
    switch (role) {
        case Qt::DecorationRole:
            return colourOf_(index.row());
        case Qt::CheckStateRole:
            return int(hidden_.contains(index.row()) ? Qt::Unchecked : Qt::Checked);
        case Qt::ToolTipRole: {  // the column may be too narrow for its words
            QStringList lines{words(), QIdentityProxyModel::data(index, role).toString()};
            if (problem.isEmpty())
                lines << QString()
                      << tr("A click on the mark, or Space, shows or hides its curves");
            return lines.join(QLatin1Char('\n'));
        }
        case Qt::AccessibleDescriptionRole:
            return problem;
        case Qt::DisplayRole:
            return words();
        default:
            return QIdentityProxyModel::data(index, role);
    }
}

bool ComparedRunsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!isLegend(index) || role != Qt::CheckStateRole) return false;
    const bool shown = value.toInt() == Qt::Checked;
    if (shown)
        hidden_.remove(index.row());
    else
        hidden_.insert(index.row());
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT shownChanged(index.row(), shown);
    return true;
}

}  // namespace lockstep::ui
