// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_warnings.h"

#include <QPushButton>

#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {
namespace {

QString sentenceOf(const std::string& text) {
    QString sentence = fromCore(text);
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    return sentence;
}

QString lineOf(const job::NoticeView& warning) {
    return QStringLiteral("%1  %2: %3")
        .arg(units::timeOfDay(warning.wallTime),
             processSentenceName(warning.role, warning.processId),
             QString::fromStdString(warning.sentence));
}

/// What is lost stays true, so it stands above what was said once.
NoticeBar::Notice noticeOf(const job::RunView& view) {
    NoticeBar::Notice notice{Tone::Warn, {}, {}, {}};
    QStringList sentences;
    if (!view.missing.empty()) sentences << sentenceOf(view.missing);
    if (!view.notices.empty()) sentences << sentenceOf(view.notices.back().sentence);
    notice.sentence = sentences.front();
    QStringList below = sentences.mid(1);
    if (view.notices.size() > 1)
        below << RunWarnings::tr("Warnings before it: %1. The log has them all.")
                     .arg(view.notices.size() - 1);
    notice.remedy = below.join(QLatin1Char('\n'));
    QStringList details;
    for (const job::NoticeView& warning : view.notices)
        details << lineOf(warning);
    details << QString::fromStdString(view.runDir.string());
    notice.details = details.join(QLatin1Char('\n'));
    return notice;
}

}  // namespace

RunWarnings::RunWarnings(NoticeBar& notice, QObject* parent) : QObject(parent), notice_(notice) {}

void RunWarnings::reset() {
    shown_ = 0;
    missing_.clear();
    notice_.clear();
}

void RunWarnings::showView(const job::RunView& view) {
    if (view.notices.size() == shown_ && view.missing == missing_) return;
    shown_ = view.notices.size();
    missing_ = view.missing;
    if (view.notices.empty() && view.missing.empty()) return notice_.clear();
    notice_.showNotice(noticeOf(view));
    if (view.notices.empty()) return;
    QPushButton* log = notice_.addAction(tr("Show log"));
    log->setObjectName(QStringLiteral("warningShowLog"));
    connect(log, &QPushButton::clicked, this, &RunWarnings::logRequested);
}

}  // namespace lockstep::ui
