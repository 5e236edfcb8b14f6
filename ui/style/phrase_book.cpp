// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/phrase_book.h"

#include <algorithm>

namespace lockstep::ui {
namespace {

/// A sentence's phrases can be told apart in many ways; so many are looked at.
constexpr int kMostReadings = 200;
/// What is longer is no sentence of core: a program's own output, say.
constexpr qsizetype kMostLetters = 1500;

const auto kPlace = QStringLiteral("{}");
const auto kWhole = QStringLiteral("[whole] ");

bool isLetter(QChar letter) {
    return (letter >= u'a' && letter <= u'z') || (letter >= u'A' && letter <= u'Z');
}

/// The letters of words as a sentence has them; names, paths and keys are no words.
int lettersOfWords(const QString& text) {
    int letters = 0;
    for (qsizetype at = 0; at < text.size();) {
        qsizetype end = at;
        while (end < text.size() && isLetter(text[end]))
            ++end;
        static const QString inNames = QStringLiteral("./_-=\\@0123456789");
        const bool isPart = (at > 0 && inNames.contains(text[at - 1]) && text[at - 1] != u'.') ||
                            (end + 1 < text.size() && inNames.contains(text[end]) &&
                             (text[end] != u'.' || isLetter(text[end + 1])));
        if (end - at > 1 && !isPart) letters += int(end - at);
        at = std::max(end, at + 1);
    }
    return letters;
}

QString firstWord(const QString& text) {
    qsizetype end = 0;
    while (end < text.size() && isLetter(text[end]))
        ++end;
    return text.left(end);
}

QString withFirst(QString text, bool isCapital) {
    if (!text.isEmpty()) text[0] = isCapital ? text[0].toUpper() : text[0].toLower();
    return text;
}

/// The translation with its places filled.
QString filled(const QString& translation, const QStringList& parts) {
    QString result;
    qsizetype next = 0;
    for (qsizetype at = 0; at < translation.size();) {
        const qsizetype close = translation[at] == u'{' ? translation.indexOf(u'}', at) : -1;
        if (close < 0) {
            result += translation[at++];
            continue;
        }
        const QString place = translation.mid(at + 1, close - at - 1);
        at = close + 1;
        if (place.endsWith(u'-')) continue;
        const qsizetype index = place.isEmpty() ? next++ : place.toInt();
        result += parts.value(index);
    }
    return result;
}

/// Every way in which `text` is the literals with something between them.
void readings(const QStringList& literals, const QString& text, qsizetype at, QStringList& parts,
              QList<QStringList>& found) {
    const qsizetype place = parts.size() + 1;
    if (place == literals.size()) {
        if (at == text.size()) found.append(parts);
        return;
    }
    const QString& literal = literals[place];
    const bool isLast = place + 1 == literals.size();
    if (isLast) {
        const qsizetype end = text.size() - literal.size();
        if (end <= at || !text.endsWith(literal)) return;
        found.append(parts + QStringList{text.mid(at, end - at)});
        return;
    }
    for (qsizetype end = text.indexOf(literal, at + 1); end >= 0 && found.size() < kMostReadings;
         end = text.indexOf(literal, end + 1)) {
        parts.append(text.mid(at, end - at));
        readings(literals, text, end + literal.size(), parts, found);
        parts.removeLast();
    }
}

}  // namespace

PhraseBook::PhraseBook(const QList<Phrase>& phrases) {
    for (const Phrase& phrase : phrases)
        entries_.append({phrase.pattern.split(kPlace), phrase.translation, phrase.isWhole});
    std::ranges::stable_sort(entries_, std::ranges::greater(), [](const Entry& entry) {
        return entry.literals.join(QString()).size();
    });
    for (int i = 0; i < int(entries_.size()); ++i) {
        const QString& first = entries_[i].literals.front();
        const QString word = firstWord(first);
        const bool isPart = word.size() == first.size() && entries_[i].literals.size() > 1;
        if (word.isEmpty() || isPart)
            open_.append(i);
        else
            begun_[word].append(i);
    }
}

PhraseBook::Translated PhraseBook::translate(const QString& sentence) const {
    if (sentence.size() > kMostLetters) return {sentence, lettersOfWords(sentence)};
    Known known;
    QString whole = sentence;
    Translated translated = best(whole.replace(u'\n', u' '), known);
    if (translated.unknown == 0 || !sentence.contains(u'\n')) return translated;
    Translated lines;
    QStringList words;
    for (const QString& line : sentence.split(u'\n')) {
        const Translated one = best(line, known);
        words << one.words;
        lines.unknown += one.unknown;
    }
    lines.words = words.join(u'\n');
    return lines.unknown <= translated.unknown ? lines : translated;
}

PhraseBook::Translated PhraseBook::best(const QString& text, Known& known) const {
    if (const auto before = known.constFind(text); before != known.constEnd()) return *before;
    Translated best{text, lettersOfWords(text)};
    known.insert(text, best);  // what holds itself is read once
    if (best.unknown > 0) {
        tryEntries(text, known, best);
        if (best.unknown > 0 && text.front().isUpper()) {
            Translated lower{{}, best.unknown};
            tryEntries(withFirst(text, false), known, lower);
            if (lower.unknown < best.unknown) best = {withFirst(lower.words, true), lower.unknown};
        }
    }
    known.insert(text, best);
    return best;
}

void PhraseBook::tryEntries(const QString& text, Known& known, Translated& best) const {
    for (const int i : begun_.value(firstWord(text))) {
        tryEntry(entries_[i], text, known, best);
        if (best.unknown == 0) return;
    }
    for (const int i : open_) {
        tryEntry(entries_[i], text, known, best);
        if (best.unknown == 0) return;
    }
}

void PhraseBook::tryEntry(const Entry& entry, const QString& text, Known& known,
                          Translated& best) const {
    const QString& first = entry.literals.front();
    if (!text.startsWith(first)) return;
    if (entry.literals.size() == 1) {
        if (text.size() == first.size()) best = {entry.translation, 0};
        return;
    }
    QStringList parts;
    QList<QStringList> found;
    readings(entry.literals, text, first.size(), parts, found);
    for (const QStringList& reading : found) {
        Translated now;
        QStringList words;
        for (const QString& part : reading) {
            const Translated one = this->best(part, known);
            now.unknown += one.unknown;
            words << one.words;
        }
        if (now.unknown >= best.unknown || (entry.isWhole && now.unknown > 0)) continue;
        now.words = filled(entry.translation, words);
        best = now;
    }
}

QList<Phrase> readPhrases(QStringView text, QStringView language) {
    QList<Phrase> phrases;
    QString pattern;
    for (const QStringView line : text.split(u'\n')) {
        if (line.isEmpty() || line.startsWith(u'#')) continue;
        if (!line.startsWith(u' ')) {
            pattern = line.toString();
            continue;
        }
        const bool isWhole = pattern.startsWith(kWhole);
        const QStringView words = line.trimmed();
        const qsizetype end = words.indexOf(u' ');
        if (end > 0 && words.left(end) == language)
            phrases.append({isWhole ? pattern.mid(kWhole.size()) : pattern,
                            words.mid(end + 1).toString(), isWhole});
    }
    return phrases;
}

}  // namespace lockstep::ui
