// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/job/fold/session.h"
#include "ui/models/log_pattern.h"

namespace lockstep::job {
class LogBook;
}

namespace lockstep::ui {

/// Which lines are shown.
struct LogFilter {
    LogPattern text;             ///< Empty: all of them.
    std::optional<int> process;  ///< As logProcessKey().
    int level = 0;               ///< And above: 0 debug to 3 error.
};

/// Goes through the lines of a log on a thread of its own, "log-read": which of them pass the
/// filter, which of those hold what is looked for, and the texts that somebody wants to see, which
/// come first. Answers come by signals, in order, and only those to the newest question; as many
/// wait for the UI thread as it can take between two pictures. All calls return at once.
class LogScan final : public QObject {
    Q_OBJECT
public:
    using Lines = std::vector<quint32>;
    using Texts = std::vector<std::pair<quint32, QString>>;
    static constexpr int kMostCopied = 200'000;

    explicit LogScan(QObject* parent = nullptr);
    ~LogScan() override;

    /// Another log, from its first line on; null: none.
    void follow(std::shared_ptr<const job::LogBook> book);
    /// The log has grown.
    void wake();
    void setFilter(const LogFilter& filter);
    void setFind(const LogPattern& pattern);
    /// Looks no further, until something else is looked for or looked through; what was found
    /// stays.
    void stopFind();
    void fetch(Lines lines);
    /// The texts of lines as they are copied, with time, process and level, at most kMostCopied.
    void copy(Lines lines);
    /// The line that best tells why a process failed: the newest one that its cause quotes, else
    /// its newest error, else its newest line.
    void findFailure(job::Role role, int processId, const QString& cause);

    /// Lines that were held against the filter, and against what is looked for.
    [[nodiscard]] quint32 filtered() const { return filtered_; }
    [[nodiscard]] quint32 searched() const { return searched_; }
    [[nodiscard]] bool isFindStopped() const { return findStopped_; }

Q_SIGNALS:
    /// More lines that pass the filter; without a text filter those that go on with a traceback
    /// come apart.
    void passed(const lockstep::ui::LogScan::Lines& lines,
                const lockstep::ui::LogScan::Lines& continuing);
    void found(const lockstep::ui::LogScan::Lines& lines);
    void fetched(const lockstep::ui::LogScan::Texts& texts);
    void copied(const QString& text, int lines);
    /// -1: the process wrote nothing.
    void failureFound(qint64 line);

private:
    class Worker;

    std::unique_ptr<Worker> worker_;
    quint32 filtered_ = 0;
    quint32 searched_ = 0;
    bool findStopped_ = false;
};

}  // namespace lockstep::ui
