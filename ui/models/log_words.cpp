// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_words.h"

#include <QStringList>
#include <algorithm>
#include <array>

#include "ui/models/words.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {

int logProcessKey(job::Role role, int processId) {
    return int(role) * 1'000'000 + processId;
}

QString logLevelName(int level) {
    switch (level) {
        case 0:
            return tr("debug");
        case 1:
            return tr("info");
        case 2:
            return tr("warning");
        default:
            return tr("error");
    }
}

/// Lines are English, whatever the window speaks; a note is what the terminal calls it.
QString logMessage(const QString& text, int level) {
    static constexpr std::array kSaid{"debug: ", "note: ", "warning: ", "error: "};
    const QLatin1String said(kSaid[std::size_t(std::clamp(level, 0, 3))]);
    return text.startsWith(said, Qt::CaseInsensitive) ? text.mid(said.size()) : text;
}

QString logRow(const job::LineFacts& facts, const QString& message) {
    return QStringList{units::timeOfDay(facts.wallTime),
                       processSentenceName(facts.role, facts.processId), logLevelName(facts.level),
                       message}
        .join(QStringLiteral("  "));
}

}  // namespace lockstep::ui
