// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_words.h"

#include <QCoreApplication>
#include <QStringList>

#include "ui/models/words.h"
#include "ui/style/units.h"

namespace lockstep::ui {

int logProcessKey(job::Role role, int processId) {
    return int(role) * 1'000'000 + processId;
}

QString logLevelName(int level) {
    switch (level) {
        case 0:
            return QCoreApplication::translate("LogModel", "debug");
        case 1:
            return QCoreApplication::translate("LogModel", "info");
        case 2:
            return QCoreApplication::translate("LogModel", "warning");
        default:
            return QCoreApplication::translate("LogModel", "error");
    }
}

QString logMessage(const QString& text, int level) {
    const bool isNote = level == 1;  // as the terminal says it
    const QString said =
        (isNote ? QStringLiteral("note") : logLevelName(level)) + QStringLiteral(": ");
    return text.startsWith(said, Qt::CaseInsensitive) ? text.mid(said.size()) : text;
}

QString logRow(const job::LineFacts& facts, const QString& message) {
    return QStringList{units::timeOfDay(facts.wallTime),
                       processSentenceName(facts.role, facts.processId), logLevelName(facts.level),
                       message}
        .join(QStringLiteral("  "));
}

}  // namespace lockstep::ui
