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
                    "{}: {}\n  de {}: {}\n"
                    "[whole] {} and {}\n  de {} und {}\n"
                    "process {} on {}\n  de Prozess {} auf {}\n"
                    "was killed by {}\n  de wurde durch {} beendet\n  zh 被 {} 终止\n"
                    "signal {} ({})\n  de Signal {} ({})\n"
                    "the first comes before {} of {}\n  de vor {1} kommt {0}\n"
                    "{} {} not there\n  de {0} fehlt{1-}\n"
                    "look at it.\n  de Ansehen.\n",
                    u"de"));
}

QString german(const QString& english) {
    return smallBook().translate(english).words;
}

/// The pattern with a number of its own in each place.
QString numbered(const QString& pattern) {
    QString sentence = pattern;
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
    void whatStandsInAPlaceIsTranslatedToo();
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

void PhraseBookTest::whatStandsInAPlaceIsTranslatedToo() {
    QCOMPARE(german(QStringLiteral("process 1 on node-b: was killed by signal 9 (SIGKILL)")),
             QStringLiteral("Prozess 1 auf node-b: wurde durch Signal 9 (SIGKILL) beendet"));
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
    QElapsedTimer timer;
    timer.start();
    const PhraseBook book(corePhrases(QStringLiteral("de")));
    qInfo() << "made in" << timer.elapsed() << "ms";
    QString text;
    for (int i = 0; i < 40; ++i)
        text += QStringLiteral("loss, (step) and; value: %1. ").arg(i);
    for (const qsizetype size : {100, 400, 799, 1200}) {
        timer.start();
        std::ignore = book.translate(text.left(size));
        qInfo() << size << "letters in" << timer.elapsed() << "ms";
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
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
