// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <deque>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// The newest log lines of all processes. Keeps at most kLimit; what is dropped at the front is
/// counted (the whole log lies in the run folder). A line that is unfinished is the last one of its
/// process: the next one takes its place, at the end.
class LogModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Time, Process, Level, Text, Count };
    enum Role {
        ProcessKeyRole = Qt::UserRole + 1,  ///< int, see processKey().
        LevelRole,                          ///< int, 0 debug to 3 error.
    };
    static constexpr int kLimit = 20'000;
    static constexpr int kHeldLimit = 100'000;

    explicit LogModel(QObject* parent = nullptr);

    /// A number that tells processes of all roles apart.
    [[nodiscard]] static int processKey(job::Role role, int processId);

    void append(std::vector<job::LogEntry> entries);
    void clear();
    /// While somebody reads older lines, up to kHeldLimit are kept.
    void setHeld(bool held);
    /// The line that best tells why a process failed: the newest one that its cause quotes, else
    /// its newest error, else its newest line; -1 when it wrote none.
    [[nodiscard]] int rowOfFailure(job::Role role, int processId, const QString& cause) const;
    [[nodiscard]] qint64 droppedLines() const { return dropped_; }
    /// The last `count` lines of one process, oldest first.
    [[nodiscard]] QStringList lastLines(job::Role role, int processId, int count) const;
    /// One line as it is copied: "14:05:12  process 0  warning  text".
    [[nodiscard]] QString lineText(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    /// A process wrote its first line.
    void processAppeared(int processKey, const QString& name);

private:
    void dropFront(int count);
    void removeReplaced(const std::vector<job::LogEntry>& entries);
    [[nodiscard]] int limit() const { return held_ ? kHeldLimit : kLimit; }
    void announceNewProcesses(const std::vector<job::LogEntry>& entries);

    std::deque<job::LogEntry> entries_;
    std::vector<int> processes_;
    QHash<int, qint64> unfinished_;  ///< By process: its unfinished line, counted from the first.
    bool held_ = false;
    qint64 dropped_ = 0;
};

}  // namespace lockstep::ui
