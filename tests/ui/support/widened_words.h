// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace lockstep::testsupport {

/// A language that has every word of the window in «marks» and 40 % longer: what stands on the
/// screen without marks cannot be translated, and what does not fit would not in others.
class WidenedWords final : public QTranslator {
public:
    [[nodiscard]] bool isEmpty() const override { return false; }
    [[nodiscard]] QString translate(const char* context, const char* source,
                                    const char* /*comment*/, int /*count*/) const override {
        if (!QLatin1String(context).startsWith(QLatin1String("lockstep::ui"))) return {};
        const QString words = QString::fromUtf8(source);
        qsizetype letters = 0;
        for (const QChar letter : words)
            letters += letter.isLetter() ? 1 : 0;
        if (letters == 0) return {};
        const QString more((letters * 2 + 4) / 5, u'x');
        // Filters of file dialogs are read by Qt: the pattern stays the end.
        const qsizetype pattern = words.indexOf(QLatin1String(" (*"));
        return pattern < 0 ? u'«' + words + more + u'»'
                           : u'«' + words.first(pattern) + more + u'»' + words.sliced(pattern);
    }
};

}  // namespace lockstep::testsupport
