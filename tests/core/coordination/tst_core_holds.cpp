// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using testsupport::Stage;
using testsupport::worker;

namespace {

constexpr ProcessKey kAgent{wire::ROLE_AGENT, 0};

wire::ToCoordinator heldBy(wire::Hold hold, std::uint32_t worker) {
    wire::ToCoordinator message;
    message.mutable_process_held()->set_process_id(worker);
    message.mutable_process_held()->set_hold(hold);
    return message;
}

}  // namespace

/// What the coordinator says of processes whose agents see what keeps them from running.
class CoreHoldsTest : public QObject {
    Q_OBJECT

private slots:
    void whoIsHeldIsToldWithWhatHoldsIt() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.join(kAgent);
        stage.say(kAgent, heldBy(wire::HOLD_STOPPED, 1));
        for (int second = 0; second < 4; ++second) {
            stage.beat(0, wire::PHASE_DATA, 0.1, 1);
            stage.pass(1s);
        }
        QVERIFY2(stage.lastVerdict().starts_with("process 1 (hostB) is stopped (SIGSTOP or a "
                                                 "debugger), and has sent no heartbeat for 3"),
                 stage.lastVerdict().c_str());

        stage.say(kAgent, heldBy(wire::HOLD_FROZEN, 1));
        stage.pass(100ms);
        QVERIFY2(stage.lastVerdict().starts_with("process 1 (hostB) is frozen with its control "
                                                 "group, and has sent no heartbeat for 4"),
                 stage.lastVerdict().c_str());

        for (int second = 0; second < 8; ++second) {
            stage.beat(0, wire::PHASE_DATA, 0.1, 1);
            stage.pass(1s);
        }
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        const Outcome& outcome = stage.outcomes[0];
        QVERIFY2(outcome.failure.cause().starts_with("is frozen with its control group, and sent "
                                                     "no heartbeat for 10"),
                 outcome.failure.cause().c_str());
        QVERIFY2(outcome.remedy.starts_with("Its container was paused"), outcome.remedy.c_str());
    }

    void whatHeldAProcessOnceExplainsNothingLater() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.join(kAgent);
        stage.say(kAgent, heldBy(wire::HOLD_DISK, 1));
        stage.say(kAgent, heldBy(wire::HOLD_NONE, 1));
        for (int second = 0; second < 4; ++second) {
            stage.beat(0, wire::PHASE_DATA, 0.1, 1);
            stage.pass(1s);
        }
        QVERIFY2(stage.lastVerdict().starts_with("process 1 (hostB) has sent no heartbeat for 3"),
                 stage.lastVerdict().c_str());
    }

    void severalThatTheSameThingHoldsAreToldTogether() {
        Stage stage(3);
        stage.joinWorkers(3);
        stage.join(kAgent);
        stage.say(kAgent, heldBy(wire::HOLD_DISK, 1));
        stage.say(kAgent, heldBy(wire::HOLD_DISK, 2));
        for (int second = 0; second < 4; ++second) {
            stage.beat(0, wire::PHASE_DATA, 0.1, 1);
            stage.pass(1s);
        }
        QVERIFY2(stage.lastVerdict().starts_with(
                     "process 1 (hostB) and process 2 (hostC) wait for their disk (state D), and "
                     "have sent no heartbeat for 3"),
                 stage.lastVerdict().c_str());
        stage.say(kAgent, heldBy(wire::HOLD_STOPPED, 2));
        stage.pass(100ms);
        QVERIFY2(stage.lastVerdict().starts_with(
                     "process 1 (hostB) and process 2 (hostC) have sent no heartbeat for 4"),
                 stage.lastVerdict().c_str());
    }

    /// Workers know nothing of one another, nor a former generation's agent of this one.
    void onlyAnAgentTellsWhatHoldsAProcess() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.join(kAgent);
        const std::uint64_t refused = stage.core().counters().refusedRecords;
        stage.say(worker(0), heldBy(wire::HOLD_STOPPED, 1));
        QCOMPARE(stage.core().counters().refusedRecords, refused + 1);
        wire::ToCoordinator former = heldBy(wire::HOLD_STOPPED, 1);
        former.set_generation(17);
        stage.say(kAgent, former);
        for (int second = 0; second < 4; ++second) {
            stage.beat(0, wire::PHASE_DATA, 0.1, 1);
            stage.pass(1s);
        }
        QVERIFY2(stage.lastVerdict().starts_with("process 1 (hostB) has sent no heartbeat for 3"),
                 stage.lastVerdict().c_str());
    }

    /// Its agent kills it then.
    void anEvaluatorThatWasLostByItsSilenceFailsOnce() {
        Stage stage(1, 1);
        stage.joinWorkers(1);
        stage.join({wire::ROLE_EVALUATOR, 0});
        for (int second = 0; second < 11; ++second) {
            stage.pass(1s);
            stage.beat(0, wire::PHASE_DATA, 0.1, 1);
        }
        wire::ProcessExit killed;
        killed.set_role(wire::ROLE_EVALUATOR);
        killed.set_signalled(true);
        killed.set_status(9);
        stage.core().processExited(killed, 0, stage.at());
        stage.pass(1s);
        QCOMPARE(std::ranges::count_if(stage.records, &wire::Record::has_failure), 1);
        QVERIFY(stage.outcomes.empty());
    }
};

QTEST_GUILESS_MAIN(CoreHoldsTest)
#include "tst_core_holds.moc"
