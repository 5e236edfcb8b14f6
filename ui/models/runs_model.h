// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// The runs of a runs folder, the newest first: what became of them, and behind that a column for
/// each setting that is asked for.
class RunsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// `Count` is the first setting's.
    enum class Column {
        Name,
        Status,
        Started,
        Took,
        Validation,
        Score,
        Folder,
        Called,
        Tags,
        Curve,
        Count
    };
    enum Role {
        SortRole = Qt::UserRole + 1,  ///< double or QString; null: there is no value.
        FolderRole,                   ///< QString: the run folder's path.
        RunningRole,                  ///< bool
        StatusRole,    ///< QString: completed | failed | stopped | running | interrupted |
                       ///< unknown
        BestRole,      ///< bool: no run of the same job has a better score, of two or more.
        WordsRole,     ///< QString: what it is found by, in small letters.
        TagsRole,      ///< QString: a line each, in small letters, between line breaks.
        SettingsRole,  ///< QString: "training.seed=1", a line each, in small letters.
        CurveRole,     ///< QList<float>: the validation score, epoch by epoch.
    };

    explicit RunsModel(QObject* parent = nullptr);

    /// What became of a run, in a word.
    [[nodiscard]] static QString statusText(const job::RunEntry& run);

    /// What the user calls it, else its folder's name.
    [[nodiscard]] static QString titleOf(const job::RunEntry& run);

    void setRuns(std::vector<job::RunEntry> runs);
    /// Keys of the job file, a column each.
    void setSettingColumns(const QStringList& keys);
    [[nodiscard]] const QStringList& settingColumns() const { return keys_; }
    /// Whether a run has something to say there: a name, tags, or a curve.
    [[nodiscard]] bool saysAnything(Column column) const;
    [[nodiscard]] const job::RunEntry& runAt(int row) const { return runs_[std::size_t(row)]; }
    /// The row of a run's folder; -1: it is not listed.
    [[nodiscard]] int rowOf(const QString& folder) const;
    /// The best of the same job that is not `row` itself: by the test data, or, where no other one
    /// was tested, by its validation data. -1: no other one has a score.
    [[nodiscard]] int rivalOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    using ScoreOfRun = std::optional<job::Score> job::RunEntry::*;

    [[nodiscard]] int bestOther(int row, ScoreOfRun score) const;
    void findBest();
    void findWords();
    [[nodiscard]] QString scoreTip(std::size_t row) const;
    [[nodiscard]] static QString curveText(const job::RunEntry& run);
    [[nodiscard]] QVariant text(const job::RunEntry& run, Column column) const;
    [[nodiscard]] QVariant sortValue(const job::RunEntry& run, Column column) const;
    [[nodiscard]] QVariant settingData(const job::RunEntry& run, int section, int role) const;

    std::vector<job::RunEntry> runs_;
    QStringList keys_;
    struct Words {
        QString plain;
        QString settings;
        QString tags;
    };
    std::vector<Words> words_;  ///< Of each run.
    /// Of each run that is the best of its job: how many it beat; else 0.
    std::vector<int> rivals_;
};

}  // namespace lockstep::ui
