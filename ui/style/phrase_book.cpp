// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/phrase_book.h"

#include <QRegularExpression>
#include <algorithm>

namespace lockstep::ui {
namespace {

/// A sentence's phrases can be told apart in many ways; so many are looked at.
constexpr int kMostReadings = 200;
/// So many parts of it, where no phrase has them.
constexpr qsizetype kMostParts = 400;
/// What is longer is no sentence of core: a program's own output, say.
constexpr qsizetype kMostLetters = 800;

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
    entries_.reserve(phrases.size());
    for (const Phrase& phrase : phrases) {
        const QStringList literals = phrase.pattern.split(kPlace);
        entries_.append(
            {literals, literals.join(QString()).size(), phrase.translation, phrase.isWhole});
    }
    std::ranges::stable_sort(entries_, std::ranges::greater(), &Entry::length);
}

PhraseBook::Translated PhraseBook::translate(const QString& sentence) const {
    if (sentence.size() > kMostLetters) return {sentence, lettersOfWords(sentence)};
    QString whole = sentence;
    Translated translated = search(whole.replace(u'\n', u' '));
    if (translated.unknown == 0 || !sentence.contains(u'\n')) return translated;
    Translated lines;
    QStringList words;
    for (const QString& line : sentence.split(u'\n')) {
        const Translated one = search(line);
        words << one.words;
        lines.unknown += one.unknown;
    }
    lines.words = words.join(u'\n');
    return lines.unknown <= translated.unknown ? lines : translated;
}

PhraseBook::Translated PhraseBook::search(const QString& sentence) const {
    Search search;
    for (const Entry& entry : entries_)
        if (std::ranges::all_of(entry.literals, [&](const QString& literal) {
                return literal.isEmpty() || sentence.contains(literal, Qt::CaseInsensitive);
            }))
            search.fitting.append(&entry);
    return best(sentence, search);
}

PhraseBook::Translated PhraseBook::best(const QString& text, Search& search) const {
    if (const auto before = search.known.constFind(text); before != search.known.constEnd())
        return *before;
    Translated best{text, lettersOfWords(text)};
    if (search.known.size() >= kMostParts) return best;
    search.known.insert(text, best);  // what holds itself is read once
    if (best.unknown > 0) {
        tryEntries(text, search, best);
        if (best.unknown > 0 && text.front().isUpper()) {
            Translated lower{{}, best.unknown};
            tryEntries(withFirst(text, false), search, lower);
            if (lower.unknown < best.unknown)
                best = {withFirst(lower.words, true), lower.unknown, lower.bent};
        }
    }
    search.known.insert(text, best);
    return best;
}

void PhraseBook::tryEntries(const QString& text, Search& search, Translated& best) const {
    for (const Entry* entry : search.fitting) {
        tryEntry(*entry, text, search, best);
        if (best.unknown == 0 && best.bent == 0) return;
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
    QStringList parts;
    QList<QStringList> found;
    readings(entry.literals, text, first.size(), parts, found);
    for (const QStringList& reading : found) {
        Translated now;
        QStringList words;
        for (qsizetype i = 0; i < reading.size(); ++i) {
            const Translated one = this->best(reading[i], search);
            now.unknown += one.unknown;
            now.bent += one.bent;
            const bool isClause = isBorder(entry.literals[i]) && isBorder(entry.literals[i + 1]);
            if (!isClause) now.bent += endsOfClauses(reading[i]);
            words << one.words;
        }
        if (!now.isBetterThan(best) || (entry.isWhole && now.unknown > 0)) continue;
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
