// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include <algorithm>
#include <iterator>

#include "ui/models/words.h"

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

}  // namespace

LogModel::LogModel(QObject* parent) : QAbstractTableModel(parent) {}

int LogModel::processKey(job::Role role, int processId) {
    return int(role) * 1'000'000 + processId;
}

void LogModel::append(std::vector<job::LogEntry> entries) {
    if (entries.empty()) return;
    if (int(entries.size()) > kLimit) {
        const auto surplus = std::ptrdiff_t(entries.size()) - kLimit;
        entries.erase(entries.begin(), entries.begin() + surplus);
        dropped_ += surplus;
    }
    dropFront(int(entries_.size() + entries.size()) - kLimit);
    announceNewProcesses(entries);
    const int first = int(entries_.size());
    beginInsertRows({}, first, first + int(entries.size()) - 1);
    std::move(entries.begin(), entries.end(), std::back_inserter(entries_));
    endInsertRows();
}

void LogModel::dropFront(int count) {
    if (count <= 0) return;
    beginRemoveRows({}, 0, count - 1);
    entries_.erase(entries_.begin(), entries_.begin() + count);
    endRemoveRows();
    dropped_ += count;
}

void LogModel::announceNewProcesses(const std::vector<job::LogEntry>& entries) {
    for (const job::LogEntry& entry : entries) {
        const int key = processKey(entry.role, entry.processId);
        if (std::find(processes_.begin(), processes_.end(), key) != processes_.end()) continue;
        processes_.push_back(key);
        emit processAppeared(key, processSentenceName(entry.role, entry.processId));
    }
}

void LogModel::clear() {
    beginResetModel();
    entries_.clear();
    processes_.clear();
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

QString LogModel::lineText(int row) const {
    if (row < 0 || row >= rowCount()) return {};
    const job::LogEntry& entry = entries_[std::size_t(row)];
    return QStringList{timeOfDay(entry.wallTime), processSentenceName(entry.role, entry.processId),
                       levelName(entry.level), QString::fromStdString(entry.text)}
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
            return timeOfDay(entry.wallTime);
        case Column::Process:
            return processSentenceName(entry.role, entry.processId);
        case Column::Level:
            return levelName(entry.level);
        case Column::Text:
            return QString::fromStdString(entry.text);
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
