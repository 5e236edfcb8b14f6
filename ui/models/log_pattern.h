// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QList>
#include <QRegularExpression>
#include <QString>

namespace lockstep::ui {

/// What is looked for in lines.
struct LogQuery {
    QString text;  ///< Empty: nothing.
    bool isRegex = false;
    bool matchCase = false;
    bool operator==(const LogQuery&) const = default;
};

/// A query made ready. Copies may be used by several threads.
class LogPattern {
    Q_DECLARE_TR_FUNCTIONS(lockstep::ui::LogPattern)
public:
    struct Span {
        qsizetype begin = 0;
        qsizetype length = 0;
        bool operator==(const Span&) const = default;
    };

    LogPattern() = default;
    explicit LogPattern(const LogQuery& query);

    [[nodiscard]] const LogQuery& query() const { return query_; }
    /// Nothing is looked for: that includes a regular expression that is none.
    [[nodiscard]] bool isEmpty() const { return query_.text.isEmpty() || !problem_.isEmpty(); }
    /// What is wrong with the regular expression, in a sentence; empty: nothing.
    [[nodiscard]] const QString& problem() const { return problem_; }
    /// Whether it is somewhere in the text. Matches of no characters do not count.
    [[nodiscard]] bool isIn(const QString& text) const;
    /// Where it is, from left to right.
    [[nodiscard]] QList<Span> spans(const QString& text) const;

private:
    [[nodiscard]] Qt::CaseSensitivity sensitivity() const {
        return query_.matchCase ? Qt::CaseSensitive : Qt::CaseInsensitive;
    }

    LogQuery query_;
    QRegularExpression regex_;
    QString problem_;
};

}  // namespace lockstep::ui
