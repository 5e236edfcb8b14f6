// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/phrase_book.h"

#include <QRegularExpression>
#include <algorithm>

namespace lockstep::ui {
namespace {

/// A sentence's phrases can be told apart in many ways; so many are looked at.
constexpr int kMostReadings = 200;
/// What is longer is no sentence of core: a program's own output, say.
constexpr int kMostLetters = 800;

/// Letters of its own words by which a phrase is known for sure, at its beginning or within.
constexpr int kStrongAtFront = 4;
constexpr int kStrong = 8;

const auto kWhole = QStringLiteral("[whole] ");
const auto kExact = QStringLiteral("[exact] ");

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
                            (end < text.size() && text[end].isDigit()) ||
                            (end + 1 < text.size() && inNames.contains(text[end]) &&
                             (text[end] != u'.' || isLetter(text[end + 1])));
        const bool isName = end - at > 1 && text[at + 1].isUpper();  // SIGKILL, TOML
        if (end - at > 1 && !isPart && !isName) letters += int(end - at);
        at = std::max(end, at + 1);
    }
    return letters;
}

QString withFirst(QString text, bool isCapital) {
    if (!text.isEmpty()) text[0] = isCapital ? text[0].toUpper() : text[0].toLower();
    return text;
}

/// Where a clause ends: what is behind it is of its own, and belongs behind the whole phrase.
int endsOfClauses(const QString& text) {
    int ends = 0;
    for (const char* end : {": ", "; ", ". "})
        ends += int(text.count(QLatin1String(end)));
    return ends;
}

/// Whether a place beside it may hold clauses of its own: at either end, and behind the end of one.
bool isBorder(const QString& literal) {
    return literal.isEmpty() || literal.endsWith(QLatin1String(": ")) ||
           literal.endsWith(QLatin1String("; ")) || literal.endsWith(QLatin1String(". "));
}

/// Whether a bracket of it is opened or closed elsewhere: no name and no path is parted there.
bool isTorn(const QString& text) {
    int open = 0;
    for (const QChar letter : text) {
        if (letter == u'(') ++open;
        if (letter == u')' && --open < 0) return true;
    }
    return open != 0;
}

/// The words of a text, in small letters, that its neighbours cannot be a part of.
QStringList wordsIn(const QString& text) {
    static const QRegularExpression kWord(QStringLiteral("(?<![a-z}])[a-z]+(?![a-z{])"));
    QStringList words;
    for (auto found = kWord.globalMatch(text.toLower()); found.hasNext();)
        words << found.next().captured();
    return words;
}

/// The translation with its places filled.
QString filled(const QString& translation, const QStringList& parts) {
    static const QRegularExpression kPlaces(QStringLiteral("\\{(\\d*)(-?)\\}"));
    QString result;
    qsizetype copied = 0;
    qsizetype next = 0;
    for (auto found = kPlaces.globalMatch(translation); found.hasNext();) {
        const QRegularExpressionMatch place = found.next();
        result += translation.mid(copied, place.capturedStart() - copied);
        copied = place.capturedEnd();
        if (!place.captured(2).isEmpty()) continue;
        result += parts.value(place.captured(1).isEmpty() ? next++ : place.captured(1).toInt());
    }
    result += translation.mid(copied);
    // Chinese has blanks beside letters and numbers alone; what a place is filled with shows only
    // now.
    static const QRegularExpression kBetweenChinese(
        QStringLiteral("(?<=[\\x{3000}-\\x{9fff}\\x{ff00}-\\x{ffef}]) "
                       "(?=[\\x{3000}-\\x{9fff}\\x{ff00}-\\x{ffef}])"));
    return result.remove(kBetweenChinese);
}

/// Every way in which `text` is the literals with something between them.
struct Readings {
    const QStringList& literals;
    const QString& text;
    int& tried;
    QList<QStringList> found;
    QStringList parts;

    void look(qsizetype at) {
        const qsizetype place = parts.size() + 1;
        if (place == literals.size()) {
            if (at == text.size()) found.append(parts);
            return;
        }
        const QString& literal = literals[place];
        if (place + 1 == literals.size()) {
            const qsizetype end = text.size() - literal.size();
            if (end > at && text.endsWith(literal))
                found.append(parts + QStringList{text.mid(at, end - at)});
            return;
        }
        for (qsizetype end = text.indexOf(literal, at + 1);
             end >= 0 && found.size() < kMostReadings && ++tried <= PhraseBook::kMostTries;
             end = text.indexOf(literal, end + 1)) {
            parts.append(text.mid(at, end - at));
            look(end + literal.size());
            parts.removeLast();
        }
    }
};

}  // namespace

PhraseBook::PhraseBook(const QList<Phrase>& phrases) {
    entries_.reserve(phrases.size());
    for (const Phrase& phrase : phrases)
        entries_.append(entryOf(phrase));
    std::ranges::stable_sort(entries_, std::ranges::greater(), &Entry::length);
    for (qsizetype i = 0; i < entries_.size(); ++i) {
        const QStringList words = wordsIn(entries_[i].literals.join(QStringLiteral("{}")));
        const auto longest = std::ranges::max_element(words, {}, &QString::size);
        byWord_[longest == words.end() ? QString() : *longest].append(i);
    }
}

PhraseBook::Entry PhraseBook::entryOf(const Phrase& phrase) {
    static const QRegularExpression kPlace(QStringLiteral("\\{~?\\}"));
    Entry entry;
    entry.literals = phrase.pattern.split(kPlace);
    for (auto found = kPlace.globalMatch(phrase.pattern); found.hasNext();)
        entry.holdWords << (found.next().capturedLength() > 2);
    entry.length = entry.literals.join(QString()).size();
    entry.translation = phrase.translation;
    entry.isWhole = phrase.isWhole;
    entry.isExact = phrase.isExact;
    const int letters = lettersOfWords(entry.literals.join(u' '));
    entry.isStrong =
        !phrase.isWhole && letters >= (entry.literals.front().isEmpty() ? kStrong : kStrongAtFront);
    return entry;
}

PhraseBook::Translated PhraseBook::translate(const QString& sentence) const {
    if (sentence.size() > kMostLetters) return {sentence, lettersOfWords(sentence)};
    if (const Entry* exact = exactFor(sentence)) {
        const qsizetype front = exact->literals.front().size();
        const qsizetype rest = sentence.size() - front - exact->literals.back().size();
        return {filled(exact->translation, {sentence.mid(front, rest)})};
    }
    QString whole = sentence;
    Translated translated = search(whole.replace(u'\n', u' '));
    if (!sentence.contains(u'\n')) return translated;
    const bool isGivenUp = translated.tried > kMostTries;
    if (isGivenUp) translated.words = sentence;
    if (isGivenUp) return translated;
    Translated lines;  // a place of the whole may be more than one of them
    QStringList words;
    for (const QString& line : sentence.split(u'\n')) {
        const Translated one = search(line);
        words << one.words;
        lines.unknown += one.unknown;
        lines.tried += one.tried;
    }
    lines.words = words.join(u'\n');
    return lines.unknown <= translated.unknown ? lines : translated;
}

/// Exact phrases have one place.
const PhraseBook::Entry* PhraseBook::exactFor(const QString& sentence) const {
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
        return entry.isExact && sentence.size() > entry.length &&
               sentence.startsWith(entry.literals.front()) &&
               sentence.endsWith(entry.literals.back());
    });
    return found == entries_.end() ? nullptr : &*found;
}

QList<const PhraseBook::Entry*> PhraseBook::fittingIn(const QString& sentence) const {
    QStringList words = wordsIn(sentence);
    words << QString();
    words.removeDuplicates();
    QList<qsizetype> near;
    for (const QString& word : words)
        near += byWord_.value(word);
    std::ranges::sort(near);
    QList<const Entry*> fitting;
    for (const qsizetype at : near)
        if (std::ranges::all_of(entries_[at].literals, [&](const QString& literal) {
                return literal.isEmpty() || sentence.contains(literal, Qt::CaseInsensitive);
            }))
            fitting.append(&entries_[at]);
    return fitting;
}

PhraseBook::Translated PhraseBook::search(const QString& sentence) const {
    Search search;
    search.fitting = fittingIn(sentence);
    Translated found = best(sentence, search);
    if (search.tried > kMostTries) found = {sentence, lettersOfWords(sentence)};
    found.tried = search.tried;
    return found;
}

PhraseBook::Translated PhraseBook::best(const QString& text, Search& search) const {
    if (const auto before = search.known.constFind(text); before != search.known.constEnd())
        return *before;
    if (search.tried > kMostTries) return {text, 1};
    Translated best{text, lettersOfWords(text)};
    search.known.insert(text, best);  // what holds itself is read once
    if (best.unknown > 0) {
        tryEntries(text, search, best);
        if (best.unknown > 0 && text.front().isUpper()) {
            Translated lower{{}, best.unknown};
            tryEntries(withFirst(text, false), search, lower);
            if (lower.unknown < best.unknown)
                best = {withFirst(lower.words, true), lower.unknown, lower.bent, lower.loose};
        }
    }
    search.known.insert(text, best);
    return best;
}

void PhraseBook::tryEntries(const QString& text, Search& search, Translated& best) const {
    for (const Entry* entry : search.fitting) {
        if (++search.tried > kMostTries) return;
        tryEntry(*entry, text, search, best);
        if (best.unknown == 0 && best.bent == 0 && best.loose == 0) return;
    }
}

void PhraseBook::tryEntry(const Entry& entry, const QString& text, Search& search,
                          Translated& best) const {
    const QString& first = entry.literals.front();
    if (!text.startsWith(first)) return;
    if (entry.literals.size() == 1) {
        if (text.size() == first.size()) best = {entry.translation, 0};
        return;
    }
    Readings readings{entry.literals, text, search.tried, {}, {}};
    readings.look(first.size());
    for (const QStringList& parts : std::as_const(readings.found)) {
        const Translated now = readAs(entry, parts, search);
        if (now.isBetterThan(best) && !(entry.isWhole && now.unknown > 0)) best = now;
    }
}

PhraseBook::Translated PhraseBook::readAs(const Entry& entry, const QStringList& parts,
                                          Search& search) const {
    Translated now;
    QStringList words;
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const QString& part = parts[i];
        const bool isClause = isBorder(entry.literals[i]) && isBorder(entry.literals[i + 1]);
        const int ends = isClause ? 0 : endsOfClauses(part);
        Translated one{part};
        if (entry.holdWords[i]) {
            one = best(part, search);
        } else {
            const int letters = lettersOfWords(part);
            if (!entry.isStrong || ends > 0) one.unknown = letters;
            if (part.contains(u' ')) one.loose = letters;
            if (isTorn(part)) one.unknown += kMostLetters;
        }
        now.unknown += one.unknown;
        now.bent += one.bent + ends;
        now.loose += one.loose;
        words << one.words;
    }
    now.words = filled(entry.translation, words);
    return now;
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
        const bool isExact = pattern.startsWith(kExact);
        const QStringView words = line.trimmed();
        const qsizetype end = words.indexOf(u' ');
        if (end > 0 && words.left(end) == language)
            phrases.append({isWhole || isExact ? pattern.mid(kWhole.size()) : pattern,
                            words.mid(end + 1).toString(), isWhole, isExact});
    }
    return phrases;
}

}  // namespace lockstep::ui
