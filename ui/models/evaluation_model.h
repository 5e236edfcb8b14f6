// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/config/job/monitor.h"
#include "core/job/fold/session.h"

namespace lockstep::ui {

using Evaluation = std::shared_ptr<const job::EvaluationView>;

/// What the evaluator scored, one row a checkpoint and split, in order of arrival.
class EvaluationModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Step, Split, Score, Loss, Seconds, Checkpoint, Count };
    enum Role { SortRole = Qt::UserRole + 1 };

    explicit EvaluationModel(QObject* parent = nullptr);

    /// Evaluations are only ever appended while a run lasts; a list that is not a continuation of
    /// the present one (another run) replaces it.
    void update(const std::vector<Evaluation>& evaluations);
    /// The steps of checkpoints whose files are gone, and of those that a user keeps.
    void setStored(const std::set<std::int64_t>& deleted, const std::set<std::int64_t>& kept);
    /// Null when the row does not exist.
    [[nodiscard]] Evaluation at(int row) const;
    /// The row that arrived last without an error; -1: none.
    [[nodiscard]] int latestRow() const;
    /// What the job's best checkpoint is chosen by; nullopt, and where that is no figure of
    /// validation: the highest validation accuracy, of equals the lower loss; of numbers the lowest
    /// loss.
    void judgeBy(const std::optional<config::Watch>& watch);
    /// -1: none.
    [[nodiscard]] int bestRow() const;
    /// What that one was judged by: "validation loss".
    [[nodiscard]] QString judgedBy() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString scoreTitle() const;
    [[nodiscard]] QString checkpointWords(int row) const;
    void tellCheckpoints();
    [[nodiscard]] bool isBetter(const job::EvaluationView& a, const job::EvaluationView& b) const;

    std::vector<Evaluation> evaluations_;
    std::set<std::int64_t> deleted_;
    std::set<std::int64_t> kept_;
    std::optional<config::Watch> watch_;
};

/// "22 of 24 scored", of the run's checkpoints.
[[nodiscard]] QString scoredText(const job::RunView& view);

}  // namespace lockstep::ui
