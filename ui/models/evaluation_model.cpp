// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/evaluation_model.h"

#include <algorithm>
#include <cmath>

#include "ui/models/words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

/// NaN: it was not measured.
double measured(const job::EvaluationView& evaluation, const config::Watch& watch) {
    if (watch.monitor == config::Monitor::ValidationLoss) return evaluation.loss;
    if (watch.monitor == config::Monitor::ValidationAccuracy) return evaluation.accuracy;
    const auto found = std::ranges::find(evaluation.figures, watch.metric, &job::FigureView::name);
    return found == evaluation.figures.end() ? std::nan("") : found->value;
}

}  // namespace

bool EvaluationModel::isBetter(const job::EvaluationView& a, const job::EvaluationView& b) const {
    if (watch_) {
        const double value = measured(a, *watch_);
        const double other = measured(b, *watch_);
        return std::isnan(other) ? !std::isnan(value) : watch_->isBetter(value, other);
    }
    if (std::isnan(a.accuracy) || std::isnan(b.accuracy)) return a.loss < b.loss;  // of numbers
    return a.accuracy != b.accuracy ? a.accuracy > b.accuracy : a.loss < b.loss;
}

void EvaluationModel::judgeBy(const std::optional<config::Watch>& watch) {
    watch_ = watch && watch->isOfValidation() ? watch : std::nullopt;
}

QString EvaluationModel::judgedBy() const {
    if (watch_)
        return QString::fromStdString(config::monitorName(watch_->monitor, watch_->metric))
            .replace(QLatin1Char('_'), QLatin1Char(' '));
    const Evaluation best = at(bestRow());
    return best && std::isnan(best->accuracy) ? tr("validation loss") : tr("validation accuracy");
}

EvaluationModel::EvaluationModel(QObject* parent) : QAbstractTableModel(parent) {}

void EvaluationModel::update(const std::vector<Evaluation>& evaluations) {
    const bool isContinuation =
        evaluations.size() >= evaluations_.size() &&
        std::equal(evaluations_.begin(), evaluations_.end(), evaluations.begin());
    if (!isContinuation) {
        beginResetModel();
        evaluations_ = evaluations;
        endResetModel();
        return;
    }
    if (evaluations.size() == evaluations_.size()) return;
    beginInsertRows({}, int(evaluations_.size()), int(evaluations.size()) - 1);
    evaluations_ = evaluations;
    endInsertRows();
}

Evaluation EvaluationModel::at(int row) const {
    return row < 0 || row >= rowCount() ? nullptr : evaluations_[std::size_t(row)];
}

int EvaluationModel::latestRow() const {
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (at(row)->error.empty()) return row;
    }
    return -1;
}

int EvaluationModel::bestRow() const {
    int best = -1;
    for (int row = 0; row < rowCount(); ++row) {
        // The test set must not choose a checkpoint.
        if (!at(row)->error.empty() || at(row)->split == "test") continue;
        if (best < 0 || isBetter(*at(row), *at(best))) best = row;
    }
    return best;
}

int EvaluationModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(evaluations_.size());
}

int EvaluationModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant EvaluationModel::data(const QModelIndex& index, int role) const {
    const Evaluation evaluation = index.isValid() ? at(index.row()) : nullptr;
    if (!evaluation) return {};
    const auto column = Column(index.column());
    const bool failed = !evaluation->error.empty();
    if (role == Qt::ToolTipRole && failed) return QString::fromStdString(evaluation->error);
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignVCenter | (column == Column::Split ? Qt::AlignLeft : Qt::AlignRight));
    }
    if (role != Qt::DisplayRole && role != SortRole) return {};
    const bool raw = role == SortRole;
    switch (column) {
        case Column::Step:
            return raw ? QVariant(qlonglong(evaluation->step)) : units::count(evaluation->step);
        case Column::Split:
            return QString::fromStdString(evaluation->split);
        case Column::Accuracy:
            if (raw) return evaluation->accuracy;
            if (failed) return tr("failed");
            return std::isnan(evaluation->accuracy) ? QStringLiteral("–")
                                                    : units::percent(evaluation->accuracy, 2);
        case Column::Loss:
            if (raw) return evaluation->loss;
            return failed ? QStringLiteral("–") : lossText(evaluation->loss);
        case Column::Seconds:
            return raw ? QVariant(evaluation->seconds) : units::duration(evaluation->seconds);
        case Column::Count:
            break;
    }
    return {};
}

QVariant EvaluationModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignVCenter |
                   (Column(section) == Column::Split ? Qt::AlignLeft : Qt::AlignRight));
    }
    if (role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Step:
            return tr("Step");
        case Column::Split:
            return tr("Data");
        case Column::Accuracy:
            return tr("Accuracy");
        case Column::Loss:
            return tr("Loss");
        case Column::Seconds:
            return tr("Took");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui
