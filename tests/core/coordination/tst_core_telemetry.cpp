// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using testsupport::Stage;
using testsupport::worker;

namespace {

constexpr std::uint64_t kStepsASecond = 10;
constexpr ProcessKey kEvaluator{wire::ROLE_EVALUATOR, 0};

/// `count` steps of the worker's replica, the last of which is `last`.
void tellSteps(Stage& stage, std::uint32_t id, std::uint64_t last, std::uint64_t count) {
    wire::Record record;
    wire::StepBatch& steps = *record.mutable_steps();
    steps.set_replica(id);
    steps.set_first_step(last - count + 1);
    for (auto* column :
         {steps.mutable_loss(), steps.mutable_accuracy(), steps.mutable_step_us(),
          steps.mutable_data_us(), steps.mutable_forward_us(), steps.mutable_backward_us(),
          steps.mutable_all_reduce_us(), steps.mutable_update_us()})
        for (std::uint64_t step = 0; step < count; ++step)
            column->Add(100'000);
    stage.write(id, record);
}

wire::Record figuresOf(const ProcessKey& process) {
    wire::Record record;
    record.mutable_figures()->set_role(process.role);
    record.mutable_figures()->set_process_id(process.id);
    return record;
}

std::vector<std::string> noticesOf(const Stage& stage) {
    std::vector<std::string> sentences;
    for (const wire::Record& record : stage.records)
        if (record.has_notice()) sentences.push_back(record.notice().sentence());
    return sentences;
}

std::vector<std::string> askedForStacks(const Stage& stage) {
    std::vector<std::string> asked;
    for (const auto& [connection, message] : stage.sent)
        if (message.has_tell_stacks()) asked.push_back(connection);
    return asked;
}

}  // namespace

/// Who lives and trains, and whose telemetry stands still.
class CoreTelemetryTest : public QObject {
    Q_OBJECT

    /// Two workers that train; the first tells its steps.
    struct Training {
        explicit Training(const JobRules& rules = Stage::rules(2, 0), bool tellsStacks = true)
            : stage(rules) {
            stage.tellsStacks = tellsStacks;
            stage.joinWorkers(2);
        }
        void go(int seconds, bool secondTells) {
            for (int second = 0; second < seconds; ++second) {
                step += kStepsASecond;
                tellSteps(stage, 0, step, kStepsASecond);
                if (secondTells) tellSteps(stage, 1, step, kStepsASecond);
                beat(wire::PHASE_FORWARD);
                stage.pass(1s);
            }
        }
        void beat(wire::Phase phase) {
            for (const std::uint32_t id : {0U, 1U})
                stage.beat(id, phase, 0.01, step);
        }
        Stage stage;
        std::uint64_t step = 0;
    };

private slots:
    void whoTrainsOnAndTellsNoStepsIsNamedOnceUntilItTellsAgain() {
        Training job;
        job.go(30, true);
        job.go(9, false);
        QVERIFY(noticesOf(job.stage).empty());
        job.go(60, false);
        const std::string named =
            "process 1 (hostB) trains on, but its telemetry has stood still for 10 s: its steps "
            "are not told, and lost once they are more than it keeps; where its threads stand is "
            "in its log";
        QCOMPARE(noticesOf(job.stage), std::vector<std::string>{named});
        QCOMPARE(askedForStacks(job.stage), std::vector<std::string>{userIdOf(worker(1))});
        QCOMPARE(job.stage.lastVerdict(), std::string("none"));

        job.go(30, true);
        QCOMPARE(noticesOf(job.stage).size(), std::size_t(2));
        QVERIFY2(noticesOf(job.stage).back().starts_with(
                     "process 1 (hostB) tells of itself again: its telemetry stood still for 69"),
                 noticesOf(job.stage).back().c_str());
        job.go(12, false);
        QCOMPARE(noticesOf(job.stage).size(), std::size_t(3));
        QCOMPARE(noticesOf(job.stage).back(), named);
        QVERIFY(job.stage.outcomes.empty());
    }

    void ofWhoCannotTellItsStacksNoneArePromised() {
        Training job(Stage::rules(2, 0), false);
        job.go(12, false);
        QCOMPARE(noticesOf(job.stage).size(), std::size_t(1));
        QVERIFY(noticesOf(job.stage).front().ends_with("lost once they are more than it keeps"));
        QVERIFY(askedForStacks(job.stage).empty());
    }

    /// Its thread may have hung before it told anything, in a GPU's driver.
    void whoHasNeverToldAnythingIsNamedToo() {
        Training job;
        job.go(12, false);
        QCOMPARE(noticesOf(job.stage).size(), std::size_t(1));
        QVERIFY(noticesOf(job.stage).front().starts_with("process 1 (hostB) trains on, but "));
    }

    void whoDropsItsStepsOrSendsItsFiguresDoesNotStand_data() {
        QTest::addColumn<bool>("isDrops");
        QTest::newRow("steps dropped") << true;
        QTest::newRow("figures") << false;
    }
    void whoDropsItsStepsOrSendsItsFiguresDoesNotStand() {
        QFETCH(const bool, isDrops);
        Training job;
        job.go(5, true);
        for (int times = 0; times < 10; ++times) {
            job.go(9, false);
            wire::Record drops;
            drops.mutable_drops()->set_replica(1);
            drops.mutable_drops()->set_first_step(job.step);
            drops.mutable_drops()->set_count(1);
            job.stage.write(1, isDrops ? drops : figuresOf(worker(1)));
        }
        QVERIFY(noticesOf(job.stage).empty());
    }

    /// Steps that are not made are not told either: checkpoints, validation, a step of minutes.
    void whoTrainsNothingOwesNothing_data() {
        QTest::addColumn<int>("phase");
        QTest::newRow("checkpoint") << int(wire::PHASE_CHECKPOINT);
        QTest::newRow("validation") << int(wire::PHASE_EVALUATE);
        QTest::newRow("a long step") << int(wire::PHASE_FORWARD);
        QTest::newRow("done") << int(wire::PHASE_DONE);
    }
    void whoTrainsNothingOwesNothing() {
        QFETCH(const int, phase);
        Training job;
        job.go(5, true);
        for (int second = 0; second < 60; ++second) {
            job.beat(static_cast<wire::Phase>(phase));
            job.stage.pass(1s);
        }
        QVERIFY(noticesOf(job.stage).empty());
    }

    void whereARunGoesOnNobodyHasToldTheStepsBefore() {
        Training job;
        job.beat(wire::PHASE_STARTING);
        job.stage.pass(5s);
        job.step = 500;
        for (int second = 0; second < 60; ++second) {
            job.beat(wire::PHASE_DATA);
            job.stage.pass(1s);
        }
        QVERIFY(noticesOf(job.stage).empty());
        job.go(60, true);
        QVERIFY(noticesOf(job.stage).empty());
        job.go(12, false);
        QCOMPARE(noticesOf(job.stage).size(), std::size_t(1));
    }

    /// It says where it is, and of its steps no more.
    void aUsersOwnProgramNeedNotTellItsSteps() {
        Training job;
        for (int second = 0; second < 60; ++second) {
            ++job.step;
            job.beat(wire::PHASE_PROGRAM);
            job.stage.pass(1s);
        }
        for (int second = 0; second < 60; ++second) {
            job.beat(wire::PHASE_DONE);
            job.stage.pass(1s);
        }
        QVERIFY(noticesOf(job.stage).empty());
    }

    /// But who supervises it tells what it takes.
    void whoseFiguresAreMissingIsNamedUntilItIsDone() {
        for (const wire::Phase phase : {wire::PHASE_PROGRAM, wire::PHASE_DONE}) {
            Training job;
            job.beat(wire::PHASE_PROGRAM);
            job.stage.write(0, figuresOf(worker(0)));
            for (int second = 0; second < 12; ++second) {
                job.beat(phase);
                job.stage.pass(1s);
            }
            const std::string named =
                "process 0 (hostA) lives, but its telemetry has stood still for 10 s: no more is "
                "told of it; where its threads stand is in its log";
            QCOMPARE(noticesOf(job.stage), phase == wire::PHASE_PROGRAM
                                               ? std::vector<std::string>{named}
                                               : std::vector<std::string>{});
        }
    }

    void anEvaluatorWhoseTelemetryStandsIsNamed() {
        Stage stage(1, 1);
        stage.joinWorkers(1);
        stage.join(kEvaluator);
        const auto beFor = [&stage](int seconds, bool tells) {
            for (int second = 0; second < seconds; ++second) {
                stage.beat(0, wire::PHASE_DATA, 0.1, 1);
                stage.beatOfEvaluator();
                if (tells) stage.sayAsEvaluator(figuresOf(kEvaluator));
                stage.pass(1s);
            }
        };
        beFor(30, true);
        beFor(9, false);
        QVERIFY(noticesOf(stage).empty());
        beFor(3, false);
        QCOMPARE(noticesOf(stage).size(), std::size_t(1));
        QVERIFY(noticesOf(stage).front().starts_with(
            "the evaluator (hostA) lives, but its telemetry has stood still for 10 s"));
        QCOMPARE(askedForStacks(stage), std::vector<std::string>{userIdOf(kEvaluator)});
    }

    void whileTheCoordinatorDoesNotRunNobodyStands() {
        Training job;
        job.go(5, true);
        for (int times = 0; times < 4; ++times) {
            job.stage.sleep(30s);
            job.go(1, false);
        }
        QVERIFY(noticesOf(job.stage).empty());
        job.go(10, false);
        QCOMPARE(noticesOf(job.stage).size(), std::size_t(1));
    }

    /// Whoever has no heartbeats either is late, and is named as that.
    void whoIsSilentAltogetherIsNotNamedForItsTelemetry() {
        Training job;
        job.go(5, true);
        job.go(3, false);
        for (int second = 0; second < 8; ++second) {
            job.step += kStepsASecond;
            tellSteps(job.stage, 0, job.step, kStepsASecond);
            job.stage.beat(0, wire::PHASE_FORWARD, 0.01, job.step);
            job.stage.pass(1s);
        }
        QVERIFY(job.stage.lastVerdict().starts_with("process 1 (hostB) has sent no heartbeat"));
        job.go(5, true);
        QVERIFY(noticesOf(job.stage).empty());
        QVERIFY(job.stage.outcomes.empty());
    }

    /// Its end waits for the thread, and all others for its leave.
    void aChiefThatCannotLeaveIsEndedAsOneThatIsStuck() {
        JobRules rules = Stage::rules(2, 0);
        rules.stuck = {StuckAction::Restart, 5s};
        Training job(rules);
        job.go(5, true);
        job.step += 3;
        tellSteps(job.stage, 1, job.step, 3);
        for (int second = 0; second < 12; ++second) {
            job.beat(wire::PHASE_DONE);
            job.stage.pass(1s);
        }
        QCOMPARE(noticesOf(job.stage).size(), std::size_t(1));
        QVERIFY(noticesOf(job.stage).front().starts_with("process 0 (hostA) lives, but "));
        QVERIFY2(job.stage.lastVerdict().starts_with(
                     "process 0 (hostA) has trained to its end and cannot leave: its telemetry "
                     "has stood still for 1"),
                 job.stage.lastVerdict().c_str());
        QVERIFY(job.stage.outcomes.empty());
        for (int second = 0; second < 5; ++second) {
            job.beat(wire::PHASE_DONE);
            job.stage.pass(1s);
        }
        QCOMPARE(job.stage.outcomes.size(), std::size_t(1));
        const Outcome& outcome = job.stage.outcomes.front();
        QVERIFY(!outcome.isFinal);
        QCOMPARE(outcome.failure.process_id(), 0U);
        QVERIFY2(outcome.failure.cause().starts_with("has trained to its end and cannot leave"),
                 outcome.failure.cause().c_str());
    }
};

QTEST_GUILESS_MAIN(CoreTelemetryTest)
#include "tst_core_telemetry.moc"
