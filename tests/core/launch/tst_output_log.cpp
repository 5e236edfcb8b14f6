// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/launch/output_log.h"

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
    [[nodiscard]] std::string fileText() const { return readFile(file, 1 << 20).value(); }
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const OutputLog::Line& line : lines)
            all.push_back(line.text);
        return all;
    }
};

using Texts = std::vector<std::string>;

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
    void longLinesAreCut() {
        Logged logged;
        logged.feed(std::string(4096, 'a') + "\n");
        logged.feed(std::string(3000, 'b'));
        logged.feed(std::string(100'000, 'b') + "\nnext\n");
        logged.feed(std::string(4095, 'c') + "\xC3\xA9\n");  // a letter of two bytes at the edge
        QCOMPARE(logged.texts(), (Texts{std::string(4096, 'a'), std::string(4096, 'b'), "next",
                                        std::string(4095, 'c')}));
        QCOMPARE(logged.fileText().size(), std::size_t{4097 + 4097 + 5 + 4096});
    }
    void controlCharactersAreReplaced() {
        Logged logged;
        logged.feed(std::string_view("\x1B[31mred\x1B[0m\ta\0b\r\n", 19));
        QCOMPARE(logged.texts(), (Texts{"?[31mred?[0m\ta?b"}));
        QCOMPARE(logged.fileText(), std::string("?[31mred?[0m\ta?b\n"));
    }
    void aFloodIsCountedAndSaid() {
        Logged logged({.linesPerSecond = 10, .burstLines = 3});
        for (int i = 0; i < 100; ++i)
            logged.feed("line\n");
        QCOMPARE(logged.lines.size(), std::size_t{3});
        logged.feed("later\n", kStart + std::chrono::seconds(1));
        QCOMPARE(logged.texts(),
                 (Texts{"line", "line", "line", "(97 lines left out: too many at once)", "later"}));
        QCOMPARE(logged.lines[3].level, 2);
        const std::string kept = logged.fileText();
        QCOMPARE(std::count(kept.begin(), kept.end(), '\n'), 101L);
    }
    void aSteadyStreamBelowTheLimitPassesWhole() {
        Logged logged({.linesPerSecond = 10, .burstLines = 3});
        for (int i = 0; i < 50; ++i)
            logged.feed("line\n", kStart + Millis(100) * i);
        QCOMPARE(logged.lines.size(), std::size_t{50});
    }
    void whatWasLeftOutAtTheEndIsSaidToo() {
        Logged logged({.linesPerSecond = 0, .burstLines = 1});
        logged.feed("one\ntwo\nthree\n");
        logged.log.finish(kStart);
        QCOMPARE(logged.texts(), (Texts{"one", "(2 lines left out: too many at once)"}));
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
