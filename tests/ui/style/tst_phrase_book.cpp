// SPDX-License-Identifier: GPL-3.0-or-later
// What core says, in the languages of the window: phrases that nest and chain, all of them whole.
#include <QRegularExpression>
#include <QtTest>

#include "ui/style/core_words.h"
#include "ui/style/language.h"
#include "ui/style/phrase_book.h"

using namespace lockstep::ui;

namespace {

PhraseBook smallBook() {
    return PhraseBook(
        readPhrases(u"# a book\n"
                    "{~}: {~}\n  de {}: {}\n"
                    "[whole] {~} and {~}\n  de {} und {}\n"
                    "process {} on {}\n  de Prozess {} auf {}\n"
                    "was killed by {~}\n  de wurde durch {} beendet\n  zh 被 {} 终止\n"
                    "signal {} ({})\n  de Signal {} ({})\n"
                    "the first comes before {} of {}\n  de vor {1} kommt {0}\n"
                    "{} {} not there\n  de {0} fehlt{1-}\n"
                    "look at it.\n  de Ansehen.\n"
                    "on\n  de an\n"
                    "[exact] runs: {}\n  de führt aus: {}\n",
                    u"de"));
}

QString german(const QString& english) {
    return smallBook().translate(english).words;
}

/// The pattern with a number of its own in each place.
QString numbered(const QString& pattern) {
    QString sentence = pattern;
    sentence.replace(QLatin1String("{~}"), QLatin1String("{}"));
    for (int place = 0; sentence.contains(QLatin1String("{}")); ++place)
        sentence.replace(sentence.indexOf(QLatin1String("{}")), 2, QString::number(7001 + place));
    return sentence;
}

/// The numbers that the translation is to have, sorted.
QStringList wantedNumbers(const Phrase& phrase) {
    static const QRegularExpression kPlace(QStringLiteral("\\{(\\d*)(-?)\\}"));
    QStringList numbers;
    int next = 0;
    for (auto found = kPlace.globalMatch(phrase.translation); found.hasNext();) {
        const auto place = found.next();
        const int index = place.captured(1).isEmpty() ? next++ : place.captured(1).toInt();
        if (place.captured(2).isEmpty()) numbers << QString::number(7001 + index);
    }
    numbers.sort();
    return numbers;
}

QStringList numbersIn(const QString& words) {
    static const QRegularExpression kNumber(QStringLiteral("70\\d\\d"));
    QStringList numbers;
    for (auto found = kNumber.globalMatch(words); found.hasNext();)
        numbers << found.next().captured();
    numbers.sort();
    return numbers;
}

}  // namespace

class PhraseBookTest : public QObject {
    Q_OBJECT
private slots:
    void wordsInAPlaceAreTranslatedToo();
    void dataInAPlaceStayToTheLetter();
    void aBracketIsInOnePlaceWithWhatClosesIt();
    void whatAUserAgreesToIsExact_data();
    void whatAUserAgreesToIsExact();
    void placesMayChangeTheirOrderOrBeLeftOut();
    void whatNoPhraseFitsStaysAsItIs();
    void aListIsTranslatedWholeOrNotAtAll();
    void linesAndCapitalsStay();
    void everyPhraseComesThrough_data() {
        QTest::addColumn<QString>("language");
        QTest::newRow("German") << "de";
        QTest::newRow("Chinese") << "zh";
    }
    void everyPhraseComesThrough();
    void aSentenceOfAnyLengthIsReadAtOnce();
    void theWindowSpeaksWhatItWasTold();
};

void PhraseBookTest::wordsInAPlaceAreTranslatedToo() {
    QCOMPARE(german(QStringLiteral("process 1 on node-b: was killed by signal 9 (SIGKILL)")),
             QStringLiteral("Prozess 1 auf node-b: wurde durch Signal 9 (SIGKILL) beendet"));
}

void PhraseBookTest::dataInAPlaceStayToTheLetter() {
    QCOMPARE(german(QStringLiteral("process 1 on on")), QStringLiteral("Prozess 1 auf on"));
    QCOMPARE(german(QStringLiteral("process on on look at it.: was killed by 7")),
             QStringLiteral("Prozess on auf look at it.: wurde durch 7 beendet"));
    QCOMPARE(german(QStringLiteral("runs: on: on\nlook at it.")),
             QStringLiteral("führt aus: on: on\nlook at it."));
    const PhraseBook book(corePhrases(QStringLiteral("de")));
    for (const char* name : {"build", "spare", "on disk", "run on gpu"})
        QCOMPARE(book.translate(QStringLiteral("process 1 (%1)").arg(QLatin1String(name))).words,
                 QStringLiteral("Prozess 1 (%1)").arg(QLatin1String(name)));
}

void PhraseBookTest::aBracketIsInOnePlaceWithWhatClosesIt() {
    const PhraseBook book(corePhrases(QStringLiteral("zh")));
    const QString words =
        book.translate(QStringLiteral("process 0 (a) is cut off from process 1 (b) and process 2 "
                                      "(c) (2 of 3 links are down): the disk does not answer"))
            .words;
    QVERIFY2(words.contains(QStringLiteral("3 条链路中有 2 条中断")), qPrintable(words));
}

void PhraseBookTest::whatAUserAgreesToIsExact_data() {
    QTest::addColumn<QString>("effect");
    QTest::addColumn<QString>("data");
    for (const char* command :
         {"python3 train.py --amp on --epochs 3", "run train.py", "run on disk: build; spare"})
        QTest::addRow("command %s", command)
            << QStringLiteral("runs on every host: ") << QString::fromLatin1(command);
    QTest::newRow("host") << QStringLiteral("logs in by ssh to ") << QStringLiteral("spare build");
    for (const char* folder : {"\"/home/ada/run on gpu\"", "\"/home/ada/on disk: run a\""})
        QTest::addRow("folder %s", folder)
            << QStringLiteral("in the folder ") << QString::fromLatin1(folder);
    QTest::newRow("variables") << QStringLiteral("with the variables ")
                               << QStringLiteral("\"A=on disk: run b\"");
}

void PhraseBookTest::whatAUserAgreesToIsExact() {
    QFETCH(const QString, effect);
    QFETCH(const QString, data);
    for (const char* language : {"de", "zh"}) {
        const PhraseBook book(corePhrases(QLatin1String(language)));
        const QString words = book.translate(effect + data).words;
        QVERIFY2(words.contains(data), qPrintable(words));
        QVERIFY2(!words.contains(effect), qPrintable(words));
    }
}

void PhraseBookTest::placesMayChangeTheirOrderOrBeLeftOut() {
    QCOMPARE(german(QStringLiteral("the first comes before 12 of 7")),
             QStringLiteral("vor 7 kommt 12"));
    QCOMPARE(german(QStringLiteral("/data/a was not there")), QStringLiteral("/data/a fehlt"));
}

void PhraseBookTest::whatNoPhraseFitsStaysAsItIs() {
    for (const char* text : {"", "the disk is full", "RuntimeError: shapes do not match", "node-b",
                             "was killed", "process on", "{}", "{}: {}", "12.5"})
        QCOMPARE(german(QLatin1String(text)), QLatin1String(text));
    // A part that is known is better than nothing: a program's own last words are its own.
    QCOMPARE(german(QStringLiteral("was killed by signal 6 (SIGABRT): terminate called")),
             QStringLiteral("wurde durch Signal 6 (SIGABRT) beendet: terminate called"));
}

void PhraseBookTest::aListIsTranslatedWholeOrNotAtAll() {
    QCOMPARE(german(QStringLiteral("process 1 on a and process 2 on b")),
             QStringLiteral("Prozess 1 auf a und Prozess 2 auf b"));
    QCOMPARE(german(QStringLiteral("signal 9 (a) and some other")),
             QStringLiteral("signal 9 (a) and some other"));
}

void PhraseBookTest::linesAndCapitalsStay() {
    QCOMPARE(german(QStringLiteral("Process 1 on a: was killed by 7")),
             QStringLiteral("Prozess 1 auf a: wurde durch 7 beendet"));
    QCOMPARE(german(QStringLiteral("was killed\nby signal 9 (SIGKILL)")),
             QStringLiteral("wurde durch Signal 9 (SIGKILL) beendet"));
    QCOMPARE(german(QStringLiteral("process 1 on a\nlook at it.")),
             QStringLiteral("Prozess 1 auf a\nAnsehen."));
}

void PhraseBookTest::everyPhraseComesThrough() {
    QFETCH(const QString, language);
    const QList<Phrase> phrases = corePhrases(language);
    QVERIFY(phrases.size() > 1500);
    const PhraseBook book(phrases);
    QStringList wrong;
    for (const Phrase& phrase : phrases) {
        const QString sentence = numbered(phrase.pattern);
        const auto translated = book.translate(sentence);
        if (translated.unknown > 0)
            wrong << QStringLiteral("not whole: ") + sentence + QStringLiteral(" -> ") +
                         translated.words;
        else if (numbersIn(translated.words) != wantedNumbers(phrase))
            wrong << QStringLiteral("numbers: ") + sentence + QStringLiteral(" -> ") +
                         translated.words;
    }
    for (const QString& each : wrong)
        qWarning().noquote() << each;
    QVERIFY(wrong.isEmpty());
}

void PhraseBookTest::aSentenceOfAnyLengthIsReadAtOnce() {
    const PhraseBook book(corePhrases(QStringLiteral("de")));
    QString text;
    for (int i = 0; i < 40; ++i)
        text += QStringLiteral("loss, (step) and; value: %1. ").arg(i);
    for (const qsizetype size : {100, 400, 799, 1200}) {
        const QString sentence = text.left(size);
        const auto translated = book.translate(sentence);
        // All beyond the limit only fall back, one for each that was begun.
        QVERIFY2(translated.tried < 2 * PhraseBook::kMostTries,
                 qPrintable(QString::number(translated.tried)));
        if (translated.tried > PhraseBook::kMostTries) QCOMPARE(translated.words, sentence);
    }
}

void PhraseBookTest::theWindowSpeaksWhatItWasTold() {
    const std::string cause = "was killed by signal 9 (SIGKILL)";
    QCOMPARE(fromCore(cause), QString::fromStdString(cause));
    if (languages().size() == 1) QSKIP("built without Qt's lrelease: English only");
    {
        QObject translators;
        speak(translators, QStringLiteral("de"));
        QCOMPARE(fromCore(cause), QStringLiteral("wurde durch Signal 9 (SIGKILL) beendet"));
        QCOMPARE(fromCore(cause), QStringLiteral("wurde durch Signal 9 (SIGKILL) beendet"));
        speak(translators, QStringLiteral("zh_CN"));
        QCOMPARE(fromCore(cause), QStringLiteral("被信号 9 (SIGKILL) 终止"));
    }
    QCOMPARE(fromCore(cause), QString::fromStdString(cause));
}

QTEST_GUILESS_MAIN(PhraseBookTest)
#include "tst_phrase_book.moc"
