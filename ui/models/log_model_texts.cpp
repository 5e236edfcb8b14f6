// SPDX-License-Identifier: GPL-3.0-or-later
// What the log's rows say: texts in memory, or read in the background for those in view and to be copied.
#include <algorithm>
#include <utility>

#include "ui/models/log_model.h"
#include "ui/models/log_words.h"

namespace lockstep::ui {
namespace {

constexpr int kAround = 60;  ///< Rows that are read together with those in view.

}  // namespace

void LogModel::takeTexts(const LogScan::Texts& texts) {
    if (texts.empty()) return;
    quint32 first = texts.front().first;
    quint32 last = first;
    for (const auto& [line, text] : texts) {
        texts_.put(line, text);
        asked_.remove(line);
        first = std::min(first, line);
        last = std::max(last, line);
    }
    if (rowCount() == 0) return;
    // The row of a traceback says its last line, too: that may lie far behind.
    Q_EMIT dataChanged(index(std::max(0, rowAtOrBehind(first) - kAround), int(Column::Text)),
                       index(rowAtOrBehind(last), int(Column::Text)));
}

/// Not at once: what is asked for in one picture is asked for together, with what lies around it.
void LogModel::fetchMissing() {
    willFetch_ = false;
    if (missing_.empty()) return;
    const auto [first, last] = std::ranges::minmax(missing_);
    const int firstRow = std::max(0, rowAtOrBehind(first) - kAround);
    const int lastRow = std::min(rowAtOrBehind(last) + kAround, int(rows_.size()) - 1);
    LogScan::Lines wanted = std::exchange(missing_, {});
    constexpr int kMostRows = 2000;
    for (int row = firstRow; row <= lastRow && lastRow - firstRow < kMostRows; ++row)
        wanted.push_back(rows_[std::size_t(row)]);
    std::erase_if(wanted, [this](quint32 line) {
        if (asked_.contains(line) || texts_.find(line) != nullptr) return true;
        asked_.insert(line);
        return false;
    });
    if (!wanted.empty()) scan_.fetch(std::move(wanted));
}

std::optional<QString> LogModel::heldText(quint32 line) const {
    if (const QString* text = texts_.find(line)) return *text;
    const auto text = book_->textInMemory(line);
    if (!text) return std::nullopt;
    texts_.put(line, logMessage(QString::fromStdString(*text), book_->facts(line).level));
    return *texts_.find(line);
}

std::optional<QString> LogModel::textOf(quint32 line) const {
    if (auto text = heldText(line)) return text;
    if (asked_.contains(line)) return std::nullopt;
    missing_.push_back(line);
    if (!std::exchange(willFetch_, true))
        QMetaObject::invokeMethod(const_cast<LogModel*>(this), &LogModel::fetchMissing,
                                  Qt::QueuedConnection);
    return std::nullopt;
}

QString LogModel::shownText(int row) const {
    const qint64 line = lineAt(row);
    if (line < 0) {
        const job::LogEntry& entry = unfinished_[std::size_t(row) - rows_.size()];
        return logMessage(QString::fromStdString(entry.text), entry.level);
    }
    QString text = textOf(quint32(line)).value_or(QString());
    if (foldOf(row, book_->facts(std::size_t(line))) != Folded) return text;
    // What it comes to: the last line that is not blank.
    const auto lines = book_->continuation(std::size_t(line));
    for (auto last = lines.rbegin(); last != lines.rend(); ++last) {
        if (book_->facts(*last).level < 3) continue;
        return text + QStringLiteral(" … ") + textOf(quint32(*last)).value_or(QString()).trimmed();
    }
    return text;
}

void LogModel::copy(const std::vector<std::pair<int, int>>& rowRanges) {
    LogScan::Lines lines;
    qint64 untold = 0;  // rows behind the most that are copied
    copyTail_.clear();
    for (const auto& [first, last] : rowRanges) {
        int row = first;
        for (; row <= last && lines.size() < LogScan::kMostCopied; ++row)
            copyRow(row, lines);
        untold += last - row + 1;
    }
    copyWanted_ = int(qint64(lines.size()) + copyTail_.size() + untold);
    scan_.copy(std::move(lines));
}

/// With what is folded behind it; a line that is not finished yet comes last.
void LogModel::copyRow(int row, LogScan::Lines& lines) {
    const job::LineFacts facts = factsOf(row);
    const qint64 line = lineAt(row);
    if (line < 0) {
        const job::LogEntry& entry = unfinished_[std::size_t(row) - rows_.size()];
        copyTail_ << logRow(facts, logMessage(QString::fromStdString(entry.text), entry.level));
        return;
    }
    lines.push_back(quint32(line));
    if (foldOf(row, facts) != Folded) return;
    const std::vector<quint32> hidden = hiddenBehind(quint32(line));
    lines.insert(lines.end(), hidden.begin(), hidden.end());
}

}  // namespace lockstep::ui
