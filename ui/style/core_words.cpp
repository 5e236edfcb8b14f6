// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/core_words.h"

#include <QDir>
#include <QFile>
#include <QLocale>

#include "ui/style/language.h"

void initPhrases() {
    Q_INIT_RESOURCE(phrases);
}

namespace lockstep::ui {

QList<Phrase> corePhrases(const QString& language) {
    initPhrases();
    const QDir folder(QStringLiteral(":/lockstep/phrases"));
    QList<Phrase> phrases;
    for (const QString& name : folder.entryList(QDir::Files)) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            phrases += readPhrases(QString::fromUtf8(file.readAll()), language);
    }
    return phrases;
}

namespace {

/// Sentences with times in them are new all the time: so many are kept.
constexpr qsizetype kMostKept = 8192;

}  // namespace

QString fromCore(const QString& english) {
    const QLocale locale = spokenLocale();
    if (english.isEmpty() || locale.language() == QLocale::English) return english;
    struct Kept {
        QString language;
        PhraseBook book;
        QHash<QString, QString> translated;
    };
    thread_local Kept kept;
    if (kept.language != locale.name())
        kept = {locale.name(), PhraseBook(corePhrases(locale.name().section(u'_', 0, 0))), {}};
    if (const auto known = kept.translated.constFind(english); known != kept.translated.constEnd())
        return *known;
    if (kept.translated.size() >= kMostKept) kept.translated.clear();
    const QString words = kept.book.translate(english).words;
    kept.translated.insert(english, words);
    return words;
}

QString fromCore(const std::string& english) {
    return fromCore(QString::fromStdString(english));
}

}  // namespace lockstep::ui
