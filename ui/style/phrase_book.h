// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>
#include <QStringView>

namespace lockstep::ui {

/// A sentence of core with places for what differs: "was killed by signal {} ({})".
struct Phrase {
    QString pattern;
    QString translation;   ///< With "{}" in the same order, or "{0}", "{1}"; "{1-}" leaves it out.
    bool isWhole = false;  ///< Fits only where all that stands in its places is translated.
};

/// Translates sentences that were made of phrases. What stands in a place of a phrase is translated
/// in its turn, so phrases nest and chain: "{}: {}" is one, too.
class PhraseBook {
public:
    PhraseBook() = default;
    explicit PhraseBook(const QList<Phrase>& phrases);

    struct Translated {
        QString words;
        int unknown = 0;  ///< How many letters of words no phrase had; 0: all is translated.
        int bent = 0;     ///< How many ends of clauses lie in a place within a phrase.
        [[nodiscard]] bool isBetterThan(const Translated& other) const {
            return unknown < other.unknown || (unknown == other.unknown && bent < other.bent);
        }
    };
    /// Of what no phrase fits, all or a part is as it was.
    [[nodiscard]] Translated translate(const QString& sentence) const;

    [[nodiscard]] qsizetype size() const { return entries_.size(); }

private:
    struct Entry {
        QStringList literals;  ///< What stands before, between and behind the places.
        qsizetype length = 0;  ///< Theirs.
        QString translation;
        bool isWhole = false;
    };
    /// One sentence that is being translated.
    struct Search {
        QList<const Entry*> fitting;       ///< Whose literals are all somewhere in the sentence.
        QHash<QString, Translated> known;  ///< Its parts.
    };

    Translated best(const QString& text, Search& search) const;
    Translated search(const QString& sentence) const;
    void tryEntries(const QString& text, Search& search, Translated& best) const;
    void tryEntry(const Entry& entry, const QString& text, Search& search, Translated& best) const;

    QList<Entry> entries_;  ///< The longest first.
};

/// Blocks of a file of phrases: a sentence in English, and below it, indented, "CODE words" for
/// each language. "[whole] " before the sentence is Phrase::isWhole. Lines that begin with # say
/// nothing.
[[nodiscard]] QList<Phrase> readPhrases(QStringView text, QStringView language);

}  // namespace lockstep::ui
