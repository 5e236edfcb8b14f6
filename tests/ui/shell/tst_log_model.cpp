// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "ui/models/log_model.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::kWait;

namespace {

constexpr auto kMode = QAbstractItemModelTester::FailureReportingMode::QtTest;
using Column = LogModel::Column;

/// A log and its model.
struct Log {
    Log() { model.follow(book); }
    void say(int process, const char* text, int level = 1, bool unfinished = false) {
        book->add({{1.0, process, job::Role::Worker, level, text, unfinished}});
        model.follow(book);
    }
    void lines(int count) {
        for (int i = 0; i < count; ++i)
            book->add({{1.0, i % 2, job::Role::Worker, i % 4, "line " + std::to_string(i)}});
        model.follow(book);
    }
    /// A failure of process 0 between lines of process 1: lines 1, 3, 4.
    void traceback() {
        say(1, "before");
        say(0, "Traceback (most recent call last):", 3);
        say(1, "between");
        say(0, "  File \"a.py\", line 1", 3);
        say(0, "ValueError: bad label", 3);
        say(1, "after");
    }
    [[nodiscard]] QString texts() const {
        QStringList all;
        for (int row = 0; row < model.rowCount(); ++row)
            all << model.index(row, int(Column::Text)).data().toString();
        return all.join(QLatin1Char('|'));
    }
    std::shared_ptr<job::LogBook> book = std::make_shared<job::LogBook>("/nowhere");
    LogModel model;
    QAbstractItemModelTester tester{&model, kMode};
};

QString words(const char* text) {
    return QString::fromUtf8(text);
}

}  // namespace

class LogModelTest : public QObject {
    Q_OBJECT
private slots:
    void linesAreFilteredByTextProcessAndLevel() {
        Log log;
        log.lines(100);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 100, kWait);
        log.model.setFilter(LogPattern({words("LINE 1")}), {}, 0);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 11, kWait);
        log.model.setFilter(LogPattern({words("LINE 1"), false, true}), {}, 0);
        QTRY_VERIFY_WITH_TIMEOUT(!log.model.isFiltering(), kWait);
        QCOMPARE(log.model.rowCount(), 0);
        log.model.setFilter(LogPattern({words("e [13]$"), true}), {}, 0);
        QTRY_COMPARE_WITH_TIMEOUT(log.texts(), words("line 1|line 3"), kWait);
        log.model.setFilter({}, LogModel::processKey(job::Role::Worker, 1), 0);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 50, kWait);
        log.model.setFilter({}, LogModel::processKey(job::Role::Worker, 1), 3);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 25, kWait);
        log.lines(4);  // what comes is filtered, too
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 26, kWait);
        QCOMPARE(log.model.lineCount(), 104);
    }
    void anUnfinishedLineIsTheLastOfItsProcess() {
        Log log;
        log.say(0, "0: 10 %", 1, true);
        log.say(1, "1: 10 %", 1, true);
        log.say(2, "started");
        log.say(0, "0: 20 %", 1, true);
        QTRY_COMPARE_WITH_TIMEOUT(log.texts(), words("started|0: 20 %|1: 10 %"), kWait);
        log.say(1, "1: done");
        log.say(0, "0: 30 %", 1, true);
        QTRY_COMPARE_WITH_TIMEOUT(log.texts(), words("started|1: done|0: 30 %"), kWait);
        log.say(0, "0: done");
        QTRY_COMPARE_WITH_TIMEOUT(log.texts(), words("started|1: done|0: done"), kWait);
    }
    void aTracebackIsOneRowUntilItIsUnfolded() {
        Log log;
        log.traceback();
        const auto folded = words(
            "before|Traceback (most recent call last): … ValueError: bad label|between|after");
        QTRY_COMPARE_WITH_TIMEOUT(log.texts(), folded, kWait);
        const auto foldOf = [&](int row) {
            return log.model.index(row, 0).data(LogModel::FoldRole).toInt();
        };
        QCOMPARE(foldOf(1), int(LogModel::Folded));
        QCOMPARE(log.model.index(1, 0).data(LogModel::FoldedLinesRole).toInt(), 2);
        log.model.setUnfolded(1, true);
        QCOMPARE(log.texts(), words("before|Traceback (most recent call last):|between|  File "
                                    "\"a.py\", line 1|ValueError: bad label|after"));
        QCOMPARE(foldOf(1), int(LogModel::Unfolded));
        QCOMPARE(foldOf(3), int(LogModel::Inside));
        QCOMPARE(log.model.headOf(4), 1);
        log.model.setUnfolded(1, false);
        QCOMPARE(log.texts(), folded);
        log.model.setUnfolded(0, true);  // what is no traceback
        QCOMPARE(log.texts(), folded);
    }
    void aTracebackThatGrowsStaysAsItIs() {
        Log log;
        log.say(0, "Traceback (most recent call last):", 3);
        log.say(0, "  File \"a.py\", line 1", 3);
        QTRY_COMPARE_WITH_TIMEOUT(
            log.texts(), words("Traceback (most recent call last): … File \"a.py\", line 1"),
            kWait);
        log.model.setUnfolded(0, true);
        log.say(0, "ValueError: bad", 3);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 3, kWait);
        log.model.setUnfolded(0, false);
        QCOMPARE(log.texts(), words("Traceback (most recent call last): … ValueError: bad"));
    }
    void whatIsFoundMayBeFolded() {
        Log log;
        log.traceback();
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 4, kWait);
        log.model.setFind(LogPattern({words("valueerror")}));
        QTRY_VERIFY_WITH_TIMEOUT(!log.model.isFinding(), kWait);
        QCOMPARE(log.model.found(), LogScan::Lines{4});
        QCOMPARE(log.model.showLine(4), 4);  // unfolded for it
        log.say(1, "a ValueError again");
        QTRY_COMPARE_WITH_TIMEOUT(log.model.found(), (LogScan::Lines{4, 6}), kWait);
        // Apart from the filter, and within it.
        log.model.setFilter({}, LogModel::processKey(job::Role::Worker, 1), 0);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.found(), LogScan::Lines{6}, kWait);
        QCOMPARE(log.model.showLine(4), -1);
    }
    void withATextFilterNothingIsFolded() {
        Log log;
        log.traceback();
        log.model.setFilter(LogPattern({words("e")}), LogModel::processKey(job::Role::Worker, 0),
                            0);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 3, kWait);
        QCOMPARE(log.model.index(0, 0).data(LogModel::FoldRole).toInt(), int(LogModel::NotFolding));
    }
    void theLineThatKilledIsTheOneThatTheCauseQuotes() {
        Log log;
        log.traceback();
        log.say(0, "error: later", 3);
        log.say(0, "bye");
        QSignalSpy found(&log.model, &LogModel::failureFound);
        const auto lineOf = [&](int process, const char* cause) {
            log.model.findFailure(job::Role::Worker, process, words(cause));
            return found.wait(kWait) ? found.takeFirst()[0].toLongLong() : -2;
        };
        QCOMPARE(lineOf(0, "exited with status 1: ValueError: bad label"), 4);
        QCOMPARE(lineOf(0, "killed by signal 9"), 6);
        QCOMPARE(lineOf(1, "killed by signal 9"), 5);
        QCOMPARE(lineOf(7, "killed by signal 9"), -1);
    }
    void copiedLinesSayWhenAndWho() {
        Log log;
        log.traceback();
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 4, kWait);
        QSignalSpy copied(&log.model, &LogModel::copied);
        log.model.copy({{0, 0}, {2, 3}});
        QVERIFY(copied.wait(kWait));
        const QStringList rows = copied[0][0].toString().split(QLatin1Char('\n'));
        QCOMPARE(rows.size(), 3);
        QVERIFY2(rows[1].endsWith(words("  process 1  info  between")), qPrintable(rows[1]));
    }
    void whatIsFoldedAndWhatIsNotFinishedIsCopiedToo() {
        Log log;
        log.traceback();
        log.say(1, "40 %", 1, true);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.rowCount(), 5, kWait);
        QSignalSpy copied(&log.model, &LogModel::copied);
        log.model.copy({{1, 1}, {4, 4}});
        QVERIFY(copied.wait(kWait));
        const QStringList rows = copied[0][0].toString().split(QLatin1Char('\n'));
        QCOMPARE(rows.size(), 4);
        QVERIFY2(rows[2].endsWith(words("ValueError: bad label")), qPrintable(rows[2]));
        QVERIFY2(rows[3].endsWith(words("40 %")), qPrintable(rows[3]));
        QCOMPARE(copied[0][1].toInt(), 4);
        QCOMPARE(copied[0][2].toInt(), 4);
    }
    void aSearchThatWasStoppedGoesOnOverOtherLines() {
        Log log;
        log.lines(100);
        log.model.setFind(LogPattern({words("line 5"), false}));
        QTRY_COMPARE_WITH_TIMEOUT(log.model.found().size(), std::size_t{11}, kWait);
        log.model.stopFind();
        log.model.setFilter({}, std::nullopt, 1);
        QTRY_COMPARE_WITH_TIMEOUT(log.model.found().size(), std::size_t{9}, kWait);
    }
    void aWrongExpressionIsSaidByASentence() {
        const LogPattern pattern({words("a(b"), true});
        QVERIFY(pattern.isEmpty());
        QVERIFY2(pattern.problem().startsWith(words("Not a regular expression: ")),
                 qPrintable(pattern.problem()));
        QVERIFY(LogPattern({words("a(b")}).problem().isEmpty());
        // Matches of nothing are none.
        QVERIFY(!LogPattern({words("x*"), true}).isIn(words("abc")));
        QCOMPARE(LogPattern({words("x*"), true}).spans(words("axxb")),
                 (QList<LogPattern::Span>{{1, 2}}));
        QCOMPARE(LogPattern({words("AB")}).spans(words("abxaB")),
                 (QList<LogPattern::Span>{{0, 2}, {3, 2}}));
    }
};

QTEST_MAIN(LogModelTest)
#include "tst_log_model.moc"
