// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <limits>

#include "ui/models/metric_words.h"
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

/// Larger is better, whatever the figure is.
double goodness(const job::RunEntry& run) {
    if (!run.testScore) return -std::numeric_limits<double>::infinity();
    return run.testScore->largerIsBetter ? run.testScore->value : -run.testScore->value;
}

/// Whether the scores of two runs say which is the better one.
bool areRivals(const job::RunEntry& a, const job::RunEntry& b) {
    return a.testScore && b.testScore && a.name == b.name && a.testScore->name == b.testScore->name;
}

}  // namespace

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunsModel::setRuns(std::vector<job::RunEntry> runs) {
    beginResetModel();
    runs_ = std::move(runs);
    findBest();
    endResetModel();
}

void RunsModel::findBest() {
    rivals_.assign(runs_.size(), 0);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        int beaten = 0;
        bool isBest = true;
        for (std::size_t j = 0; j < runs_.size() && isBest; ++j) {
            if (i == j || !areRivals(runs_[i], runs_[j])) continue;
            isBest = goodness(runs_[i]) >= goodness(runs_[j]);
            ++beaten;
        }
        if (isBest) rivals_[i] = beaten;
    }
}

QString RunsModel::scoreTip(std::size_t row) const {
    const auto& score = runs_[row].testScore;
    if (!score) return tr("Nothing was tested");
    QString figure =
        tr("%1 of the test data; %2 is better")
            .arg(metricName(score->name), score->largerIsBetter ? tr("higher") : tr("lower"));
    if (rivals_[row] == 0) return figure;
    return tr("%1. The best of %2 runs of %3.")
        .arg(figure)
        .arg(rivals_[row] + 1)
        .arg(QString::fromStdString(runs_[row].name));
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
        return int(Qt::AlignVCenter | (column == Column::Score ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role == BestRole) return rivals_[std::size_t(index.row())] > 0;
    if (role == Qt::ToolTipRole && column == Column::Score)
        return scoreTip(std::size_t(index.row()));
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
        case Column::Score:
            if (role == SortRole) return goodness(run);
            if (!run.testScore) return QStringLiteral("–");
            return tr("%1  %2").arg(metricShortName(run.testScore->name),
                                    metricValue(run.testScore->name, run.testScore->value));
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
                   (Column(section) == Column::Score ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Name:
            return tr("Job");
        case Column::Status:
            return tr("Status");
        case Column::Started:
            return tr("Started");
        case Column::Score:
            return tr("Test score");
        case Column::Folder:
            return tr("Run folder");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui
