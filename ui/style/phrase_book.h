// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>
#include <QStringView>
#include <tuple>

namespace lockstep::ui {

/// A sentence of core with places for what differs: "cannot write {}: {~}". What stands in "{}" is
/// data (a name, a path, a command, a number) and stays to the letter; in "{~}" stand words of
/// core, which are translated in their turn.
struct Phrase {
    QString pattern;
    QString translation;   ///< With "{}" in the same order, or "{0}", "{1}"; "{1-}" leaves it out.
    bool isWhole = false;  ///< Fits only where all that stands in its places is translated.
    bool isExact =
        false;  ///< A sentence that it fits is nothing else, whatever its data look like.
};

/// Translates sentences that were made of phrases. Words in a place of a phrase are translated in
/// their turn, so phrases nest and chain: "{~}: {~}" is one, too.
class PhraseBook {
public:
    PhraseBook() = default;
    explicit PhraseBook(const QList<Phrase>& phrases);

    struct Translated {
        QString words;
        int unknown = 0;  ///< How many letters of words no phrase had; 0: all is translated.
        int bent = 0;     ///< How many ends of clauses lie in a place within a phrase.
        int loose = 0;    ///< How many letters stand in places of data that hold several words.
        int tried = 0;    ///< How often a phrase was held against the sentence, or a part of it.
        [[nodiscard]] bool isBetterThan(const Translated& other) const {
            return std::tie(unknown, bent, loose) <
                   std::tie(other.unknown, other.bent, other.loose);
        }
    };
    /// So often at most: a sentence that takes more stays English.
    static constexpr int kMostTries = 20000;

    /// Of what no phrase fits, all or a part is as it was.
    [[nodiscard]] Translated translate(const QString& sentence) const;

    [[nodiscard]] qsizetype size() const { return entries_.size(); }

private:
    struct Entry {
        QStringList literals;   ///< What stands before, between and behind the places.
        qsizetype length = 0;   ///< Theirs.
        QList<bool> holdWords;  ///< For each place.
        QString translation;
        bool isWhole = false;
        bool isExact = false;
        bool isStrong = false;  ///< Has words enough of its own to know that its data are data.
    };
    /// One sentence that is being translated.
    struct Search {
        int tried = 0;
        QList<const Entry*> fitting;       ///< Whose literals are all somewhere in the sentence.
        QHash<QString, Translated> known;  ///< Its parts.
    };

    Translated best(const QString& text, Search& search) const;
    [[nodiscard]] static Entry entryOf(const Phrase& phrase);
    [[nodiscard]] const Entry* exactFor(const QString& sentence) const;
    QList<const Entry*> fittingIn(const QString& sentence) const;
    Translated search(const QString& sentence) const;
    Translated readAs(const Entry& entry, const QStringList& parts, Search& search) const;
    void tryEntries(const QString& text, Search& search, Translated& best) const;
    void tryEntry(const Entry& entry, const QString& text, Search& search, Translated& best) const;

    QList<Entry> entries_;                     ///< The longest first.
    QHash<QString, QList<qsizetype>> byWord_;  ///< Of them, by a word that must be there.
};

/// Blocks of a file of phrases: a sentence in English, and below it, indented, "CODE words" for
/// each language. "[whole] " and "[exact] " before the sentence are Phrase::isWhole and isExact.
/// Lines that begin with # say nothing.
[[nodiscard]] QList<Phrase> readPhrases(QStringView text, QStringView language);

}  // namespace lockstep::ui
