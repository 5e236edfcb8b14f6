// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/coordination/health/progress_watch.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;

namespace {

/// Two processes with a replica each, of which a checkpoint and a validation are known.
struct Watched {
    Watched() {
        watch.addProcess(0, "a");
        watch.addProcess(1, "b");
        wire::StepBatch steps;
        steps.set_first_step(1);
        steps.add_step_us(5000);
        watch.addSteps(0, steps);
        wire::Record checkpoint;
        checkpoint.mutable_checkpoint()->set_step(1);
        watch.note(checkpoint);
        wire::Record validation;
        validation.mutable_epoch()->set_has_validation(true);
        watch.note(validation);
    }
    void beat(std::uint32_t process, wire::Phase phase, std::uint64_t points, Nanos age) {
        wire::ReplicaProgress progress;
        progress.set_replica(process);
        progress.set_step(50);
        progress.set_phase(phase);
        progress.set_collective_points(points);
        progress.set_phase_seconds(std::chrono::duration<float>(age).count());
        if (phase == wire::PHASE_ALL_REDUCE || phase == wire::PHASE_WAITING)
            progress.set_collective(wire::COLLECTIVE_GATHER);
        watch.report(process, progress, now);
    }
    [[nodiscard]] std::string verdict() const {
        const auto finding = watch.judge(now);
        return finding ? finding->sentence : "none";
    }

    ProgressWatch watch{ProgressLimits()};
    Nanos now = 1h;
};

/// Four processes with a replica each, on two hosts, of which no checkpoint and no validation is
/// known: a start's first ones.
struct FirstOccasion {
    FirstOccasion() {
        for (const std::uint32_t process : {0U, 1U, 2U, 3U})
            watch.addProcess(process, process < 2 ? "a" : "b");
        wire::StepBatch steps;
        steps.set_first_step(1);
        steps.add_step_us(5000);
        watch.addSteps(0, steps);
    }
    [[nodiscard]] static wire::ReplicaProgress at(wire::Phase phase, std::uint64_t points,
                                                  double seconds) {
        wire::ReplicaProgress progress;
        progress.set_step(50);
        progress.set_phase(phase);
        progress.set_collective_points(points);
        progress.set_phase_seconds(static_cast<float>(seconds));
        return progress;
    }
    /// Its own share takes `needs` of the `seconds` that it has been in the phase; then it waits.
    [[nodiscard]] static wire::ReplicaProgress sharing(wire::Phase phase, double seconds,
                                                       double needs, std::uint64_t points = 9) {
        const bool isDone = seconds >= needs;
        wire::ReplicaProgress progress = at(phase, isDone ? kDone : points, seconds);
        progress.mutable_share()->set_number(1);
        progress.mutable_share()->set_seconds(static_cast<float>(std::min(seconds, needs)));
        progress.mutable_share()->set_done(isDone);
        return progress;
    }
    void beat(std::uint32_t process, wire::ReplicaProgress progress) {
        progress.set_replica(process);
        watch.report(process, progress, now);
    }
    void beatAllBut(std::uint32_t process, const wire::ReplicaProgress& progress) {
        for (const std::uint32_t other : {0U, 1U, 2U, 3U})
            if (other != process) beat(other, progress);
    }
    [[nodiscard]] std::string verdict() const {
        const auto finding = watch.judge(now);
        return finding ? finding->sentence : "none";
    }

    static constexpr std::uint64_t kDone = std::uint64_t{1} << 32;  // behind an alignment
    static constexpr double kNever = 1e6;
    ProgressWatch watch{ProgressLimits()};
    Nanos now = 1h;
};

}  // namespace

class ProgressWatchTest : public QObject {
    Q_OBJECT
private slots:
    void whereTheOthersHaveGoneOnItIsSaidWhereTheyWait() {
        Watched job;
        job.beat(0, wire::PHASE_CHECKPOINT, 9, 12s);
        job.beat(1, wire::PHASE_CHECKPOINT, 12, 12s);
        QCOMPARE(job.verdict(),
                 "process 0 (a) has been in checkpoint for 12 s after step 50; the others wait for "
                 "it there");
        Watched gone;
        gone.beat(0, wire::PHASE_CHECKPOINT, 9, 12s);
        gone.beat(1, wire::PHASE_ALL_REDUCE, 13, 11s);
        QCOMPARE(gone.verdict(),
                 "process 0 (a) has been in checkpoint for 12 s after step 50; the others wait for "
                 "it in all-gather");
    }
    /// A state that is put together or handed out piece by piece takes its time.
    void whoReachesPointsOfCollectivesDoesNotStandStill_data() {
        QTest::addColumn<int>("phase");
        QTest::addColumn<int>("limit");
        QTest::addRow("checkpoint") << int(wire::PHASE_CHECKPOINT) << 9;
        QTest::addRow("handed out") << int(wire::PHASE_WAITING) << 300;
    }
    void whoReachesPointsOfCollectivesDoesNotStandStill() {
        QFETCH(const int, phase);
        QFETCH(const int, limit);
        Watched job;
        const auto beats = [&](Nanos age, std::uint64_t points) {
            for (const std::uint32_t process : {0U, 1U})
                job.beat(process, static_cast<wire::Phase>(phase), points, age);
            job.now += 1s;
        };
        int second = 0;
        for (; second < 2 * limit; ++second) {
            beats(std::chrono::seconds(second), static_cast<std::uint64_t>(second + 1));
            QCOMPARE(job.verdict(), "none");
        }
        const int stands = second;
        for (; second < stands + limit - 2; ++second)
            beats(std::chrono::seconds(second), static_cast<std::uint64_t>(stands));
        QCOMPARE(job.verdict(), "none");
        beats(std::chrono::seconds(second), static_cast<std::uint64_t>(stands));
        QVERIFY(job.verdict() != "none");
    }
    /// It reaches no points. What it calls a validation may be short, and then a long one.
    void aUsersOwnProgramKeepsNoTimeThatIsKnown() {
        Watched job;
        job.beat(0, wire::PHASE_EVALUATE, 0, 419s);
        job.beat(1, wire::PHASE_EVALUATE, 0, 419s);
        QCOMPARE(job.verdict(), "none");
        job.beat(0, wire::PHASE_EVALUATE, 0, 420s);
        QVERIFY(job.verdict().starts_with("process 0 (a) has been in evaluation for 420 s"));
    }

    /// Those who are done with their shares show how long one takes: of the first, too.
    void whoIsFrozenInTheFirstValidationIsNamedSoonAfterTheOthersAreDone_data() {
        QTest::addColumn<double>("needs");
        QTest::addColumn<int>("limit");
        QTest::addRow("short") << 0.5 << 9;
        QTest::addRow("longer") << 3.0 << 18;  // 4.5 times 3 s and a heartbeat
        QTest::addRow("long") << 200.0 << 420;
    }
    void whoIsFrozenInTheFirstValidationIsNamedSoonAfterTheOthersAreDone() {
        QFETCH(const double, needs);
        QFETCH(const int, limit);
        FirstOccasion job;
        for (int second = 0; second <= limit; ++second, job.now += 1s) {
            job.beatAllBut(2, FirstOccasion::sharing(wire::PHASE_EVALUATE, second, needs));
            job.beat(2,
                     FirstOccasion::sharing(wire::PHASE_EVALUATE, second, FirstOccasion::kNever));
            if (second < limit) QCOMPARE(job.verdict(), "none");
        }
        job.now -= 1s;
        QCOMPARE(job.verdict(), "process 2 (b) has been in evaluation for " +
                                    std::to_string(limit) +
                                    " s after step 50; the others wait for it there");
    }
    /// Of a host that is slower, or has too few cores.
    void whoIsSlowerThanTheOthersIsNotAccused_data() {
        QTest::addColumn<int>("times");
        QTest::addRow("twice") << 2;
        QTest::addRow("four times") << 4;
    }
    void whoIsSlowerThanTheOthersIsNotAccused() {
        QFETCH(const int, times);
        for (const double needs : {0.5, 2.0, 30.0}) {
            FirstOccasion job;
            for (int second = 0; second <= times * needs + 1; ++second, job.now += 1s) {
                for (const std::uint32_t process : {0U, 1U, 2U, 3U})
                    job.beat(process, FirstOccasion::sharing(wire::PHASE_EVALUATE, second,
                                                             process < 2 ? needs : times * needs));
                QCOMPARE(job.verdict(), "none");
            }
        }
    }
    /// However slow it is, as where its data come from a cold disk: it scores one batch after the
    /// other.
    void whoScoresBatchesIsNotAccusedAndThenIs() {
        FirstOccasion job;
        const auto beats = [&](int second, int batches) {
            job.beatAllBut(2, FirstOccasion::sharing(wire::PHASE_EVALUATE, second, 1));
            job.beat(2, FirstOccasion::sharing(wire::PHASE_EVALUATE, second, FirstOccasion::kNever,
                                               static_cast<std::uint64_t>(9 + batches)));
            job.now += 1s;
        };
        int second = 0;
        for (; second <= 300; ++second) {
            beats(second, second / 5);
            QCOMPARE(job.verdict(), "none");
        }
        for (; second < 308; ++second)
            beats(second, 60);
        QCOMPARE(job.verdict(), "none");
        beats(second, 60);
        QVERIFY(job.verdict().starts_with("process 2 (b) has been in evaluation for "));
    }
    /// Who has scored more batches than another does not wait for that one.
    void allWhoAreFrozenInTheFirstValidationAreNamedWhereverTheyAreInIt() {
        FirstOccasion job;
        for (const std::uint32_t process : {0U, 1U})
            job.beat(process, FirstOccasion::sharing(wire::PHASE_EVALUATE, 12, 1));
        for (const std::uint32_t process : {2U, 3U})
            job.beat(process, FirstOccasion::sharing(wire::PHASE_EVALUATE, 12,
                                                     FirstOccasion::kNever, 9 + process));
        QVERIFY(
            job.verdict().starts_with("process 2 (b) and process 3 (b) have been in evaluation"));
    }
    void aFewWhoAreQuickDoNotShowHowLongItTakes() {
        FirstOccasion job;
        job.beatAllBut(0, FirstOccasion::sharing(wire::PHASE_EVALUATE, 419, FirstOccasion::kNever));
        job.beat(0, FirstOccasion::sharing(wire::PHASE_EVALUATE, 419, 1));
        QCOMPARE(job.verdict(), "none");
    }
    /// They have waited from the beginning, or heard that they are to stop.
    void whoHasNoShareToShowShortensNothing() {
        FirstOccasion job;
        job.beatAllBut(2, FirstOccasion::at(wire::PHASE_EVALUATE, FirstOccasion::kDone, 419));
        job.beat(2, FirstOccasion::sharing(wire::PHASE_EVALUATE, 419, FirstOccasion::kNever));
        QCOMPARE(job.verdict(), "none");
    }
    /// Process 0 alone copies it; all have the hash to make, which begins behind the copy.
    void whoWritesACheckpointForTheOthersHasItsTimeAndWhoAgreesOnItAsLongAsTheyHad() {
        FirstOccasion job;
        job.beatAllBut(0, FirstOccasion::sharing(wire::PHASE_CHECKPOINT, 410, 1));
        job.beat(0, FirstOccasion::at(wire::PHASE_CHECKPOINT, 9, 410));
        QCOMPARE(job.verdict(), "none");
        auto agrees = FirstOccasion::at(wire::PHASE_CHECKPOINT, 9, 415);
        agrees.mutable_share()->set_number(1);
        agrees.mutable_share()->set_seconds(5);
        job.beat(0, agrees);
        QCOMPARE(job.verdict(), "none");
        job.now += 4s;
        QCOMPARE(job.verdict(),
                 "process 0 (a) has been in checkpoint for 9 s after step 50; the others wait for "
                 "it there");
    }
    /// What a user's own function does nobody knows, and often process 0 alone has one.
    void whoIsInACallbackIsNotJudgedByThoseWhoHaveNone() {
        FirstOccasion job;
        job.beatAllBut(0, FirstOccasion::sharing(wire::PHASE_EVALUATE, 419, 1));
        auto calls = FirstOccasion::sharing(wire::PHASE_CALLBACK, 419, 1);
        job.beat(0, calls);
        QCOMPARE(job.verdict(), "none");
        calls.set_phase_seconds(420);
        job.beat(0, calls);
        QVERIFY(job.verdict().starts_with("process 0 (a) has been in a callback for 420 s"));
    }
};

QTEST_GUILESS_MAIN(ProgressWatchTest)
#include "tst_progress_watch.moc"
