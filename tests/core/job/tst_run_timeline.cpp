// SPDX-License-Identifier: Apache-2.0
// A run as it was at a moment in its past, and where its moments are.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <random>

#include "core/job/fold/run_fold.h"
#include "core/job/timeline/moment_player.h"
#include "core/job/timeline/timeline_reader.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/core/job/records.h"
#include "tests/support/view_text.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;
using testsupport::differenceOf;
using testsupport::textOf;
using Kind = TimelineMark::Kind;

namespace {

wire::Record checkpoint(double seconds, std::uint64_t step) {
    wire::Record record = at(seconds);
    record.mutable_checkpoint()->set_step(step);
    record.mutable_checkpoint()->set_path("checkpoints/step-" + std::to_string(step));
    return record;
}

wire::Record evaluation(double seconds, std::uint64_t step) {
    wire::Record record = at(seconds);
    record.mutable_evaluation()->set_step(step);
    record.mutable_evaluation()->set_split("validation");
    record.mutable_evaluation()->set_accuracy(0.9);
    return record;
}

wire::Record clockOffset(double seconds, std::uint32_t process, double offset) {
    wire::Record record = at(seconds);
    record.mutable_clock_offset()->set_process_id(process);
    record.mutable_clock_offset()->set_offset_seconds(offset);
    record.mutable_clock_offset()->set_round_trip_seconds(0.0004);
    return record;
}

/// Both replicas train from `from` to `to` seconds, a heartbeat a second and 50 steps of 10 ms each
/// half.
void train(std::vector<wire::Record>& records, double from, double to, std::uint64_t firstStep,
           bool bothAreHeard = true) {
    std::uint64_t step = firstStep;
    for (double second = from; second < to; second += 0.5, step += 50) {
        for (std::uint32_t replica = 0; replica < 2; ++replica) {
            if (replica == 1 && !bothAreHeard) continue;
            records.push_back(steps(second, replica, step, 50));
            records.push_back(
                heartbeat(second + 0.49, replica, replica, step + 49, wire::PHASE_FORWARD));
        }
    }
}

/// A process falls silent, is called so, dies; the run goes on from a checkpoint and is complete.
std::vector<wire::Record> eventfulRun() {
    std::vector<wire::Record> records{runState(0, wire::RUN_STATE_LAUNCHING, "waiting for 2"),
                                      replicaInfo(0.2, 0, 0), replicaInfo(0.2, 1, 1), runInfo(0.3),
                                      runState(0.4, wire::RUN_STATE_TRAINING, "training")};
    train(records, 1, 5, 1);
    records.push_back(checkpoint(5, 400));
    records.push_back(evaluation(5.4, 400));
    train(records, 5.5, 10, 401, false);
    wire::Record silent = verdict(9.2, "process 1 (node-1) has sent no heartbeat for 4.2 s", 1);
    silent.mutable_verdict()->add_processes(1);
    records.push_back(silent);
    train(records, 10, 12, 851, false);
    silent.mutable_verdict()->set_sentence("process 1 (node-1) has sent no heartbeat for 6.9 s");
    silent.set_wall_time(kStart + 11.9);
    records.push_back(silent);
    records.push_back(failure(12, 1, "was killed by signal 9 (SIGKILL)"));
    records.push_back(runState(12.1, wire::RUN_STATE_RESTARTING, "restarting"));
    records.push_back(replicaInfo(14, 0, 0));
    records.push_back(replicaInfo(14, 1, 1));
    records.push_back(runInfo(14.1, 1, 400));
    records.push_back(runState(14.2, wire::RUN_STATE_TRAINING, "training again"));
    train(records, 15, 18, 401);
    records.push_back(runState(4000, wire::RUN_STATE_LAUNCHING, "resumed the next day"));
    records.push_back(replicaInfo(4000.1, 0, 0));
    records.push_back(replicaInfo(4000.1, 1, 1));
    records.push_back(runInfo(4000.2, 0, 700));
    records.push_back(runState(4000.3, wire::RUN_STATE_TRAINING, "training"));
    train(records, 4001, 4004, 701);
    records.push_back(runEnd(4005, "completed", R"({"status":"completed"})"));
    return records;
}

void write(const QTemporaryDir& folder, const std::vector<wire::Record>& records) {
    const auto writer =
        telemetry::JournalWriter::open(folder.filePath("journal").toStdString()).value();
    for (const wire::Record& record : records)
        QVERIFY(writer->append(wire::encode(record).value()).has_value());
    QVERIFY(writer->flush().has_value());
}

std::filesystem::path pathOf(const QTemporaryDir& folder) {
    return folder.path().toStdString();
}

Arrivals joined(const std::vector<Arrivals>& pieces) {
    Arrivals all;
    for (const Arrivals& piece : pieces) {
        all.steps.insert(all.steps.end(), piece.steps.begin(), piece.steps.end());
        all.scalars.insert(all.scalars.end(), piece.scalars.begin(), piece.scalars.end());
        all.heartbeats.insert(all.heartbeats.end(), piece.heartbeats.begin(),
                              piece.heartbeats.end());
        all.loads.insert(all.loads.end(), piece.loads.begin(), piece.loads.end());
        all.logs.insert(all.logs.end(), piece.logs.begin(), piece.logs.end());
    }
    return all;
}

/// What is known behind the first `count` records, looked at after each of `looks`.
testsupport::Lines known(const std::filesystem::path& runDir,
                         const std::vector<wire::Record>& records, std::size_t count,
                         const std::function<bool(std::size_t)>& looksAfter) {
    RunFold fold(runDir);
    for (std::size_t i = 0; i < count; ++i) {
        fold.apply(records[i]);
        if (!looksAfter(i)) continue;
        fold.tick(fold.newestWallTime());
        std::ignore = fold.view();
    }
    fold.tick(fold.newestWallTime());
    auto lines = textOf(*fold.view());
    const auto more = textOf(fold.takeArrivals());
    lines.insert(lines.end(), more.begin(), more.end());
    return lines;
}

}  // namespace

class RunTimelineTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsKnownBehindARecordDependsOnTheRecordsBeforeItAlone() {
        const auto records = eventfulRun();
        std::mt19937 random(1);
        for (std::size_t count = 1; count <= records.size(); ++count) {
            const auto never = known("/runs/r", records, count, [](std::size_t) { return false; });
            const auto always = known("/runs/r", records, count, [](std::size_t) { return true; });
            const auto some =
                known("/runs/r", records, count, [&](std::size_t) { return random() % 3 == 0; });
            QCOMPARE(differenceOf(never, always), std::string());
            QCOMPARE(differenceOf(never, some), std::string());
        }
    }

    void aMomentIsTheFoldOfTheJournalUpToItWhicheverWayItIsReached() {
        const QTemporaryDir folder;
        const auto records = eventfulRun();
        write(folder, records);
        std::vector<std::uint64_t> ends;
        std::uint64_t end = 0;
        for (const wire::Record& record : records)
            ends.push_back(end += telemetry::kFrameHeaderBytes + wire::encode(record)->size());
        MomentPlayer player(pathOf(folder));
        std::mt19937 random(7);
        testsupport::Lines arrived;
        for (int i = 0; i < 200; ++i) {
            const std::size_t count = 1 + random() % records.size();
            const auto shown = player.show({ends[count - 1], kStart, 0});
            QVERIFY2(shown.has_value() && shown->has_value(), "a moment can be shown");
            if ((*shown)->fromStart) arrived.clear();
            QCOMPARE((*shown)->view->momentWallTime, kStart);
            // Of the pieces the text is in another order: what the view says is compared here, what
            // has arrived at the first look.
            const auto whole =
                known(pathOf(folder), records, count, [](std::size_t) { return false; });
            auto lines = textOf(*(*shown)->view);
            QCOMPARE(differenceOf(lines, {whole.begin(), whole.begin() + long(lines.size())}),
                     std::string());
            if (!(*shown)->fromStart) continue;
            const auto more = textOf(joined((*shown)->arrivals));
            lines.insert(lines.end(), more.begin(), more.end());
            QCOMPARE(differenceOf(lines, whole), std::string());
        }
    }

    void aMomentThatIsGivenUpIsTakenUpAgain() {
        const QTemporaryDir folder;
        const auto records = eventfulRun();
        write(folder, records);
        TimelineReader reader(pathOf(folder));
        const auto timeline = reader.read().value();
        MomentPlayer player(pathOf(folder));
        const RunMoment last = timeline->points.back().moment;
        QVERIFY(!player.show(last, [](double) { return false; }).value().has_value());
        const auto shown = player.show(last).value();
        QVERIFY(shown.has_value() && shown->fromStart);
        QCOMPARE(shown->view->state, RunState::Completed);
    }

    void theTimelineHasWhatHappenedAndLeavesOutWhereNobodyRan() {
        const QTemporaryDir folder;
        write(folder, eventfulRun());
        TimelineReader reader(pathOf(folder));
        const auto timeline = reader.read().value();
        std::vector<std::pair<Kind, double>> marks;
        for (const TimelineMark& mark : timeline->marks)
            marks.emplace_back(mark.kind, std::round((mark.moment.wallTime - kStart) * 10) / 10);
        const std::vector<std::pair<Kind, double>> expected{
            {Kind::Start, 0},    {Kind::Checkpoint, 5}, {Kind::Evaluation, 5.4},
            {Kind::Verdict, 10}, {Kind::Failure, 12},   {Kind::Start, 12.1},
            {Kind::Start, 4000}, {Kind::End, 4005}};
        QCOMPARE(marks.size(), expected.size());
        for (std::size_t i = 0; i < marks.size(); ++i)
            QCOMPARE(marks[i], expected[i]);
        QCOMPARE(timeline->marks[4].sentence,
                 std::string("process 1 (node-1): was killed by signal 9 (SIGKILL)"));
        // 18 s until the pause, 5 s behind it.
        QVERIFY2(timeline->seconds() > 22 && timeline->seconds() < 24,
                 qPrintable(QString::number(timeline->seconds())));
        for (std::size_t i = 1; i < timeline->points.size(); ++i) {
            QVERIFY(timeline->points[i].moment.wallTime >= timeline->points[i - 1].moment.wallTime);
            QVERIFY(timeline->points[i].moment.offset > timeline->points[i - 1].moment.offset);
        }
        QVERIFY(std::abs(timeline->secondsAt(kStart + 4002) - (timeline->seconds() - 3)) < 0.01);
        QCOMPARE(timeline->at(-5).moment, timeline->points.front().moment);
        QCOMPARE(timeline->at(1e9).moment, timeline->points.back().moment);
    }

    void fromATimeOnWhatWasSaidThenIsKnown() {
        std::vector<wire::Record> records{runInfo(0), replicaInfo(0, 0, 0), replicaInfo(0, 1, 1),
                                          runState(0.4, wire::RUN_STATE_TRAINING, "training")};
        train(records, 1, 3, 1);
        wire::Record epoch = at(3.2);
        epoch.mutable_epoch()->set_epoch(1);
        records.push_back(epoch);
        records.push_back(heartbeat(4, 0, 0, 200, wire::PHASE_FORWARD));
        const QTemporaryDir folder;
        write(folder, records);
        const auto timeline = TimelineReader(pathOf(folder)).read().value();
        MomentPlayer player(pathOf(folder));
        const auto shown = player.show(timeline->from(kStart + 3.2).moment).value().value();
        QCOMPARE(shown.view->epochResults.size(), std::size_t{1});
        QCOMPARE(shown.view->epochResults[0].sharedTime, kStart + 3.2);
        QCOMPARE(timeline->from(0).seconds, 0.0);
        QCOMPARE(timeline->from(kStart + 9).moment.offset, timeline->points.back().moment.offset);
    }

    void stepsAreGoneThroughOneReportAfterTheOther() {
        const QTemporaryDir folder;
        write(folder, eventfulRun());
        TimelineReader reader(pathOf(folder));
        const auto timeline = reader.read().value();
        const RunMoment first = timeline->at(2).moment;
        QCOMPARE(first.step, 100);
        const RunMoment next = timeline->otherStep(first, true).moment;
        QCOMPARE(next.step, 150);
        QCOMPARE(timeline->otherStep(next, false).moment.step, 100);
        QCOMPARE(timeline->otherStep(timeline->points.back().moment, true).moment,
                 timeline->points.back().moment);
        QCOMPARE(timeline->otherStep(timeline->points.front().moment, false).moment,
                 timeline->points.front().moment);
    }

    void aJournalThatGrowsIsReadOnFromWhereItWas() {
        const QTemporaryDir folder;
        const auto records = eventfulRun();
        const auto writer =
            telemetry::JournalWriter::open(folder.filePath("journal").toStdString()).value();
        TimelineReader growing(pathOf(folder));
        for (std::size_t i = 0; i < records.size(); ++i) {
            QVERIFY(writer->append(wire::encode(records[i]).value()).has_value());
            if (i % 7 != 0) continue;
            QVERIFY(writer->flush().has_value());
            QVERIFY(growing.read().value() != nullptr);
        }
        QVERIFY(writer->flush().has_value());
        const auto grown = growing.read().value();
        QCOMPARE(growing.read().value(), grown);  // nothing has come
        TimelineReader atOnce(pathOf(folder));
        const auto whole = atOnce.read().value();
        QCOMPARE(grown->marks, whole->marks);
        QCOMPARE(grown->points.size(), whole->points.size());
        for (std::size_t i = 0; i < grown->points.size(); ++i)
            QCOMPARE(grown->points[i].moment, whole->points[i].moment);
    }

    void theTimelineOfALongRunStaysSmall() {
        const QTemporaryDir folder;
        std::vector<wire::Record> records{runInfo(0), replicaInfo(0, 0, 0)};
        const int beats = int(TimelineReader::kMostPoints) * 2;
        for (int i = 0; i < beats; ++i)
            records.push_back(heartbeat(0.02 * i, 0, 0, std::uint64_t(i), wire::PHASE_FORWARD));
        write(folder, records);
        TimelineReader reader(pathOf(folder));
        const auto timeline = reader.read().value();
        QVERIFY(timeline->points.size() <= TimelineReader::kMostPoints + 1);
        QVERIFY(timeline->points.size() > TimelineReader::kMostPoints / 3);
        const double middle = timeline->seconds() / 2;
        QVERIFY(std::abs(timeline->at(middle).seconds - middle) < 0.2);
        QCOMPARE(timeline->points.back().moment.step, std::int64_t{beats - 1});
    }

    void aLongRunKeepsItsFailuresAmongThousandsOfCheckpoints() {
        const QTemporaryDir folder;
        std::vector<wire::Record> records{runInfo(0), replicaInfo(0, 0, 0)};
        const int checkpoints = int(TimelineReader::kMostMarks) * 3 / 2;
        for (int i = 1; i <= checkpoints; ++i)
            records.push_back(checkpoint(0.1 * i, std::uint64_t(i)));
        const double end = 0.1 * checkpoints + 1;
        records.push_back(failure(end, 0, "was killed by signal 9 (SIGKILL)"));
        records.push_back(runEnd(end + 1, "failed", R"({"status":"failed"})"));
        write(folder, records);
        const auto timeline = TimelineReader(pathOf(folder)).read().value();
        const auto count = [&](Kind kind) {
            return std::ranges::count(timeline->marks, kind, &TimelineMark::kind);
        };
        QCOMPARE(count(Kind::Failure), 1);
        QCOMPARE(count(Kind::End), 1);
        const auto kept = std::size_t(count(Kind::Checkpoint));
        QVERIFY(kept > TimelineReader::kMostMarks / 2 && kept <= TimelineReader::kMostMarks);
        QCOMPARE(timeline->marksLeftOut, std::size_t(checkpoints) - kept);
        QVERIFY(std::ranges::is_sorted(
            timeline->marks, {}, [](const TimelineMark& mark) { return mark.moment.offset; }));
    }

    void oneDamagedStretchIsToldOnce() {
        const QTemporaryDir folder;
        std::vector<wire::Record> records{runInfo(0), replicaInfo(0, 0, 0)};
        train(records, 1, 3, 1);
        write(folder, records);
        {
            std::ofstream journal(folder.filePath("journal").toStdString(),
                                  std::ios::binary | std::ios::app);
            journal << std::string(std::size_t{1} << 20, '\x5a');
        }
        const QTemporaryDir more;
        write(more, {heartbeat(4, 0, 0, 200, wire::PHASE_FORWARD),
                     runEnd(5, "completed", R"({"status":"completed"})")});
        {
            std::ifstream behind(more.filePath("journal").toStdString(), std::ios::binary);
            std::ofstream journal(folder.filePath("journal").toStdString(),
                                  std::ios::binary | std::ios::app);
            journal << behind.rdbuf();
        }
        const auto timeline = TimelineReader(pathOf(folder)).read().value();
        MomentPlayer player(pathOf(folder));
        const auto shown = player.show(timeline->points.back().moment).value().value();
        QCOMPARE(shown.log->size(), std::size_t{1});
        QVERIFY(shown.log->textInMemory(0)->find("the journal is damaged") == 0);
    }

    void aClockThatIsAheadMovesNothingOnTheTimeline() {
        constexpr double kAhead = 5;
        const auto run = [&](double ahead) {
            std::vector<wire::Record> records{runState(0, wire::RUN_STATE_LAUNCHING, "launching"),
                                              runInfo(0),
                                              replicaInfo(0, 0, 0),
                                              replicaInfo(0, 1, 1),
                                              clockOffset(0.1, 0, 0),
                                              heartbeat(0.2 + ahead, 1, 1, 0, wire::PHASE_FORWARD),
                                              clockOffset(0.3 + ahead, 1, -ahead),
                                              runState(0.4, wire::RUN_STATE_TRAINING, "training")};
            for (int i = 0; i < 40; ++i) {
                const double second = 1 + 0.5 * i;
                const auto step = static_cast<std::uint64_t>(1 + 50 * i);
                records.push_back(steps(second, 0, step, 50));
                records.push_back(steps(second + ahead, 1, step, 50));
                records.push_back(heartbeat(second + 0.49, 0, 0, step, wire::PHASE_FORWARD));
                records.push_back(
                    heartbeat(second + 0.49 + ahead, 1, 1, step, wire::PHASE_FORWARD));
            }
            return records;
        };
        const QTemporaryDir skewed;
        const QTemporaryDir straight;
        write(skewed, run(kAhead));
        write(straight, run(0));
        TimelineReader one(pathOf(skewed));
        TimelineReader other(pathOf(straight));
        const auto with = one.read().value();
        const auto without = other.read().value();
        QCOMPARE(with->points.size(), without->points.size());
        for (std::size_t i = 0; i < with->points.size(); ++i) {
            QCOMPARE(with->points[i].moment.step, without->points[i].moment.step);
            QVERIFY(std::abs(with->points[i].seconds - without->points[i].seconds) < 0.005);
        }
        // Nor is anybody called silent for it.
        MomentPlayer player(pathOf(skewed));
        for (const double second : {8.0, 12.0, 19.0}) {
            const auto shown = player.show(with->at(second).moment).value();
            for (const ReplicaView& replica : shown->view->replicas) {
                QCOMPARE(replica.liveness, Liveness::Alive);
                QVERIFY(replica.heartbeatAgeSeconds < 0.7);
            }
        }
    }

    void aFolderWithoutAJournalIsSaid() {
        const QTemporaryDir folder;
        TimelineReader reader(pathOf(folder));
        QCOMPARE(reader.read().error().code, ErrorCode::NotFound);
        MomentPlayer player(pathOf(folder));
        QCOMPARE(player.show({1, 0, 0}).error().code, ErrorCode::NotFound);
    }
};

QTEST_GUILESS_MAIN(RunTimelineTest)
#include "tst_run_timeline.moc"
