// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QSet>
#include <memory>
#include <optional>
#include <vector>

#include "core/job/fold/session.h"
#include "core/job/logs/log_book.h"
#include "ui/models/log_scan.h"
#include "ui/models/log_texts.h"

namespace lockstep::ui {

/// The log lines of all processes that pass a filter, however many: the texts of those in view are
/// read on demand. A traceback is one row, its first line, until it is unfolded; with a text filter
/// nothing is folded. A line that is unfinished is the last one of its process, at the end of all
/// rows. Apart from the filter, lines are searched for a text.
class LogModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Time, Process, Level, Text, Count };
    enum Role {
        ProcessKeyRole = Qt::UserRole + 1,  ///< int, see processKey().
        LevelRole,                          ///< int, 0 debug to 3 error.
        FoldRole,                           ///< int, see Fold.
        FoldedLinesRole,                    ///< int: so many lines belong to this one.
    };
    enum Fold { NotFolding, Folded, Unfolded, Inside };

    explicit LogModel(QObject* parent = nullptr);
    ~LogModel() override;

    /// A number that tells processes of all roles apart.
    [[nodiscard]] static int processKey(job::Role role, int processId);

    /// Shows this log, and what has come since it was named last.
    void follow(const std::shared_ptr<const job::LogBook>& book);
    void clear() { follow(nullptr); }
    /// Lines of the log, shown or not.
    [[nodiscard]] qint64 lineCount() const;
    /// Without those that a process has not finished.
    [[nodiscard]] qint64 finishedCount() const;
    [[nodiscard]] bool hasLog() const { return book_ != nullptr; }
    /// The last `count` lines of one process, at most 40, oldest first.
    [[nodiscard]] QStringList lastLines(job::Role role, int processId, int count) const;

    /// `processKey`: nullopt lets all processes pass.
    void setFilter(const LogPattern& text, std::optional<int> processKey, int minimumLevel);
    /// The filter has not come to the end of the log yet.
    [[nodiscard]] bool isFiltering() const;
    [[nodiscard]] double filterProgress() const;
    /// Whether the filter has come to a line.
    [[nodiscard]] bool hasCome(qint64 line) const { return line < qint64(scan_.filtered()); }
    /// Whether the filter is one that may hold lines back.
    [[nodiscard]] bool holdsBack() const;
    /// Lines that passed it, folded or not.
    [[nodiscard]] qint64 passedCount() const { return passed_ + qint64(unfinished_.size()); }

    void setFind(const LogPattern& pattern);
    void stopFind() { scan_.stopFind(); }
    [[nodiscard]] const LogPattern& find() const { return find_; }
    /// Lines that hold what is looked for, in order; they may be folded.
    [[nodiscard]] const LogScan::Lines& found() const { return found_; }
    [[nodiscard]] bool isFinding() const;
    /// How much of the log was searched, 0 to 1.
    [[nodiscard]] double findProgress() const;

    /// The line of a row, counted from 0 over the whole log; -1: it is unfinished.
    [[nodiscard]] qint64 lineAt(int row) const;
    /// The row of a line, which is unfolded where it has to be; -1: the filter holds it back.
    int showLine(qint64 line);
    /// The first row at or behind a line; the last one where there is none.
    [[nodiscard]] int rowAtOrBehind(qint64 line) const;
    [[nodiscard]] std::optional<double> wallTimeAt(int row) const;
    /// The first line at a time or later.
    [[nodiscard]] qint64 lineAtTime(double wallTime) const;
    void setUnfolded(int row, bool unfolded);
    /// The row of a traceback's first line; -1: `row` is inside none.
    [[nodiscard]] int headOf(int row) const;

    /// Answers by copied().
    void copy(const std::vector<std::pair<int, int>>& rowRanges);
    /// Answers by failureFound().
    void findFailure(job::Role role, int processId, const QString& cause);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    /// What comes now is another log.
    void forgotten();
    /// A process wrote its first line.
    void processAppeared(int processKey, const QString& name);
    /// What is found, or how far the search has come.
    void findChanged();
    /// The whole log has grown, rows or not.
    void grown();
    /// `count` lines, of `wanted`.
    void copied(const QString& text, int count, int wanted);
    /// -1: the process wrote nothing.
    void failureFound(qint64 line);

private:
    void announceProcesses();
    void showUnfinished();
    void setUnfinished(std::vector<job::LogEntry> entries);
    void addRows(const LogScan::Lines& lines, const LogScan::Lines& continuing);
    void tellGrownBlocks(const LogScan::Lines& continuing);
    void takeTexts(const LogScan::Texts& texts);
    void fetchMissing();
    [[nodiscard]] std::optional<QString> textOf(quint32 line) const;
    [[nodiscard]] std::optional<QString> heldText(quint32 line) const;
    [[nodiscard]] QString shownText(int row) const;
    [[nodiscard]] QString timeTip(int row, double wallTime) const;
    [[nodiscard]] job::LineFacts factsOf(int row) const;
    [[nodiscard]] bool folds() const { return filter_.text.isEmpty(); }
    [[nodiscard]] int foldOf(int row, const job::LineFacts& facts) const;
    [[nodiscard]] bool passes(const job::LogEntry& entry) const;
    void copyRow(int row, LogScan::Lines& lines);
    [[nodiscard]] std::vector<quint32> hiddenBehind(quint32 head) const;

    std::shared_ptr<const job::LogBook> book_;
    quint64 revision_ = 0;
    std::size_t announced_ = 0;  ///< Processes.
    LogFilter filter_;
    LogPattern find_;
    LogScan::Lines rows_;
    qint64 passed_ = 0;
    std::vector<job::LogEntry> unfinished_;  ///< Rows behind those.
    LogScan::Lines found_;
    QSet<quint32> unfolded_;
    int copyWanted_ = 0;
    QStringList copyTail_;  ///< Rows that no file has yet.
    mutable LogTexts texts_;
    mutable QSet<quint32> asked_;           ///< Of the scan, and not here yet.
    mutable std::vector<quint32> missing_;  ///< To be asked for.
    mutable bool willFetch_ = false;
    LogScan scan_;
};

}  // namespace lockstep::ui
