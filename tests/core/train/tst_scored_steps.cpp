// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "core/telemetry/journal.h"
#include "core/train/checkpoints/scored_steps.h"
#include "core/train/checkpoints/unscored_checkpoints.h"
#include "core/wire/messages/record.pb.h"

using namespace lockstep;
using namespace lockstep::train;

namespace {

using Steps = std::set<std::int64_t>;

wire::Record evaluation(std::uint64_t step, const char* split, const char* error = "") {
    wire::Record record;
    record.mutable_evaluation()->set_step(step);
    record.mutable_evaluation()->set_split(split);
    record.mutable_evaluation()->set_error(error);
    return record;
}

wire::Record startAt(std::uint64_t step) {
    wire::Record record;
    record.mutable_run_info()->set_first_step(step);
    return record;
}

}  // namespace

class ScoredStepsTest : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    std::filesystem::path journalOf(const std::vector<wire::Record>& records) {
        const std::filesystem::path path =
            temporary_.filePath(QTest::currentTestFunction()).toStdString();
        auto writer = telemetry::JournalWriter::open(path).value();
        for (const wire::Record& record : records)
            if (!writer->append(record.SerializeAsString())) qFatal("not written");
        return path;
    }

private slots:
    void whatTheJournalHoldsCounts() {
        const auto journal = journalOf({startAt(0), evaluation(50, "validation"),
                                        evaluation(100, "validation"), evaluation(100, "test")});
        const auto scored = readScoredSteps(journal, 100);
        QCOMPARE(scored.checkpoints, (Steps{50, 100}));
        QCOMPARE(scored.tests, Steps{100});
    }
    void whatCouldNotBeScoredDoesNot() {
        const auto journal = journalOf({evaluation(50, "validation", "damaged")});
        QVERIFY(readScoredSteps(journal, 100).checkpoints.empty());
    }
    void scoresOfStepsThatAreTrainedAgainDoNot() {
        const auto journal =
            journalOf({evaluation(50, "validation"), evaluation(100, "validation"),
                       evaluation(150, "validation"), startAt(60), evaluation(110, "validation")});
        QCOMPARE(readScoredSteps(journal, 200).checkpoints, (Steps{50, 110}));
        QCOMPARE(readScoredSteps(journal, 50).checkpoints, Steps{50});
        QVERIFY(readScoredSteps(journal, 0).checkpoints.empty());
    }
    void aJournalThatCannotBeReadHoldsNothing() {
        QVERIFY(readScoredSteps(temporary_.filePath("absent").toStdString(), 9).tests.empty());
        const auto journal = journalOf({evaluation(50, "validation")});
        QFile file(QString::fromStdString(journal.string()));
        QVERIFY(file.open(QIODevice::Append));
        file.write(QByteArray(40, '\xff'));
        file.close();
        QCOMPARE(readScoredSteps(journal, 50).checkpoints, Steps{50});
    }
    void retentionSparesWhatTheEvaluatorHasStillToScore() {
        UnscoredCheckpoints unscored({10, 20});
        unscored.committed(30, 1000);
        QCOMPARE(unscored.spared(), (std::set<std::int64_t>{10, 20, 30}));
        unscored.scored(-1);  // not begun
        unscored.scored(20);  // in order: 10 is dealt with
        QCOMPARE(unscored.spared(), (std::set<std::int64_t>{30}));
        unscored.committed(40, 1000);
        QCOMPARE(unscored.missed({10, 20, 30}), (std::vector<std::int64_t>{30}));
        QCOMPARE(unscored.spared(), (std::set<std::int64_t>{40}));
    }
    void nothingIsSparedForAnEvaluatorThatIsGone() {
        UnscoredCheckpoints unscored({10});
        unscored.committed(20, 1000);
        unscored.abandon();
        QVERIFY(unscored.spared().empty());
        QVERIFY(unscored.missed({10, 20}).empty());  // nobody was too slow
    }
    void aResumeThatCommitsAStepAgainAwaitsItAgain() {
        UnscoredCheckpoints unscored({10, 20, 30});
        unscored.scored(10);
        unscored.committed(20, 1000);
        unscored.scored(30);
        QCOMPARE(unscored.spared(), (std::set<std::int64_t>{20}));
    }
    void retentionWaitsForABoundedNumberAndSize() {
        UnscoredCheckpoints many({});
        for (std::int64_t step = 1; step <= 100; ++step)
            many.committed(step, 1000);
        QCOMPARE(many.spared().size(), UnscoredCheckpoints::kMostWaiting);
        QCOMPARE(*many.spared().begin(), std::int64_t{37});  // the newest have more to tell
        UnscoredCheckpoints large({});
        for (std::int64_t step = 1; step <= 5; ++step)
            large.committed(step, std::uint64_t{3} << 29);  // 1.5 GiB each
        QCOMPARE(large.spared(), (std::set<std::int64_t>{4, 5}));
    }
};

QTEST_GUILESS_MAIN(ScoredStepsTest)
#include "tst_scored_steps.moc"
