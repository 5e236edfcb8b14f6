// SPDX-License-Identifier: Apache-2.0
// lockstepctl export --format perfetto: which part of a run its options take.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

class TimelineExportTest : public QObject {
    Q_OBJECT
    static constexpr int kSteps = 98;
    Workplace place_;

    [[nodiscard]] Ended exported(const QStringList& options) const {
        return place_.run(QStringList{"export", "run", "--format", "perfetto", "-o", "t.pftrace"} +
                          options);
    }

private slots:
    void initTestCase() { REQUIRE_EXIT(place_.run({"run", "job.toml", "--run-dir", "run"}), 0); }

    void anOptionTakesAPartOfTheRun_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("steps");
        QTest::newRow("all of it") << QStringList{} << kSteps;
        QTest::newRow("steps") << QStringList{"--from", "21", "--to", "30"} << 10;
        QTest::newRow("from a step") << QStringList{"--from", "90"} << kSteps - 89;
        QTest::newRow("to a step") << QStringList{"--to", "7"} << 7;
        QTest::newRow("the newest steps") << QStringList{"--last", "5"} << 5;
        QTest::newRow("more than there are") << QStringList{"--last", "5000"} << kSteps;
        QTest::newRow("a time that is longer") << QStringList{"--last", "2h"} << kSteps;
        QTest::newRow("from the begin, as a time") << QStringList{"--from", "0s"} << kSteps;
        QTest::newRow("to a time behind it") << QStringList{"--to", "1.5h"} << kSteps;
        QTest::newRow("a step and a time")
            << QStringList{"--from", "50", "--to", "2h"} << kSteps - 49;
    }

    void anOptionTakesAPartOfTheRun() {
        QFETCH(QStringList, options);
        QFETCH(int, steps);
        const Ended ended = exported(options);
        REQUIRE_EXIT(ended, 0);
        const QByteArray expected = "t.pftrace: " + QByteArray::number(steps) +
                                    (steps == 1 ? " step" : " steps") + " of replicas, ";
        QVERIFY2(ended.output.startsWith(expected), ended.output + ended.errors);
        // What is left out is said.
        const bool isAll = options.isEmpty() || options.last().endsWith(QLatin1Char('h')) ||
                           options.last().endsWith(QLatin1Char('s'));
        if (steps < kSteps || isAll)  // all steps, from the first one on, leave the beginning out
            QCOMPARE(ended.errors.contains("outside of the window"), steps < kSteps);
        QVERIFY(!place_.read("t.pftrace").isEmpty());
        QVERIFY(!place_.exists("t.pftrace.unfinished"));
    }

    void anOptionThatMakesNoSenseIsRefused_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("words");
        QTest::newRow("behind the run")
            << QStringList{"--from", "1h"} << "the run has no step in this window";
        QTest::newRow("no time") << QStringList{"--from", "soon"}
                                 << "--from: 'soon' is neither a time nor the number of a step";
        QTest::newRow("negative") << QStringList{"--last", "-3s"} << "--last";
        QTest::newRow("both") << QStringList{"--last", "5", "--from", "3"} << "--from";
    }

    void anOptionThatMakesNoSenseIsRefused() {
        QFETCH(QStringList, options);
        QFETCH(QString, words);
        place_.write("t.pftrace", "kept");
        const Ended ended = exported(options);
        REQUIRE_EXIT(ended, 2);
        QVERIFY2(ended.errors.contains(words.toUtf8()), ended.errors);
        QCOMPARE(place_.read("t.pftrace"), QByteArray("kept"));
        QVERIFY(!place_.exists("t.pftrace.unfinished"));
    }

    void theOptionsAreOfThisFormatAlone() {
        for (const char* option : {"--last", "--from", "--to"}) {
            const Ended ended = place_.run({"export", "run", "--format", "csv", option, "5"});
            REQUIRE_EXIT(ended, 2);
            QVERIFY2(ended.errors.contains("is for perfetto"), ended.errors);
        }
    }
};

QTEST_GUILESS_MAIN(TimelineExportTest)
#include "tst_timeline_export.moc"
