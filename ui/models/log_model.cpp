// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include <QSet>
#include <algorithm>
#include <iterator>
#include <ranges>

#include "ui/models/words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

QString levelName(int level) {
    switch (level) {
        case 0:
            return LogModel::tr("debug");
        case 1:
            return LogModel::tr("info");
        case 2:
            return LogModel::tr("warning");
        default:
            return LogModel::tr("error");
    }
}

/// Its level has a column of its own.
QString messageOf(const job::LogEntry& entry) {
    QString text = QString::fromStdString(entry.text);
    const bool isNote = entry.level == 1;  // as the terminal says it
    const QString said =
        (isNote ? QStringLiteral("note") : levelName(entry.level)) + QStringLiteral(": ");
    if (text.startsWith(said, Qt::CaseInsensitive)) text.remove(0, said.size());
    return text;
}

/// Leaves out unfinished lines that another line of the same process follows, of those that came
/// together.
void withoutReplaced(std::vector<job::LogEntry>& entries) {
    QSet<int> followed;
    std::vector<job::LogEntry> kept;
    for (job::LogEntry& entry : std::views::reverse(entries)) {
        const int key = LogModel::processKey(entry.role, entry.processId);
        if (!entry.unfinished || !followed.contains(key)) kept.push_back(std::move(entry));
        followed.insert(key);
    }
    std::reverse(kept.begin(), kept.end());
    entries = std::move(kept);
}

}  // namespace

LogModel::LogModel(QObject* parent) : QAbstractTableModel(parent) {}

int LogModel::processKey(job::Role role, int processId) {
    return int(role) * 1'000'000 + processId;
}

void LogModel::append(std::vector<job::LogEntry> entries) {
    withoutReplaced(entries);
    if (entries.empty()) return;
    announceNewProcesses(entries);
    removeReplaced(entries);
    dropFront(int(entries_.size() + entries.size()) - limit());
    if (int(entries.size()) > limit()) {
        const auto surplus = std::ptrdiff_t(entries.size()) - limit();
        entries.erase(entries.begin(), entries.begin() + surplus);
        dropped_ += surplus;
    }
    const int first = int(entries_.size());
    beginInsertRows({}, first, first + int(entries.size()) - 1);
    for (job::LogEntry& entry : entries) {
        if (entry.unfinished)
            unfinished_[processKey(entry.role, entry.processId)] =
                dropped_ + qint64(entries_.size());
        entries_.push_back(std::move(entry));
    }
    endInsertRows();
}

void LogModel::removeReplaced(const std::vector<job::LogEntry>& entries) {
    for (const job::LogEntry& entry : entries) {
        const auto found = unfinished_.constFind(processKey(entry.role, entry.processId));
        if (found == unfinished_.constEnd()) continue;
        const qint64 number = *found;
        unfinished_.erase(found);
        const int row = int(number - dropped_);
        if (row < 0) continue;
        beginRemoveRows({}, row, row);
        entries_.erase(entries_.begin() + row);
        for (qint64& other : unfinished_)
            if (other > number) --other;
        endRemoveRows();
    }
}

void LogModel::setHeld(bool held) {
    held_ = held;
    dropFront(int(entries_.size()) - limit());
}

void LogModel::dropFront(int count) {
    count = std::min(count, int(entries_.size()));
    if (count <= 0) return;
    beginRemoveRows({}, 0, count - 1);
    entries_.erase(entries_.begin(), entries_.begin() + count);
    dropped_ += count;
    endRemoveRows();
}

void LogModel::announceNewProcesses(const std::vector<job::LogEntry>& entries) {
    for (const job::LogEntry& entry : entries) {
        const int key = processKey(entry.role, entry.processId);
        if (std::find(processes_.begin(), processes_.end(), key) != processes_.end()) continue;
        processes_.push_back(key);
        Q_EMIT processAppeared(key, processSentenceName(entry.role, entry.processId));
    }
}

void LogModel::clear() {
    beginResetModel();
    entries_.clear();
    processes_.clear();
    unfinished_.clear();
    dropped_ = 0;
    endResetModel();
}

QStringList LogModel::lastLines(job::Role role, int processId, int count) const {
    QStringList lines;
    for (auto entry = entries_.rbegin(); entry != entries_.rend() && lines.size() < count;
         ++entry) {
        if (entry->role != role || entry->processId != processId) continue;
        lines.prepend(QString::fromStdString(entry->text));
    }
    return lines;
}

int LogModel::rowOfFailure(job::Role role, int processId, const QString& cause) const {
    int newest = -1;
    int newestError = -1;
    for (int row = rowCount() - 1; row >= 0; --row) {
        const job::LogEntry& entry = entries_[std::size_t(row)];
        if (entry.role != role || entry.processId != processId) continue;
        const QString text = QString::fromStdString(entry.text).trimmed();
        constexpr int kShortestQuotation = 8;
        if (text.size() >= kShortestQuotation && cause.contains(text)) return row;
        if (newest < 0) newest = row;
        if (newestError < 0 && entry.level >= 3) newestError = row;
    }
    return newestError >= 0 ? newestError : newest;
}

QString LogModel::lineText(int row) const {
    if (row < 0 || row >= rowCount()) return {};
    const job::LogEntry& entry = entries_[std::size_t(row)];
    return QStringList{units::timeOfDay(entry.wallTime),
                       processSentenceName(entry.role, entry.processId), levelName(entry.level),
                       messageOf(entry)}
        .join(QStringLiteral("  "));
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(entries_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const job::LogEntry& entry = entries_[std::size_t(index.row())];
    if (role == ProcessKeyRole) return processKey(entry.role, entry.processId);
    if (role == LevelRole) return entry.level;
    if (role == Qt::ToolTipRole && Column(index.column()) == Column::Text) {
        return QString::fromStdString(entry.text);
    }
    if (role != Qt::DisplayRole) return {};
    switch (Column(index.column())) {
        case Column::Time:
            return units::timeOfDay(entry.wallTime);
        case Column::Process:
            return processSentenceName(entry.role, entry.processId);
        case Column::Level:
            return levelName(entry.level);
        case Column::Text:
            return messageOf(entry);
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
