// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/models/log_words.h"
#include "ui/models/words.h"
#include "ui/style/units.h"

namespace lockstep::ui {

LogModel::LogModel(QObject* parent) : QAbstractTableModel(parent) {
    connect(&scan_, &LogScan::passed, this, &LogModel::addRows);
    connect(&scan_, &LogScan::fetched, this, &LogModel::takeTexts);
    connect(&scan_, &LogScan::found, this, [this](const LogScan::Lines& lines) {
        found_.insert(found_.end(), lines.begin(), lines.end());
        Q_EMIT findChanged();
    });
    connect(&scan_, &LogScan::copied, this, [this](QString text, int lines) {
        for (const QString& row : std::exchange(copyTail_, {})) {
            if (lines++ > 0) text += QLatin1Char('\n');
            text += row;
        }
        Q_EMIT copied(text, lines, copyWanted_);
    });
    connect(&scan_, &LogScan::failureFound, this, &LogModel::failureFound);
}

LogModel::~LogModel() = default;

int LogModel::processKey(job::Role role, int processId) {
    return logProcessKey(role, processId);
}

void LogModel::follow(const std::shared_ptr<const job::LogBook>& book) {
    if (book != book_) {
        beginResetModel();
        book_ = book;
        revision_ = 0;
        announced_ = 0;
        rows_.clear();
        passed_ = 0;
        unfinished_.clear();
        found_.clear();
        unfolded_.clear();
        texts_.clear();
        asked_.clear();
        scan_.follow(book_);
        endResetModel();
        Q_EMIT forgotten();
        Q_EMIT findChanged();
    }
    if (!book_ || book_->revision() == revision_) return;
    revision_ = book_->revision();
    announceProcesses();
    showUnfinished();
    scan_.wake();
    Q_EMIT grown();
}

void LogModel::announceProcesses() {
    const auto processes = book_->processes();
    for (; announced_ < processes.size(); ++announced_) {
        const auto& process = processes[announced_];
        Q_EMIT processAppeared(processKey(process.role, process.processId),
                               processSentenceName(process.role, process.processId));
    }
}

bool LogModel::passes(const job::LogEntry& entry) const {
    if (entry.level < filter_.level) return false;
    if (filter_.process && processKey(entry.role, entry.processId) != *filter_.process)
        return false;
    return filter_.text.isEmpty() ||
           filter_.text.isIn(logMessage(QString::fromStdString(entry.text), entry.level));
}

void LogModel::showUnfinished() {
    std::vector<job::LogEntry> entries = book_ ? book_->unfinished() : decltype(unfinished_)();
    std::erase_if(entries, [this](const job::LogEntry& entry) { return !passes(entry); });
    setUnfinished(std::move(entries));
}

void LogModel::setUnfinished(std::vector<job::LogEntry> entries) {
    const int first = int(rows_.size());
    const int before = int(unfinished_.size());
    const int now = int(entries.size());
    if (now < before) {
        beginRemoveRows({}, first + now, first + before - 1);
        unfinished_ = std::move(entries);
        endRemoveRows();
    } else if (now > before) {
        beginInsertRows({}, first + before, first + now - 1);
        unfinished_ = std::move(entries);
        endInsertRows();
    } else {
        unfinished_ = std::move(entries);
    }
    const int common = std::min(before, now);
    if (common > 0)
        Q_EMIT dataChanged(index(first, 0), index(first + common - 1, int(Column::Text)));
}

qint64 LogModel::finishedCount() const {
    return book_ ? qint64(book_->size()) : 0;
}

qint64 LogModel::lineCount() const {
    return book_ ? qint64(book_->size() + book_->unfinished().size()) : 0;
}

QStringList LogModel::lastLines(job::Role role, int processId, int count) const {
    QStringList lines;
    if (!book_) return lines;
    for (const std::string& line : book_->lastLines(role, processId))
        lines << QString::fromStdString(line);
    return lines.mid(std::max<qsizetype>(0, lines.size() - count));
}

void LogModel::setFilter(const LogPattern& text, std::optional<int> processKey, int minimumLevel) {
    if (text.query() == filter_.text.query() && processKey == filter_.process &&
        minimumLevel == filter_.level)
        return;
    filter_ = {text, processKey, minimumLevel};
    beginResetModel();
    rows_.clear();
    passed_ = 0;
    unfinished_.clear();
    found_.clear();
    scan_.setFilter(filter_);
    endResetModel();
    showUnfinished();
    Q_EMIT findChanged();
}

bool LogModel::isFiltering() const {
    return book_ && scan_.filtered() < book_->size();
}

double LogModel::filterProgress() const {
    const auto all = book_ ? double(book_->size()) : 0;
    return all > 0 ? double(scan_.filtered()) / all : 1;
}

bool LogModel::holdsBack() const {
    return !filter_.text.isEmpty() || filter_.process || filter_.level > 0;
}

void LogModel::setFind(const LogPattern& pattern) {
    if (pattern.query() == find_.query()) return;
    find_ = pattern;
    found_.clear();
    scan_.setFind(find_);
    Q_EMIT findChanged();
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, int(Column::Text)), index(rowCount() - 1, int(Column::Text)));
}

bool LogModel::isFinding() const {
    return book_ && !find_.isEmpty() && !scan_.isFindStopped() && scan_.searched() < book_->size();
}

double LogModel::findProgress() const {
    const auto all = book_ ? double(book_->size()) : 0;
    return all > 0 ? double(scan_.searched()) / all : 1;
}

void LogModel::addRows(const LogScan::Lines& lines, const LogScan::Lines& continuing) {
    passed_ += qint64(lines.size() + continuing.size());
    LogScan::Lines rows;
    if (unfolded_.isEmpty()) {
        rows = lines;
    } else {
        LogScan::Lines open;
        for (const quint32 line : continuing)
            if (unfolded_.contains(line - book_->facts(line).block)) open.push_back(line);
        std::ranges::merge(lines, open, std::back_inserter(rows));
    }
    if (!rows.empty()) {
        const int first = int(rows_.size());
        beginInsertRows({}, first, first + int(rows.size()) - 1);
        rows_.insert(rows_.end(), rows.begin(), rows.end());
        endInsertRows();
    }
    tellGrownBlocks(continuing);
    Q_EMIT grown();
    if (!find_.isEmpty()) Q_EMIT findChanged();
}

/// A row that stands for more lines than before.
void LogModel::tellGrownBlocks(const LogScan::Lines& continuing) {
    std::optional<quint32> told;
    constexpr std::size_t kMost = 200;  // of history all rows are new
    for (std::size_t i = 0; i < std::min(continuing.size(), kMost); ++i) {
        const quint32 head = continuing[i] - book_->facts(continuing[i]).block;
        if (head == told) continue;
        told = head;
        const auto row = std::ranges::lower_bound(rows_, head);
        if (row == rows_.end() || *row != head) continue;
        const QModelIndex changed = index(int(row - rows_.begin()), int(Column::Text));
        Q_EMIT dataChanged(changed, changed);
    }
}

qint64 LogModel::lineAt(int row) const {
    return row >= 0 && row < int(rows_.size()) ? qint64(rows_[std::size_t(row)]) : -1;
}

int LogModel::rowAtOrBehind(qint64 line) const {
    const auto found =
        std::ranges::lower_bound(rows_, line, {}, [](quint32 l) { return qint64(l); });
    return std::min(int(found - rows_.begin()), rowCount() - 1);
}

int LogModel::showLine(qint64 line) {
    if (!book_ || line < 0 || line >= qint64(book_->size())) return -1;
    const auto rowOf = [this](qint64 wanted) {
        const int row = rowAtOrBehind(wanted);
        return lineAt(row) == wanted ? row : -1;
    };
    if (const int row = rowOf(line); row >= 0) return row;
    const job::LineFacts facts = book_->facts(std::size_t(line));
    if (!facts.continues) return -1;
    const int head = rowOf(line - facts.block);
    if (head < 0) return -1;
    setUnfolded(head, true);
    return rowOf(line);
}

std::optional<double> LogModel::wallTimeAt(int row) const {
    if (row < 0 || row >= rowCount()) return std::nullopt;
    return factsOf(row).wallTime;
}

qint64 LogModel::lineAtTime(double wallTime) const {
    return book_ ? qint64(book_->firstAt(wallTime)) : 0;
}

int LogModel::headOf(int row) const {
    const qint64 line = lineAt(row);
    if (line < 0) return -1;
    const job::LineFacts facts = book_->facts(std::size_t(line));
    if (!facts.continues) return -1;
    const int head = rowAtOrBehind(line - facts.block);
    return lineAt(head) == line - facts.block ? head : -1;
}

std::vector<quint32> LogModel::hiddenBehind(quint32 head) const {
    std::vector<quint32> lines;
    for (const std::size_t line : book_->continuation(head))
        if (line < scan_.filtered() && book_->facts(line).level >= filter_.level)
            lines.push_back(quint32(line));
    return lines;
}

void LogModel::setUnfolded(int row, bool unfolded) {
    const qint64 head = lineAt(row);
    if (head < 0 || foldOf(row, factsOf(row)) != (unfolded ? Folded : Unfolded)) return;
    if (unfolded)
        unfolded_.insert(quint32(head));
    else
        unfolded_.remove(quint32(head));
    const std::vector<quint32> lines = hiddenBehind(quint32(head));
    // Between them lie lines of other processes: stretch by stretch.
    for (std::size_t begin = 0; begin < lines.size();) {
        const auto at = std::ranges::lower_bound(rows_, lines[begin]) - rows_.begin();
        std::size_t end = begin + 1;
        if (unfolded) {
            const bool isLast = at == std::ptrdiff_t(rows_.size());
            while (end < lines.size() && (isLast || lines[end] < rows_[std::size_t(at)]))
                ++end;
            beginInsertRows({}, int(at), int(at) + int(end - begin) - 1);
            rows_.insert(rows_.begin() + at, lines.begin() + std::ptrdiff_t(begin),
                         lines.begin() + std::ptrdiff_t(end));
            endInsertRows();
        } else {
            while (end < lines.size() && std::size_t(at) + end - begin < rows_.size() &&
                   rows_[std::size_t(at) + end - begin] == lines[end])
                ++end;
            beginRemoveRows({}, int(at), int(at) + int(end - begin) - 1);
            rows_.erase(rows_.begin() + at, rows_.begin() + at + std::ptrdiff_t(end - begin));
            endRemoveRows();
        }
        begin = end;
    }
    Q_EMIT dataChanged(index(row, 0), index(row, int(Column::Text)));
}

void LogModel::findFailure(job::Role role, int processId, const QString& cause) {
    scan_.findFailure(role, processId, cause);
}

job::LineFacts LogModel::factsOf(int row) const {
    if (const qint64 line = lineAt(row); line >= 0) return book_->facts(std::size_t(line));
    const job::LogEntry& entry = unfinished_[std::size_t(row) - rows_.size()];
    return {entry.wallTime, entry.processId, entry.role, entry.level, false, 0};
}

int LogModel::foldOf(int row, const job::LineFacts& facts) const {
    const qint64 line = lineAt(row);
    if (line < 0 || !folds()) return NotFolding;
    if (facts.continues) return Inside;
    if (facts.block == 0) return NotFolding;
    return unfolded_.contains(quint32(line)) ? Unfolded : Folded;
}

QString LogModel::timeTip(int row, double wallTime) const {
    const QString when = units::dateAndTime(wallTime);
    const qint64 line = lineAt(row);
    const QString where = line < 0 ? tr("Not finished yet") : tr("Line %1").arg(line + 1);
    return tr("%1, %2. A click puts the charts' crosshair there.").arg(where, when);
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size() + unfinished_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const job::LineFacts facts = factsOf(index.row());
    const bool isText = Column(index.column()) == Column::Text;
    if (role == ProcessKeyRole) return processKey(facts.role, facts.processId);
    if (role == LevelRole) return facts.level;
    if (role == FoldRole) return foldOf(index.row(), facts);
    if (role == FoldedLinesRole) return facts.continues ? 0 : int(facts.block);
    if (role == Qt::ToolTipRole && isText) return shownText(index.row());
    if (role == Qt::ToolTipRole && Column(index.column()) == Column::Time)
        return timeTip(index.row(), facts.wallTime);
    if (role != Qt::DisplayRole) return {};
    switch (Column(index.column())) {
        case Column::Time:
            return units::timeOfDay(facts.wallTime);
        case Column::Process:
            return processSentenceName(facts.role, facts.processId);
        case Column::Level:
            return logLevelName(facts.level);
        case Column::Text:
            return shownText(index.row());
        case Column::Count:
            break;
    }
    return {};
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Time:
            return tr("Time");
        case Column::Process:
            return tr("Process");
        case Column::Level:
            return tr("Level");
        case Column::Text:
            return tr("Message");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui
