// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_pattern.h"

#include "ui/style/translated.h"

namespace lockstep::ui {

LogPattern::LogPattern(const LogQuery& query) : query_(query) {
    if (!query.isRegex || query.text.isEmpty()) return;
    regex_ =
        QRegularExpression(query.text, query.matchCase ? QRegularExpression::NoPatternOption
                                                       : QRegularExpression::CaseInsensitiveOption);
    if (regex_.isValid()) {
        regex_.optimize();
        return;
    }
    problem_ = tr("Not a regular expression: %1, at character %2")
                   .arg(regex_.errorString())
                   .arg(regex_.patternErrorOffset() + 1);
}

bool LogPattern::isIn(const QString& text) const {
    if (isEmpty()) return false;
    if (!query_.isRegex) return text.contains(query_.text, sensitivity());
    const QRegularExpressionMatch first = regex_.match(text);
    if (!first.hasMatch() || first.capturedLength() > 0) return first.hasMatch();
    return !spans(text).isEmpty();
}

QList<LogPattern::Span> LogPattern::spans(const QString& text) const {
    QList<Span> found;
    if (isEmpty()) return found;
    if (query_.isRegex) {
        for (const QRegularExpressionMatch& match : regex_.globalMatch(text))
            if (match.capturedLength() > 0)
                found << Span{match.capturedStart(), match.capturedLength()};
        return found;
    }
    const qsizetype length = query_.text.size();
    for (qsizetype at = text.indexOf(query_.text, 0, sensitivity()); at >= 0;
         at = text.indexOf(query_.text, at + length, sensitivity()))
        found << Span{at, length};
    return found;
}

}  // namespace lockstep::ui
