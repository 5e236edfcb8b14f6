// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/launch/process/output_log.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace {

constexpr Nanos kStart = std::chrono::seconds(1000);

struct Logged {
    QTemporaryDir temporary;
    std::filesystem::path file{temporary.filePath("process-0.log").toStdString()};
    std::vector<OutputLog::Line> lines;
    OutputLog log;

    explicit Logged(OutputLog::Limits limits = {}) : log(open(limits).value()) {}

    Result<OutputLog> open(OutputLog::Limits limits) {
        return OutputLog::open(file, limits,
                               [this](const OutputLog::Line& line) { lines.push_back(line); });
    }
    void feed(std::string_view text, Nanos now = kStart) { log.feed(text, now); }
    /// Of the file, as it is told.
    [[nodiscard]] std::string name() const {
        return (file.parent_path().filename() / file.filename()).string();
    }
    [[nodiscard]] std::string fileText() const { return readFile(file, 1 << 20).value(); }
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const OutputLog::Line& line : lines)
            all.push_back(line.text);
        return all;
    }
};

using Texts = std::vector<std::string>;

std::string filled(std::size_t count, char letter, const char* end) {
    std::string text(count, letter);
    text += end;
    return text;
}

/// What the stream of bytes becomes, whatever pieces it comes in.
Texts linesOf(std::string_view stream, std::size_t piece) {
    Texts lines;
    TerminalText text(4096);
    const auto keep = [&](const std::string& line) { lines.push_back(line); };
    for (std::size_t at = 0; at < stream.size(); at += piece)
        text.feed(stream.substr(at, piece), keep);
    text.finish(keep);
    return lines;
}

}  // namespace

class OutputLogTest : public QObject {
    Q_OBJECT
private slots:
    void theFirstWordOfALineIsItsLevel() {
        Logged logged;
        logged.feed("plain\nwarning: hm\nerror: bad\ndebug: x\nan error: no\nerrors\n");
        std::vector<int> levels;
        for (const auto& line : logged.lines)
            levels.push_back(line.level);
        QCOMPARE(levels, (std::vector<int>{1, 2, 3, 0, 1, 1}));
        QCOMPARE(logged.lines[2].text, std::string("error: bad"));
    }
    void aLineMayComeInPieces() {
        Logged logged;
        for (const char* piece : {"fir", "st\nsec", "", "ond", "\n", "\nthird"})
            logged.feed(piece);
        QCOMPARE(logged.texts(), (Texts{"first", "second", ""}));
        logged.log.finish(kStart);
        QCOMPARE(logged.texts(), (Texts{"first", "second", "", "third"}));
        logged.log.finish(kStart);
        QCOMPARE(logged.lines.size(), std::size_t{4});
        QCOMPARE(logged.fileText(), std::string("first\nsecond\n\nthird\n"));
    }
    void everyLineHasItsLevel() {
        LineLevels levels;
        int count = 0;
        QFile file(LOCKSTEP_SOURCE_DIR "/tests/golden/log_lines.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QByteArray& row : file.readAll().split('\n')) {
            if (row.isEmpty() || row.startsWith('#')) continue;
            const auto level = static_cast<qsizetype>(levels.take(row.mid(2).toStdString()));
            QVERIFY2(row[0] == "DIWE"[level],
                     QByteArray(row + " <- is taken for " + "DIWE"[level]).constData());
            ++count;
        }
        QVERIFY(count >= 80);
    }
    void aRewrittenLineCountsWithItsLastState_data() {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<QByteArray>("lines");
        QTest::newRow("tqdm") << QByteArray("\r  0%|  | 0/2\r 50%|# | 1/2\r100%|##| 2/2\ndone\n")
                              << QByteArray("100%|##| 2/2\ndone");
        QTest::newRow("Keras") << QByteArray("\x1b[1m1/2\x1b[0m \x1b[32m-\x1b[0m loss: 0.5") +
                                      QByteArray(20, '\b') + "\r\x1b[1m2/2\x1b[0m loss: 0.25\n"
                               << QByteArray("2/2 loss: 0.25");
        QTest::newRow("a spinner") << QByteArray("busy |\b/\b-\b\\\n") << QByteArray("busy \\");
        QTest::newRow("a letter of two bytes taken back")
            << QByteArray("a\xC3\xA9\bb\n") << QByteArray("ab");
        QTest::newRow("line ends of DOS")
            << QByteArray("one\r\n\r\ntwo\r\n") << QByteArray("one\n\ntwo");
        QTest::newRow("a bar that hides itself")
            << QByteArray("\r 50%|# |\r         \r\rsaved\n") << QByteArray("saved");
        QTest::newRow("tqdm's nested bars")
            << QByteArray("\router 0/1\n\rinner 1/2\x1b[A\n\rinner 2/2\x1b[A\router 1/1\n")
            << QByteArray("outer 0/1\nouter 1/1\ninner 2/2");
        QTest::newRow("erased and written anew")
            << QByteArray("\x1b[2K\x1b[1Gone\x1b[2K\x1b[1Gtwo\r\x1b[K\nthree\n")
            << QByteArray("three");
        QTest::newRow("a title, a link")
            << QByteArray("\x1b]0;title\aa\x1b]8;;x\x1b\\b\n") << QByteArray("ab");
        QTest::newRow("a sequence that does not end")
            << QByteArray("a\x1b]0;title\nb\n\x1b[31\nc\n") << QByteArray("a\nb\n\nc");
        QTest::newRow("what is no UTF-8")
            << QByteArray("a\xFF\xC3(\xE2\x82\n") << QByteArray("a\?\?(\?\?");
    }
    void aRewrittenLineCountsWithItsLastState() {
        QFETCH(QByteArray, stream);
        QFETCH(QByteArray, lines);
        Texts expected;
        for (const QByteArray& line : lines.split('\n'))
            expected.push_back(line.toStdString());
        QCOMPARE(linesOf(stream.toStdString(), 1), expected);
        QCOMPARE(linesOf(stream.toStdString(), 3), expected);
        QCOMPARE(linesOf(stream.toStdString(), 1000), expected);
    }
    void aBarIsOneLineAndIsSeenWhileItGrows() {
        Logged logged;  // 100 updates a second for ten seconds
        for (int i = 0; i < 1000; ++i) {
            logged.feed("\r" + std::to_string(i) + "/1000", kStart + Millis(10) * i);
            logged.log.tick(kStart + Millis(10) * i);
        }
        logged.feed("\r1000/1000\n", kStart + std::chrono::seconds(10));
        QCOMPARE(logged.fileText(), std::string("1000/1000\n"));
        QVERIFY2(logged.lines.size() >= 8 && logged.lines.size() <= 11,
                 qPrintable(QString::number(logged.lines.size())));
        for (const OutputLog::Line& line : logged.lines)
            QCOMPARE(line.unfinished, &line != &logged.lines.back());
        QCOMPARE(logged.lines.back().text, std::string("1000/1000"));
    }
    void aLineThatStaysUnfinishedIsSeenAfterAWhileAndOnce() {
        Logged logged;
        logged.feed("Downloading\xC3");
        logged.log.tick(kStart + Millis(500));
        QVERIFY(logged.lines.empty());
        logged.log.tick(kStart + Millis(1000));
        logged.log.tick(kStart + Millis(9000));
        QCOMPARE(logged.texts(), (Texts{"Downloading"}));
        QVERIFY(logged.lines[0].unfinished);
        logged.feed("\xA9 done\n", kStart + Millis(9000));
        logged.log.tick(kStart + Millis(20'000));
        QCOMPARE(logged.texts(), (Texts{"Downloading", "Downloading\xC3\xA9 done"}));
        QCOMPARE(logged.fileText(), std::string("Downloading\xC3\xA9 done\n"));
    }
    void longLinesAreCut() {
        Logged logged;
        logged.feed(filled(4096, 'a', "\n"));
        logged.feed(std::string(3000, 'b'));
        logged.feed(filled(100'000, 'b', "\nnext\n"));
        logged.feed(filled(4095, 'c', "\xC3\xA9\n"));  // a letter of two bytes at the edge
        QCOMPARE(logged.texts(), (Texts{std::string(4096, 'a'), std::string(4096, 'b'), "next",
                                        std::string(4095, 'c')}));
        QCOMPARE(logged.fileText().size(), std::size_t{4097 + 4097 + 5 + 4096});
    }
    void escapeSequencesAreLeftOutAndControlCharactersReplaced() {
        Logged logged;
        logged.feed(std::string_view("\x1B[31mred\x1B[0m\ta\0b\r\n", 19));
        QCOMPARE(logged.texts(), (Texts{"red\ta?b"}));
        QCOMPARE(logged.fileText(), std::string("red\ta?b\n"));
    }
    void aFloodIsCountedAndSaid() {
        Logged logged({.linesPerSecond = 10, .burstLines = 3});
        for (int i = 0; i < 100; ++i)
            logged.feed("line\n");
        QCOMPARE(logged.lines.size(), std::size_t{3});
        logged.feed("later\n", kStart + std::chrono::seconds(1));
        QCOMPARE(logged.texts(),
                 (Texts{"line", "line", "line",
                        "(97 lines left out here, too many at once: all of them are in " +
                            logged.name() + ", bytes 15 to 500)",
                        "later"}));
        const std::string kept = logged.fileText();
        QCOMPARE(std::count(kept.begin(), kept.end(), '\n'), 101L);
    }
    void aSteadyStreamBelowTheLimitPassesWhole() {
        Logged logged({.linesPerSecond = 10, .burstLines = 3});
        for (int i = 0; i < 50; ++i)
            logged.feed("line\n", kStart + Millis(100) * i);
        QCOMPARE(logged.lines.size(), std::size_t{50});
    }
    void aLongFloodHasOneGapASecond() {
        Logged logged;  // 1000 lines a second for a minute
        for (int i = 0; i < 60'000; ++i)
            logged.feed("line\n", kStart + Millis(i));
        const auto gaps = std::ranges::count_if(logged.lines, [](const OutputLog::Line& line) {
            return line.text.find("left out here") != std::string::npos;
        });
        QVERIFY2(gaps >= 20 && gaps <= 60, qPrintable(QString::number(gaps)));
        QVERIFY(logged.lines.size() > 12'000);
    }
    void aGapIsToldWhenTheFloodIsOver() {
        Logged logged({.linesPerSecond = 10, .burstLines = 1});
        logged.feed("one\ntwo\n");
        logged.log.tick(kStart + Millis(900));
        QCOMPARE(logged.lines.size(), std::size_t{1});
        logged.log.tick(kStart + Millis(1100));
        QCOMPARE(logged.lines.size(), std::size_t{2});
        QVERIFY(QString::fromStdString(logged.lines[1].text).startsWith("(1 line left out here"));
        logged.log.tick(kStart + Millis(3000));
        QCOMPARE(logged.lines.size(), std::size_t{2});
    }
    void whatIsGraveIsSeenInAFlood() {
        Logged logged({.linesPerSecond = 10, .burstLines = 3});
        for (int i = 0; i < 100; ++i)
            logged.feed("line\n");
        logged.feed("Traceback (most recent call last):\n  File x\nValueError: bad\n");
        QCOMPARE(logged.lines.size(), std::size_t{6});
        QCOMPARE(logged.lines.back().text, std::string("ValueError: bad"));
        QCOMPARE(logged.lines.back().level, 3);
    }
    void whatWasLeftOutAtTheEndIsSaidToo() {
        Logged logged({.linesPerSecond = 0, .burstLines = 1});
        logged.feed("one\ntwo\nthree\n");
        logged.log.finish(kStart);
        QCOMPARE(logged.texts(),
                 (Texts{"one", "(2 lines left out here, too many at once: all of them are in " +
                                   logged.name() + ", bytes 4 to 14)"}));
    }
    void whereLinesWereLeftOutIsReadAgain() {
        const std::vector<Stretch> stretches{{15, 500}, {512, 90'000'000'000}};
        const std::string sentence =
            leftOutSentence(97, "all of them are in logs/process-0.log", stretches);
        QCOMPARE(sentence, std::string("(97 lines left out here, too many at once: all of them are "
                                       "in logs/process-0.log, bytes 15 to 500 and 512 to "
                                       "90000000000)"));
        QCOMPARE(leftOutStretches(sentence), stretches);
        for (const char* other :
             {"", "()", "line, bytes 1 to 2)", "(1 line, bytes 1 to 2)",
              "(1 line left out here, too many at once: x)",
              "(1 line left out here, too many at once: x, bytes 2 to 1)",
              "(1 line left out here, too many at once: x, bytes 1 to 2 and )",
              "(1 line left out here, too many at once: x, bytes 1 to 2)x)",
              "(1 line left out here, too many at once: x, bytes 1 to 99999999999999999999)"})
            QVERIFY2(leftOutStretches(other).empty(), other);
    }
    void theFileStopsAtItsLimitAndSaysSo() {
        Logged logged({.fileLimitBytes = 20});
        for (int i = 0; i < 10; ++i)
            logged.feed("123456789\n");
        QCOMPARE(logged.fileText(), std::string("123456789\n123456789\n(the log is full; later "
                                                "lines are left out)\n"));
        QCOMPARE(logged.lines.size(), std::size_t{10});  // the window still gets them
    }
    void aRestartedProcessGoesOnInTheSameFile() {
        Logged logged({.fileLimitBytes = 20});
        logged.feed("123456789\n");
        auto second = logged.open({.fileLimitBytes = 20}).value();
        second.feed("abcdefghi\nover\n", kStart);
        QCOMPARE(logged.fileText(), std::string("123456789\nabcdefghi\n(the log is full; later "
                                                "lines are left out)\n"));
    }
    void theLastErrorIsKeptWithoutItsWord() {
        Logged logged({.linesPerSecond = 0, .burstLines = 1});
        QCOMPARE(logged.log.lastError(), std::string());
        logged.feed("start\nerror: first\nerror: the disk is full\nbye\n");
        QCOMPARE(logged.log.lastError(), std::string("the disk is full"));  // though left out
    }
    void anErrorCutOffByTheEndIsKept() {
        Logged logged;
        logged.feed("error: half");
        logged.log.finish(kStart);
        QCOMPARE(logged.log.lastError(), std::string("half"));
    }
    void whereTheDiskTakesNothingTheFileIsNotSaidToHoldIt() {
        QStringList texts;
        auto log = OutputLog::open(
            "/dev/full", {.linesPerSecond = 0, .burstLines = 1},
            [&texts](const OutputLog::Line& line) { texts << QString::fromStdString(line.text); });
        QVERIFY(log);
        log->feed("one\ntwo\n", kStart);
        log->finish(kStart);
        QCOMPARE(texts, (QStringList{"one",
                                     "(1 line left out here, too many at once: dev/full "
                                     "could not be written, too)"}));
    }
    void aFileThatCannotBeWrittenIsNamed() {
        const auto log = OutputLog::open("/proc/nowhere/process-0.log", {}, {});
        QVERIFY(!log);
        QCOMPARE(log.error().code, ErrorCode::Io);
        QVERIFY(QString::fromStdString(log.error().message)
                    .contains("/proc/nowhere/process-0.log: No such file or directory"));
    }
    void aLinkInsteadOfTheFileIsNotFollowed() {
        const QTemporaryDir temporary;
        const std::filesystem::path folder = temporary.path().toStdString();
        std::filesystem::create_symlink(folder / "target", folder / "log");
        QVERIFY(!OutputLog::open(folder / "log", {}, {}));
        QVERIFY(!std::filesystem::exists(folder / "target"));
    }
};

QTEST_GUILESS_MAIN(OutputLogTest)
#include "tst_output_log.moc"
