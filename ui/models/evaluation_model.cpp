// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/evaluation_model.h"

#include <algorithm>
#include <cmath>

#include "core/job/fold/score.h"
#include "core/job/fold/scored_checkpoints.h"
#include "ui/models/metric_words.h"
#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

QString scoreWords(const job::EvaluationView& evaluation) {
    const job::Score score = job::scoreOf(evaluation);
    return score.name == "loss" ? QStringLiteral("–") : metricValue(score.name, score.value);
}

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
    tellCheckpoints();
}

QString EvaluationModel::judgedBy() const {
    const Evaluation best = at(bestRow());
    const std::string name = watch_ ? config::monitorName(watch_->monitor, watch_->metric)
                             : best && std::isnan(best->accuracy) ? "validation_loss"
                                                                  : "validation_accuracy";
    if (name == "validation_loss") return tr("validation loss");
    if (name == "validation_accuracy") return tr("validation accuracy");
    return tr("%1 %2").arg(splitName("validation"), metricShortName(watch_->metric));
}

QString scoredText(const job::RunView& view) {
    const job::ScoredCheckpoints count = job::scoredCheckpoints(view);
    return (count.checkpoints == 1 ? EvaluationModel::tr("%1 of %2 checkpoint scored")
                                   : EvaluationModel::tr("%1 of %2 checkpoints scored"))
        .arg(units::count(qint64(count.scored)), units::count(qint64(count.checkpoints)));
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
    Q_EMIT headerDataChanged(Qt::Horizontal, int(Column::Score), int(Column::Score));
    tellCheckpoints();
}

void EvaluationModel::setStored(const std::set<std::int64_t>& deleted,
                                const std::set<std::int64_t>& kept) {
    if (deleted == deleted_ && kept == kept_) return;
    deleted_ = deleted;
    kept_ = kept;
    tellCheckpoints();
}

void EvaluationModel::tellCheckpoints() {
    if (rowCount() == 0) return;
    Q_EMIT dataChanged(index(0, int(Column::Checkpoint)),
                       index(rowCount() - 1, int(Column::Checkpoint)));
}

/// "best", "kept", "deleted", several of them, or nothing.
QString EvaluationModel::checkpointWords(int row) const {
    QStringList words;
    if (row == bestRow()) words << tr("best");
    if (kept_.contains(at(row)->step)) words << tr("kept");
    if (deleted_.contains(at(row)->step)) words << tr("deleted");
    return words.join(QStringLiteral(", "));
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
    if (role == Qt::ToolTipRole && column == Column::Checkpoint &&
        deleted_.contains(evaluation->step))
        return tr(
            "The checkpoint's files are gone: checkpoint.keep says how many of the newest "
            "stay, checkpoint.keep_best keeps the best at an epoch's end, too.");
    if (role == Qt::ToolTipRole && failed) return fromCore(evaluation->error);
    if (role == Qt::TextAlignmentRole) {
        const bool isWord = column == Column::Split || column == Column::Checkpoint;
        return int(Qt::AlignVCenter | (isWord ? Qt::AlignLeft : Qt::AlignRight));
    }
    if (role != Qt::DisplayRole && role != SortRole) return {};
    const bool raw = role == SortRole;
    switch (column) {
        case Column::Step:
            return raw ? QVariant(qlonglong(evaluation->step)) : units::count(evaluation->step);
        case Column::Split:
            return splitName(evaluation->split);
        case Column::Score:
            if (raw) return job::scoreOf(*evaluation).value;
            if (failed) return tr("not scored");
            return scoreWords(*evaluation);
        case Column::Loss:
            if (raw) return evaluation->loss;
            return failed ? QStringLiteral("–") : lossText(evaluation->loss);
        case Column::Seconds:
            if (raw) return evaluation->seconds;
            return failed && evaluation->seconds <= 0
                       ? QStringLiteral("–")  // nobody began
                       : units::milliseconds(evaluation->seconds * 1000);
        case Column::Checkpoint:
            return checkpointWords(index.row());
        case Column::Count:
            break;
    }
    return {};
}

/// What the column of scores holds: of numbers a metric of theirs.
QString EvaluationModel::scoreTitle() const {
    const Evaluation latest = at(latestRow());
    if (!latest || !std::isnan(latest->accuracy)) return tr("Accuracy");
    const std::string name = job::scoreOf(*latest).name;
    return name == "loss" ? tr("Score") : metricShortName(name);  // the loss has its own column
}

QVariant EvaluationModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        const auto column = Column(section);
        const bool isWord = column == Column::Split || column == Column::Checkpoint;
        return int(Qt::AlignVCenter | (isWord ? Qt::AlignLeft : Qt::AlignRight));
    }
    if (role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Step:
            return tr("Step");
        case Column::Split:
            return tr("Data");
        case Column::Score:
            return scoreTitle();
        case Column::Loss:
            return tr("Loss");
        case Column::Seconds:
            return tr("Took");
        case Column::Checkpoint:
            return tr("Checkpoint");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui
