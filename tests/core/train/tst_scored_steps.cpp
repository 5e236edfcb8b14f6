// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "core/telemetry/journal.h"
#include "core/train/checkpoints/score_journal.h"
#include "core/train/checkpoints/scored_steps.h"
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
    void aScoreIsAddedToAnEndedRunOnceAndNotWhileItGoesOn() {
        const std::filesystem::path run = temporary_.filePath("run").toStdString();
        QCOMPARE(ScoreJournal::open(run).error().code, ErrorCode::NotFound);
        std::filesystem::create_directories(run);
        {
            auto writer = telemetry::JournalWriter::open(run / "journal").value();
            QVERIFY(writer->append(startAt(0).SerializeAsString()));
            QVERIFY(writer->append(evaluation(100, "validation").SerializeAsString()));
            QCOMPARE(ScoreJournal::open(run).error().code, ErrorCode::Unavailable);
        }
        for (int twice = 0; twice < 2; ++twice) {
            auto journal = ScoreJournal::open(run);
            QVERIFY2(journal, journal ? "" : journal.error().message.c_str());
            QVERIFY(journal->add(evaluation(100, "validation").evaluation()));
            QVERIFY(telemetry::JournalWriter::open(run / "journal"));  // as a resume would
            QVERIFY(journal->add(evaluation(100, "test").evaluation()));
        }
        const auto scored = readScoredSteps(run / "journal", 100);
        QCOMPARE(scored.tests, Steps{100});
        int records = 0;
        const auto frames =
            telemetry::JournalReader::open(run / "journal").value().read(0, 1 << 20).value();
        for (telemetry::FrameCursor cursor(frames); cursor.next();)
            ++records;
        QCOMPARE(records, 3);
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
};

QTEST_GUILESS_MAIN(ScoredStepsTest)
#include "tst_scored_steps.moc"
