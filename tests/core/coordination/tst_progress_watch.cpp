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
};

QTEST_GUILESS_MAIN(ProgressWatchTest)
#include "tst_progress_watch.moc"
