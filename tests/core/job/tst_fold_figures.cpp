// SPDX-License-Identifier: Apache-2.0
// What a run's records say of its steps: columns, named figures, rates; and what folding them
// costs.
#include <QtTest>
#include <cmath>
#include <ctime>
#include <limits>

#include "core/job/fold/scored_checkpoints.h"
#include "core/telemetry/journal.h"
#include "core/telemetry/scalar_recorder.h"
#include "core/wire/codec.h"
#include "tests/core/job/watcher.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

/// Processor time of this process: a machine that is busy with others does not fail a test.
class CpuTimer {
public:
    [[nodiscard]] double seconds() const {
        return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    }

private:
    std::clock_t start_ = std::clock();
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlowdown = 20;
#else
constexpr double kSlowdown = 1;
#endif

}  // namespace

class FoldFiguresTest : public QObject {
    Q_OBJECT
private slots:
    void aPictureThatIsToldWithEachCheckpointIsHeldOnce() {
        Watcher watcher = training();
        for (std::uint32_t step = 1; step <= 3; ++step) {
            wire::Record record = at(step);
            record.mutable_evaluation()->set_step(step);
            // Behind a resume the data may be others.
            const std::string pixels(784, step < 3 ? 'a' : 'b');
            record.mutable_evaluation()->add_samples()->set_pixels(pixels);
            watcher.say(step, record);
        }
        const auto scored = watcher.look(3).evaluations;
        QCOMPARE(scored[0]->samples[0].pixels.get(), scored[1]->samples[0].pixels.get());
        QCOMPARE(*scored[2]->samples[0].pixels, std::vector<std::uint8_t>(784, 'b'));
    }
    void whoIsSlowIsShownWhileAllTrainOn() {
        Watcher watcher = training();
        watcher.say(2, heartbeat(2, 1, 1, 40, wire::PHASE_BACKWARD));
        wire::Record slow = verdict(3, "process 1 (node-1) costs the others 18 %", 0);
        slow.mutable_verdict()->set_slow(true);
        slow.mutable_verdict()->add_processes(1);
        watcher.say(3, slow);
        RunView view = watcher.look(3);
        QCOMPARE(view.verdictSeverity, 4);
        QCOMPARE(view.sentence, std::string("process 1 (node-1) costs the others 18 %"));
        QCOMPARE(view.replicas[1].state, std::string("training, slow: the others wait for it"));
        QVERIFY(view.replicas[0].state.find("slow") == std::string::npos);
        QVERIFY(view.replicas[1].isAccused && !view.replicas[0].isAccused);
        watcher.say(4, verdict(4, "", 0));
        view = watcher.look(4);
        QCOMPARE(view.verdictSeverity, 0);
        QCOMPARE(view.replicas[1].state, std::string("training"));
        watcher.say(5, slow);
        watcher.say(6, runState(6, wire::RUN_STATE_RESTARTING, "restart 1 of 3"));
        view = watcher.look(6);
        QCOMPARE(view.verdictSeverity, 0);
        QCOMPARE(view.sentence, std::string("restart 1 of 3"));
        wire::Record old = verdict(7, "process 1 (node-1) costs the others 18 %", 4);
        watcher.say(7, old);
        QCOMPARE(watcher.look(7).verdictSeverity, 4);
    }

    void stepsThatWereLostWithAProcessAreMissing() {
        Watcher watcher = training();
        watcher.say(2, steps(2, 0, 1, 112));
        watcher.say(2, steps(2, 1, 1, 104));
        watcher.say(3, runState(3, wire::RUN_STATE_RESTARTING, "restart 1 of 3"));
        watcher.say(4, runInfo(4, 1, 112));
        watcher.say(5, steps(5, 0, 113, 4));
        QCOMPARE(watcher.look(5).missing, std::string());  // it may still tell them
        watcher.say(5, steps(5, 1, 113, 4));
        const std::string sentence =
            "steps of replica 1 are missing, whose records were lost with a process: 8 (105-112)";
        QCOMPARE(watcher.look(5).missing, sentence);
        watcher.say(6, runState(6, wire::RUN_STATE_RESTARTING, "restart 2 of 3"));
        watcher.say(7, runInfo(7, 2, 112));
        watcher.say(8, steps(8, 0, 113, 8));
        watcher.say(8, steps(8, 1, 113, 8));
        QCOMPARE(watcher.look(8).missing, sentence);  // it has gone back
        wire::Record program = runInfo(9, 3, 112);
        program.mutable_run_info()->set_job_toml("[launch]\ncommand = [\"train\"]\n");
        watcher.say(9, program);
        QCOMPARE(watcher.look(9).missing, std::string());  // which tells the steps that it likes
    }

    void whoIsStuckIsMarkedUntilTheVerdictIsTakenBack() {
        Watcher watcher = training();
        watcher.say(2, heartbeat(2, 1, 1, 40, wire::PHASE_DATA));
        wire::Record stuck = verdict(3, "process 1 (node-1) has been in loading data for 9 s", 2);
        stuck.mutable_verdict()->add_processes(1);
        watcher.say(3, stuck);
        RunView view = watcher.look(3);
        QVERIFY(view.replicas[1].isAccused && !view.replicas[0].isAccused);
        QVERIFY(view.replicas[1].state.find("slow") == std::string::npos);
        watcher.say(4, runState(4, wire::RUN_STATE_RESTARTING, "restart 1 of 3"));
        QVERIFY(!watcher.look(4).replicas[1].isAccused);
        wire::Record silent = verdict(5, "process 1 (node-1) sent no heartbeat for 2 s", 1);
        silent.mutable_verdict()->add_processes(1);
        watcher.say(5, silent);
        view = watcher.look(5);
        QVERIFY(!view.replicas[1].isAccused);  // it is late, which is seen by itself
    }

    void ofAProcessWithSeveralReplicasTheSlowOneIsMarked() {
        Watcher watcher = training();
        watcher.say(1, replicaInfo(1, 1, 2));
        for (const std::uint32_t each : {1U, 2U})
            watcher.say(2, heartbeat(2, 1, each, 40, wire::PHASE_BACKWARD));
        wire::Record slow = verdict(3, "replica 2 of process 1 (node-1) costs the others 18 %", 0);
        slow.mutable_verdict()->set_slow(true);
        slow.mutable_verdict()->add_processes(1);
        slow.mutable_verdict()->add_replicas(2);
        watcher.say(3, slow);
        const RunView view = watcher.look(3);
        QCOMPARE(view.replicas.size(), std::size_t(4));
        QCOMPARE(view.replicas[2].state, std::string("training, slow: the others wait for it"));
        QCOMPARE(view.replicas[1].state, std::string("training"));
    }

    void scoresOfSeveralEvaluatorsComeInTheOrderOfTheirSteps() {
        Watcher watcher = training();
        telemetry::ScalarRecorder first(wire::ROLE_EVALUATOR, telemetry::kWholeJob);
        telemetry::ScalarRecorder second(wire::ROLE_EVALUATOR, telemetry::kWholeJob);
        for (telemetry::ScalarRecorder* recorder : {&first, &second})
            for (const char* name : {"evaluator/auc", "evaluator/test_auc"})
                recorder->introduce(name);
        const auto send = [&](telemetry::ScalarRecorder& recorder, const char* name,
                              std::uint64_t step) {
            (void)recorder.add(name, step, kStart + 2, 0.01 * double(step));
            std::vector<wire::Record> records;
            recorder.take(records);
            for (const wire::Record& record : records)
                watcher.say(3, record);
        };
        send(first, "evaluator/auc", 60);
        send(second, "evaluator/test_auc", 10);  // ids are those of the first
        send(second, "evaluator/auc", 50);
        std::vector<ScalarColumns> scalars = watcher.fold.takeArrivals().scalars;
        QCOMPARE(scalars.size(), std::size_t{2});
        QCOMPARE(scalars[0].name, std::string("evaluator/auc"));
        // A step at or before an earlier one replaces what followed: so that comes again.
        QCOMPARE(scalars[0].steps, (std::vector<std::int64_t>{60, 50, 60}));
        QCOMPARE(scalars[1].name, std::string("evaluator/test_auc"));
        wire::Record again = runInfo(4, 1);
        again.mutable_run_info()->set_first_step(40);
        watcher.say(4, again);
        send(first, "evaluator/auc", 45);  // 50 and 60 are trained again
        scalars = watcher.fold.takeArrivals().scalars;
        QCOMPARE(scalars[0].steps, std::vector<std::int64_t>{45});
    }
    void anEvaluatorHasComeAsFarAsItsNewestScore() {
        Watcher watcher = training();
        const auto score = [&](std::uint64_t step) {
            wire::Record record = at(3);
            record.mutable_evaluation()->set_step(step);
            record.mutable_evaluation()->set_split("validation");
            watcher.say(3, record);
        };
        score(20);
        QCOMPARE(watcher.look(4).replicas.back().step, std::int64_t{20});
        score(10);  // by `evaluate`, later
        QCOMPARE(watcher.look(4).replicas.back().step, std::int64_t{20});
        watcher.say(4, replicaInfo(4, 3, 0, wire::ROLE_EVALUATOR));
        score(30);  // whose it is nobody says
        QCOMPARE(watcher.look(4).replicas.back().step, std::int64_t{0});
    }
    void howManyCheckpointsAreScoredIsCounted() {
        Watcher watcher = training();
        const auto checkpoint = [&](std::uint64_t step) {
            wire::Record record = at(2);
            record.mutable_checkpoint()->set_step(step);
            watcher.say(2, record);
        };
        const auto evaluation = [&](std::uint64_t step, const char* split, const char* error) {
            wire::Record record = at(3);
            record.mutable_evaluation()->set_step(step);
            record.mutable_evaluation()->set_split(split);
            record.mutable_evaluation()->set_error(error);
            watcher.say(3, record);
        };
        for (const std::uint64_t step : {10, 20, 30})
            checkpoint(step);
        checkpoint(20);  // committed again
        evaluation(10, "validation", "");
        evaluation(20, "validation", "evaluation takes 4.1 s, checkpoints come every 1.2 s");
        evaluation(30, "test", "");  // of the run's end
        ScoredCheckpoints count = scoredCheckpoints(watcher.look(4));
        QCOMPARE(count.scored, std::size_t{1});
        QCOMPARE(count.checkpoints, std::size_t{3});
        evaluation(20, "validation", "");  // by a resume
        count = scoredCheckpoints(watcher.look(5));
        QCOMPARE(count.scored, std::size_t{2});
        QCOMPARE(watcher.look(5).evaluations.size(), std::size_t{3});
    }
    void namedFiguresAreKeptByNameAndReplica() {
        Watcher watcher = training();
        telemetry::ScalarRecorder first(wire::ROLE_WORKER, 0);
        telemetry::ScalarRecorder second(wire::ROLE_WORKER, 1);
        const auto sendBoth = [&](double seconds) {
            std::vector<wire::Record> records;
            first.take(records);
            second.take(records);
            for (const wire::Record& record : records)
                watcher.say(seconds, record);
        };
        (void)first.add("f1", 1, kStart + 2, 0.5, "%");
        (void)first.add("lr", 1, kStart + 2, 0.1);
        (void)second.add("f1", 1, kStart + 2.5, 0.75);
        sendBoth(3);
        (void)first.add("f1", 2, kStart + 4, std::numeric_limits<double>::quiet_NaN());
        sendBoth(5);
        QCOMPARE(watcher.fold.arrivalCount(), std::size_t{4});
        const std::vector<ScalarColumns> scalars = watcher.fold.takeArrivals().scalars;
        QCOMPARE(scalars.size(), std::size_t{3});
        QCOMPARE(scalars[0].name, std::string("f1"));
        QCOMPARE(scalars[0].unit, std::string("%"));
        QCOMPARE(scalars[0].replica, 0);
        QCOMPARE(scalars[0].steps, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(scalars[0].wallTimes, (std::vector<double>{kStart + 2, kStart + 4}));
        QCOMPARE(scalars[0].values[0], 0.5);
        QVERIFY(std::isnan(scalars[0].values[1]));
        QCOMPARE(scalars[1].name, std::string("lr"));
        QCOMPARE(scalars[2].replica, 1);
        QVERIFY(watcher.fold.takeArrivals().scalars.empty());
    }

    void figuresWhoseNameIsLostAreSaidOnceAndLeftOut() {
        Watcher watcher = training();
        telemetry::ScalarRecorder recorder(wire::ROLE_WORKER, 0);
        for (int round = 0; round < 2; ++round) {
            (void)recorder.add("f1", 1, kStart, 1);
            std::vector<wire::Record> records;
            recorder.take(records);
            watcher.say(2, records.back());  // never the first, which has the name
        }
        const Arrivals arrivals = watcher.fold.takeArrivals();
        QVERIFY(arrivals.scalars.empty());
        QCOMPARE(arrivals.logs.size(), std::size_t{1});
        QCOMPARE(arrivals.logs[0].level, 2);
    }

    void stepsGiveProgressRateAndTimeLeft() {
        Watcher watcher = training();
        // 10 ms a step for 4 s; replica 1 is one batch behind.
        for (int batch = 0; batch < 40; ++batch) {
            const auto first = static_cast<std::uint64_t>(batch) * 10 + 1;
            watcher.say(2 + 0.1 * batch, steps(2 + 0.1 * batch, 0, first, 10));
            if (batch > 0)
                watcher.say(2 + 0.1 * batch, steps(1.9 + 0.1 * batch, 1, first - 10, 10));
        }
        const RunView view = watcher.look(6);
        QCOMPARE(view.step, 390);
        QCOMPARE(view.replicas[0].step, 400);
        QCOMPARE(view.replicas[0].loss, 1.0F / 400);
        QCOMPARE(view.replicas[0].stepMilliseconds, 10.0F);
        QCOMPARE(view.replicas[0].phaseMicroseconds,
                 (std::array<float, kStepPhases>{1, 2, 3, 4, 5}));
        QVERIFY2(std::abs(view.samplesPerSecond - 3200) < 50,
                 qPrintable(QString::number(view.samplesPerSecond)));
        QVERIFY2(std::abs(view.etaSeconds - 6.1) < 0.3,
                 qPrintable(QString::number(view.etaSeconds)));
        const RunView stalled = watcher.look(9);
        QCOMPARE(stalled.samplesPerSecond, 0.0);
        QCOMPARE(stalled.etaSeconds, -1.0);
    }

    void slowStepsHaveARateToo() {
        RateWindow rate;
        for (int step = 1; step <= 5; ++step)
            rate.add(5.0 * step, step, 5.0 * step);
        QCOMPARE(rate.stepsPerSecond(26), 0.2);
        QCOMPARE(rate.stepsPerSecond(34), 0.2);
        QCOMPARE(rate.stepsPerSecond(36), 0.0);  // twice a step without one
    }

    void columnsOfConsecutiveBatchesAreJoined() {
        Watcher watcher = training();
        watcher.say(2, steps(2, 0, 1, 10));
        watcher.say(2, steps(2, 1, 1, 5));
        watcher.say(2, steps(2.1, 0, 11, 10));
        watcher.say(2, steps(2.4, 0, 31, 10));  // a gap
        wire::Record uneven = steps(2.5, 0, 41, 10);
        uneven.mutable_steps()->add_loss(1);
        watcher.say(2, uneven);
        const std::vector<StepColumns> columns = watcher.fold.takeArrivals().steps;
        QCOMPARE(columns.size(), std::size_t{3});
        QCOMPARE(columns[0].loss.size(), std::size_t{20});
        QCOMPARE(columns[0].loss[19], 1.0F / 20);
        QCOMPARE(columns[0].phaseMicroseconds[3].size(), std::size_t{20});
        QCOMPARE(columns[0].firstEndWallTime, kStart + 2);
        QCOMPARE(columns[1].replica, 1);
        QCOMPARE(columns[2].firstStep, 31);
        QVERIFY(watcher.fold.takeArrivals().steps.empty());
    }

    /// A start that goes on with the very next step, as after an orderly stop.
    void stepsBehindAPauseKeepTheirTimes() {
        Watcher watcher = training();
        watcher.say(2, steps(2, 0, 1, 10));
        watcher.say(2, steps(2.1, 0, 11, 10));
        watcher.say(3602, steps(3602, 0, 21, 10));
        const std::vector<StepColumns> columns = watcher.fold.takeArrivals().steps;
        QCOMPARE(columns.size(), std::size_t{2});
        QCOMPARE(columns[0].loss.size(), std::size_t{20});
        QCOMPARE(columns[1].firstStep, 21);
        QCOMPARE(columns[1].firstEndWallTime, kStart + 3602);
    }

    /// As when process 1 was lost before it had trained anything behind the checkpoint.
    void whatTwoStartsSaidIsNotJoined() {
        Watcher watcher = training();
        watcher.say(2, steps(2, 0, 1, 12));
        watcher.say(2, steps(2, 1, 1, 10));
        watcher.say(2.1, runState(2.1, wire::RUN_STATE_RESTARTING, "restart 1 of 3"));
        watcher.say(2.2, steps(2.2, 1, 11, 5));
        watcher.say(2.2, steps(2.2, 0, 11, 5));
        const std::vector<StepColumns> columns = watcher.fold.takeArrivals().steps;
        QCOMPARE(columns.size(), std::size_t{4});
        QCOMPARE(columns[1].replica, 1);
        QCOMPARE(columns[1].start, 0);
        QCOMPARE(columns[1].loss.size(), std::size_t{10});
        QCOMPARE(columns[2].replica, 1);
        QCOMPARE(columns[2].start, 1);
        QCOMPARE(columns[2].firstStep, 11);
        QCOMPARE(columns[3].start, 1);
    }

    /// Of a program's process 0, which has nothing to report.
    void aStartThatSaysNothingOfItselfIsKnownByItsSteps() {
        Watcher watcher = training();
        const int replicas = watcher.look(2).starts.back().replicas;
        QVERIFY(replicas > 0);
        watcher.say(2.1, runState(2.1, wire::RUN_STATE_RESTARTING, "restart 1 of 3"));
        watcher.say(5, steps(5, 1, 11, 5));
        QCOMPARE(watcher.look(5).starts.back().replicas, 0);  // it may still say it
        watcher.say(13, steps(13, 1, 16, 5));
        QCOMPARE(watcher.look(13).starts.back().replicas, replicas);
    }

    void aStepWithoutSamplesIsNoLossThatIsNotANumber() {
        Watcher watcher = training();
        wire::Record last = steps(2, 1, 1, 10);
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        last.mutable_steps()->set_loss(9, kNan);
        last.mutable_steps()->set_accuracy(9, kNan);
        last.mutable_steps()->add_without_samples(9);
        watcher.say(2, last);
        const RunView view = watcher.look(3);
        QCOMPARE(view.replicas[1].step, 10);
        QCOMPARE(view.replicas[1].loss, 1.0F / 9);
        const std::vector<StepColumns> columns = watcher.fold.takeArrivals().steps;
        QCOMPARE(columns[0].withoutSamples, std::vector<std::int64_t>{10});
        QCOMPARE(columns[0].stepMicroseconds.size(), std::size_t{10});
    }

    void anEpochThatHasJustEndedIsNotTheNext() {
        RunView view;
        QCOMPARE(view.epoch(), 0);  // a user's own program has none
        view.stepsPerEpoch = 500;
        QCOMPARE(view.epoch(), 1);
        view.step = 500;
        QCOMPARE(view.epoch(), 1);
        view.step = 501;
        QCOMPARE(view.epoch(), 2);
    }

    void aViewOf64ReplicasIsCheapThirtyTimesASecond() {
        Watcher watcher;
        watcher.say(0, runInfo(0));
        for (std::uint32_t replica = 0; replica < 64; ++replica)
            watcher.say(1, replicaInfo(1, replica, replica));
        constexpr int kViews = 300;
        const CpuTimer timer;
        for (int i = 0; i < kViews; ++i) {
            watcher.fold.apply(heartbeat(2, 0, 0, 1, wire::PHASE_DATA));
            watcher.fold.tick(kStart + 2);
            QCOMPARE(watcher.fold.view()->replicas.size(), std::size_t{64});
        }
        const double each = timer.seconds() / kViews;
        qInfo("%.0f us a view", 1e6 * each);
        QVERIFY(each < 0.002 * kSlowdown);  // 6 % of a core at 30 Hz
    }

    void aMillionStepsOfFourReplicasAreDigestedQuickly() {
        constexpr int kBatch = 64;
        constexpr int kBatches = 1'000'000 / kBatch;
        std::string frames;
        for (int batch = 0; batch < kBatches; ++batch) {
            for (std::uint32_t replica = 0; replica < 4; ++replica)
                telemetry::appendFrame(
                    wire::encode(steps(0.64 * batch, replica,
                                       static_cast<std::uint64_t>(batch) * kBatch + 1, kBatch))
                        .value(),
                    frames);
        }
        const CpuTimer timer;
        RunFold fold("/runs/r1");
        std::size_t taken = 0;
        telemetry::FrameCursor cursor(frames);
        while (const auto bytes = cursor.next()) {
            fold.apply(wire::decode<wire::Record>(*bytes).value());
            if (fold.arrivalCount() < 1'000'000) continue;
            for (const StepColumns& columns : fold.takeArrivals().steps)
                taken += columns.loss.size();
        }
        for (const StepColumns& columns : fold.takeArrivals().steps)
            taken += columns.loss.size();
        fold.tick(fold.newestWallTime());
        const double seconds = timer.seconds();
        qInfo("%.2f s for %zu steps", seconds, taken);
        QCOMPARE(taken, std::size_t{4} * kBatches * kBatch);
        QCOMPARE(fold.view()->step, std::int64_t{kBatches} * kBatch);
        QVERIFY(seconds < 3 * kSlowdown);
    }
};

QTEST_GUILESS_MAIN(FoldFiguresTest)
#include "tst_fold_figures.moc"
