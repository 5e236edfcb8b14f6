// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/toml_highlighter.h"

#include <QRegularExpression>

#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

/// In which string a line ends: none, """ or '''.
enum Inside { Nothing = -1, Basic = 1, Literal = 2 };

QString quotesOf(int inside) {
    return inside == Basic ? QStringLiteral("\"\"\"") : QStringLiteral("'''");
}

/// Behind the closing quotes; -1: they are not in this line.
qsizetype endOfLong(const QString& line, qsizetype from, int inside) {
    const qsizetype found = line.indexOf(quotesOf(inside), from);
    return found < 0 ? -1 : found + 3;
}

/// Behind a string of one line; the line's end where it is not closed.
qsizetype endOfShort(const QString& line, qsizetype from, QChar quote) {
    for (qsizetype at = from + 1; at < line.size(); ++at) {
        if (quote == u'"' && line[at] == u'\\')
            ++at;
        else if (line[at] == quote)
            return at + 1;
    }
    return line.size();
}

}  // namespace

TomlHighlighter::TomlHighlighter(QTextDocument* document, const QWidget& widget)
    : QSyntaxHighlighter(document), widget_(widget) {}

void TomlHighlighter::setOn(bool on) {
    if (on == isOn_) return;
    isOn_ = on;
    rehighlight();
}

/// Behind the string that begins at `at`, perhaps the line's end.
qsizetype TomlHighlighter::skipString(const QString& line, qsizetype at) {
    for (const int kind : {Basic, Literal}) {
        if (QStringView(line).sliced(at).startsWith(quotesOf(kind))) {
            const qsizetype end = endOfLong(line, at + 3, kind);
            if (end < 0) setCurrentBlockState(kind);
            return end < 0 ? line.size() : end;
        }
    }
    return endOfShort(line, at, line[at]);
}

void TomlHighlighter::highlightBlock(const QString& line) {
    setCurrentBlockState(Nothing);
    if (!isOn_) return;
    const Theme& theme = Theme::of(&widget_);
    QTextCharFormat table;
    table.setForeground(theme.accent);
    table.setFontWeight(QFont::DemiBold);
    qsizetype at = 0;
    if (const int inside = previousBlockState(); inside == Basic || inside == Literal) {
        const qsizetype end = endOfLong(line, 0, inside);
        if (end < 0) setCurrentBlockState(inside);
        at = end < 0 ? line.size() : end;
        setFormat(0, int(at), theme.good);
    } else {
        static const QRegularExpression head(
            QStringLiteral("^\\s*\\[{1,2}[^\\[\\]=]*\\]{1,2}\\s*(?=#|$)"));
        const auto found = head.match(line);
        if (found.hasMatch()) {
            at = found.capturedEnd();
            setFormat(0, int(at), table);
        }
    }
    static const QRegularExpression value(
        QStringLiteral("\\G(?:true|false|inf|nan|[+-]?[0-9][0-9A-Za-z_.:+-]*)\\b"));
    bool isInWord = false;
    while (at < line.size()) {
        const QChar letter = line[at];
        if (letter == u'#') {
            setFormat(int(at), int(line.size() - at), theme.textSecondary);
            return;
        }
        qsizetype next = at + 1;
        if (letter == u'"' || letter == u'\'') {
            next = skipString(line, at);
            setFormat(int(at), int(next - at), theme.good);
        } else if (!isInWord) {
            if (const auto found = value.match(line, at);
                found.hasMatch() &&
                !QStringView(line).sliced(found.capturedEnd()).trimmed().startsWith(u'=')) {
                next = found.capturedEnd();
                setFormat(int(at), int(next - at), theme.warn);
            }
        }
        isInWord = letter.isLetterOrNumber() || letter == u'_' || letter == u'-' || letter == u'.';
        at = next;
    }
}

}  // namespace lockstep::ui
