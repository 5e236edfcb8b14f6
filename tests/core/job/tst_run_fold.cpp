// SPDX-License-Identifier: Apache-2.0
// What a run's records say of its state, its processes, its starts and its end.
#include <QtTest>
#include <cmath>

#include "tests/core/job/watcher.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

std::vector<std::string> statesOf(const RunView& view) {
    std::vector<std::string> states;
    for (const ReplicaView& replica : view.replicas)
        states.push_back(replica.state);
    return states;
}

using Words = std::vector<std::string>;

}  // namespace

class RunFoldTest : public QObject {
    Q_OBJECT
private slots:
    void aRunIntroducesItself() {
        Watcher watcher = training();
        const RunView view = watcher.look(1);
        QCOMPARE(view.runId, std::string("r1"));
        QCOMPARE(view.runDir.string(), std::string("/runs/r1"));
        QCOMPARE(view.state, RunState::Training);
        QCOMPARE(view.sentence, std::string("training on 2 replicas"));
        QCOMPARE(view.totalSteps, 1000);
        QCOMPARE(view.replicaCount, 2);
        QCOMPARE(view.startedWallTime, kStart);
        QCOMPARE(view.endedWallTime, 0.0);
        QCOMPARE(view.exitStatus, -1);
        QCOMPARE(view.etaSeconds, -1.0);
        QCOMPARE(view.classNames, Words{"zero"});
        QCOMPARE(view.replicas.size(), std::size_t{3});
        QCOMPARE(view.replicas[0].processId, 0);
        QCOMPARE(view.replicas[1].host, std::string("node-1"));
        QCOMPARE(view.replicas[2].role, Role::Evaluator);
        QCOMPARE(view.replicas[2].replica, -1);
        QVERIFY(std::isnan(view.replicas[0].loss));
        QCOMPARE(view.replicas[0].heartbeatAgeSeconds, -1.0);
        QCOMPARE(statesOf(view), (Words{"starting", "starting", "starting"}));
        QCOMPARE(view.replicasAlive, 0);
    }

    void heartbeatsSayWhatEachReplicaDoes() {
        Watcher watcher = training();
        watcher.say(5, heartbeat(5, 0, 0, 40, wire::PHASE_ALL_REDUCE, 3.21F));
        watcher.say(5, heartbeat(5, 1, 1, 40, wire::PHASE_BACKWARD, 0.01F));
        watcher.say(5, heartbeat(5, 2, 0, 0, wire::PHASE_WAITING, 4, wire::ROLE_EVALUATOR));
        const RunView view = watcher.look(5.5);
        QCOMPARE(statesOf(view), (Words{"waiting for the others in all-reduce for 3.2 s",
                                        "training", "waiting for a checkpoint"}));
        QCOMPARE(view.replicasAlive, 2);
        QCOMPARE(view.step, 40);
        QCOMPARE(view.epoch(), 1);
        QCOMPARE(view.replicas[1].phase, Phase::Backward);
        QCOMPARE(view.replicas[1].heartbeatAgeSeconds, 0.5);
        const Arrivals arrivals = watcher.fold.takeArrivals();
        QCOMPARE(arrivals.heartbeats.size(), std::size_t{3});
        QCOMPARE(arrivals.heartbeats[0].step, 40);
        QCOMPARE(arrivals.heartbeats[2].role, Role::Evaluator);
    }

    void silenceIsLateAfterThreeSecondsAndLostAfterTheJobsTimeout() {
        Watcher watcher = training();
        watcher.say(5, heartbeat(5, 0, 0, 40, wire::PHASE_FORWARD));
        watcher.say(5, heartbeat(5, 1, 1, 40, wire::PHASE_FORWARD));
        QCOMPARE(watcher.look(8).replicas[1].liveness, Liveness::Alive);
        watcher.say(8, heartbeat(8, 0, 0, 40, wire::PHASE_FORWARD));
        RunView view = watcher.look(8.2);
        QCOMPARE(view.replicas[0].liveness, Liveness::Alive);
        QCOMPARE(view.replicas[1].liveness, Liveness::Late);
        QCOMPARE(view.replicas[1].state, std::string("no heartbeat for 3.2 s"));
        QCOMPARE(view.replicasAlive, 2);
        view = watcher.look(11.1);  // the job says 6 seconds
        QCOMPARE(view.replicas[1].liveness, Liveness::Lost);
        QCOMPARE(view.replicas[1].state, std::string("lost: no heartbeat for 6 s"));
        QCOMPARE(view.replicasAlive, 1);
        watcher.say(12, heartbeat(12, 1, 1, 41, wire::PHASE_FORWARD));
        QCOMPARE(watcher.look(12).replicas[1].liveness, Liveness::Alive);
    }

    void aSendersClockThatIsWrongHurtsNobodyLive() {
        Watcher watcher = training();
        watcher.say(5, heartbeat(5 - 3600, 0, 0, 40, wire::PHASE_FORWARD));
        QCOMPARE(watcher.look(5.2).replicas[0].liveness, Liveness::Alive);
        QCOMPARE(watcher.look(5.2).replicas[0].heartbeatAgeSeconds, 0.2);
    }

    void withoutTheCoordinatorNobodyIsDeclaredLost() {
        Watcher watcher = training();
        watcher.say(5, heartbeat(5, 0, 0, 40, wire::PHASE_FORWARD));
        QCOMPARE(watcher.look(5.1).replicas[0].liveness, Liveness::Alive);
        watcher.fold.setLink({false, true, "the coordinator does not answer"});
        const RunView view = watcher.look(60);
        QCOMPARE(view.replicas[0].liveness, Liveness::Alive);
        QVERIFY(!view.connected);
        QCOMPARE(view.connectionSentence, std::string("the coordinator does not answer"));
    }

    void aFailureNamesTheLostAndTheRunsEnd() {
        Watcher watcher = training();
        watcher.say(5, heartbeat(5, 1, 1, 40, wire::PHASE_FORWARD));
        watcher.say(6, failure(6, 1, "was killed by signal 9 (SIGKILL)"));
        watcher.say(6, verdict(6, "process 1 (node-1) was killed by signal 9 (SIGKILL)", 3));
        RunView view = watcher.look(6);
        QCOMPARE(view.replicas[1].liveness, Liveness::Lost);
        QCOMPARE(view.replicas[1].state, std::string("lost: was killed by signal 9 (SIGKILL)"));
        QCOMPARE(view.sentence, std::string("process 1 (node-1) was killed by signal 9 (SIGKILL)"));
        QCOMPARE(view.verdictSeverity, 3);
        QCOMPARE(view.failures.size(), std::size_t{1});
        QCOMPARE(view.failures[0].detectedAfterSeconds, 0.25);
        watcher.say(7, runEnd(7, "failed", R"({"status":"failed"})"));
        view = watcher.look(100);
        QCOMPARE(view.state, RunState::Failed);
        QCOMPARE(view.exitStatus, 1);
        QCOMPARE(view.error, std::string("process 1 (node-1): was killed by signal 9 (SIGKILL)"));
        QCOMPARE(view.summaryJson, std::string(R"({"status":"failed"})"));
        QCOMPARE(view.endedWallTime, kStart + 7);
        QCOMPARE(view.replicas[0].liveness, Liveness::Left);
        QCOMPARE(view.replicas[1].liveness, Liveness::Lost);
    }

    void anEmptyVerdictMeansAllIsWellAgain() {
        Watcher watcher = training();
        watcher.say(5, verdict(5, "process 1 (node-1) is slow", 1));
        QCOMPARE(watcher.look(5).sentence, std::string("process 1 (node-1) is slow"));
        watcher.say(6, verdict(6, "", 0));
        QCOMPARE(watcher.look(6).sentence, std::string("training on 2 replicas"));
        QCOMPARE(watcher.look(6).verdictSeverity, 0);
    }

    void aRestartGoesBackToItsFirstStep() {
        Watcher watcher = training();
        watcher.say(2, steps(2, 0, 1, 100));
        watcher.say(2, steps(2, 1, 1, 100));
        wire::Record epoch = at(3);
        epoch.mutable_epoch()->set_epoch(1);
        watcher.say(3, epoch);
        watcher.say(4, failure(4, 1, "was killed by signal 9 (SIGKILL)"));
        watcher.say(4, verdict(4, "process 1 is lost", 3));
        watcher.say(5, runState(5, wire::RUN_STATE_RESTARTING, "restart 1 of 3"));
        watcher.say(6, runInfo(6, 1, 50));
        RunView view = watcher.look(6);
        QCOMPARE(view.generation, 1);
        QCOMPARE(view.step, 50);
        QCOMPARE(view.firstStep, 50);
        QCOMPARE(view.sentence, std::string("restart 1 of 3"));
        QCOMPARE(view.startedWallTime, kStart);
        QCOMPARE(view.replicas[1].liveness, Liveness::Waiting);
        QCOMPARE(view.failures.size(), std::size_t{1});
        watcher.say(7, epoch);  // run again
        view = watcher.look(7);
        QCOMPARE(view.epochResults.size(), std::size_t{1});
    }

    void aProgramThatSaysLaterHowMuchThereIsToDoBeginsNothingAnew() {
        Watcher watcher = training();
        watcher.say(2, steps(2, 0, 1, 10));
        watcher.say(2, steps(2, 1, 1, 10));
        wire::Record more = runInfo(3);
        more.mutable_run_info()->set_total_steps(0);
        more.mutable_run_info()->set_amends(true);
        watcher.say(3, more);
        watcher.say(3, heartbeat(3, 0, 0, 10, wire::PHASE_PROGRAM));
        RunView view = watcher.look(3);
        QCOMPARE(view.step, 10);
        QCOMPARE(view.totalSteps, 0);
        QCOMPARE(view.etaSeconds, -1.0);
        QCOMPARE(view.replicas[0].state, std::string("running"));
        more.mutable_run_info()->set_total_steps(40);
        watcher.say(4, more);
        QCOMPARE(watcher.look(4).totalSteps, 40);
        QCOMPARE(watcher.look(4).step, 10);
    }

    void aResumeIsRunningBeforeItsProcessesHaveRegistered() {
        Watcher watcher = training();
        watcher.say(4, runEnd(4, "stopped", "{}"));
        QCOMPARE(watcher.look(4).exitStatus, 3);

        watcher.say(9,
                    runState(9, wire::RUN_STATE_LAUNCHING, "waiting for 2 processes to register"));

        const RunView view = watcher.look(9);
        QCOMPARE(view.exitStatus, -1);
        QCOMPARE(view.state, RunState::Launching);
        QCOMPARE(view.endedWallTime, 0.0);
        QVERIFY(view.summaryJson.empty());
    }

    void aResumeWithFewerReplicasLeavesNobodyBehind() {
        Watcher watcher = training();
        watcher.say(2, steps(2, 0, 1, 100));
        watcher.say(2, steps(2, 1, 1, 100));
        watcher.say(3, runEnd(3, "stopped", "{}"));
        watcher.say(60,
                    runState(60, wire::RUN_STATE_LAUNCHING, "waiting for 1 process to register"));
        QCOMPARE(statesOf(watcher.look(60)),
                 (Words{"not registered yet", "not registered yet", "not registered yet"}));
        watcher.say(61, replicaInfo(61, 0, 0));
        watcher.say(61, runState(61, wire::RUN_STATE_TRAINING, "training on 1 replica"));
        wire::Record info = runInfo(61, 0, 100);
        info.mutable_run_info()->set_replica_count(1);
        info.mutable_run_info()->set_job_toml("[cluster]\nevaluator = false\n");
        watcher.say(61, info);
        QCOMPARE(watcher.look(61).replicas.size(), std::size_t{1});
        for (int batch = 0; batch < 20; ++batch) {
            const auto first = static_cast<std::uint64_t>(101 + 10 * batch);
            watcher.say(62 + 0.1 * batch, steps(62 + 0.1 * batch, 0, first, 10));
        }
        const RunView view = watcher.look(64);
        QCOMPARE(view.step, 300);  // the one that is gone held it at 100
        QVERIFY(view.samplesPerSecond > 0);
        QVERIFY(view.etaSeconds > 0);
        QCOMPARE(view.starts.size(), std::size_t{2});
        QCOMPARE(view.starts[1].firstStep, 100);
        QCOMPARE(view.starts[1].wallTime, kStart + 60);
    }

    void pausesBetweenStartsAreNotTimeThatItRan() {
        Watcher watcher = training();
        watcher.say(10, runEnd(10, "stopped", "{}"));
        QCOMPARE(watcher.look(10).ranSeconds, 10.0);
        watcher.say(
            500, runState(500, wire::RUN_STATE_LAUNCHING, "waiting for 2 processes to register"));
        watcher.say(501, runState(501, wire::RUN_STATE_TRAINING, "training on 2 replicas"));
        watcher.say(502, heartbeat(502, 0, 0, 3, wire::PHASE_DATA));  // and then it is cut off
        watcher.say(
            900, runState(900, wire::RUN_STATE_LAUNCHING, "waiting for 2 processes to register"));
        watcher.say(901, runState(901, wire::RUN_STATE_TRAINING, "training on 2 replicas"));
        watcher.say(905, runEnd(905, "completed", "{}"));
        QCOMPARE(watcher.look(905).ranSeconds, 10.0 + 2.0 + 5.0);
        QCOMPARE(watcher.look(905).endedWallTime, kStart + 905);
    }

    void failuresOfFormerStartsAreToldApart() {
        Watcher watcher = training();
        watcher.say(4, failure(4, 1, "was killed by signal 9 (SIGKILL)"));
        watcher.say(4, runEnd(4, "failed"));
        QCOMPARE(watcher.look(4).formerFailures, std::size_t{0});
        watcher.say(9, runState(9, wire::RUN_STATE_LAUNCHING, "waiting"));
        watcher.say(12, failure(12, 0, "sent no heartbeat for 10 s"));
        watcher.say(12, runEnd(12, "failed"));
        const RunView view = watcher.look(12);
        QCOMPARE(view.failures.size(), std::size_t{2});
        QCOMPARE(view.formerFailures, std::size_t{1});
        QCOMPARE(view.error, std::string("process 0 (node-0): sent no heartbeat for 10 s"));
    }

    void aSilenceCountsOnBetweenTheCoordinatorsWords() {
        Watcher watcher = training();
        watcher.say(5, heartbeat(5, 0, 0, 40, wire::PHASE_FORWARD));
        watcher.say(5, heartbeat(5, 1, 1, 40, wire::PHASE_FORWARD));
        watcher.say(7, heartbeat(7, 0, 0, 40, wire::PHASE_FORWARD));
        wire::Record late = verdict(8, "process 1 (node-1) has sent no heartbeat for 3.03 s", 1);
        late.mutable_verdict()->add_processes(1);
        (void)watcher.look(8.1);
        watcher.say(8.1, late);
        QCOMPARE(watcher.look(8.2).sentence,
                 std::string("process 1 (node-1) has sent no heartbeat for 3.2 s"));
        late.mutable_verdict()->set_hold("is stopped");
        watcher.say(8.3, late);
        QCOMPARE(watcher.look(9.9).sentence,
                 std::string("process 1 (node-1) is stopped, and has sent no heartbeat for 4.9 s"));
    }

    void processesThatLeaveAfterAStopAreNeitherLateNorLost() {
        Watcher watcher = training();
        watcher.say(5, heartbeat(5, 0, 0, 40, wire::PHASE_FORWARD));
        watcher.say(5, heartbeat(5, 1, 1, 40, wire::PHASE_FORWARD));
        watcher.say(5.5, runState(5.5, wire::RUN_STATE_STOPPING, "stopping"));
        const RunView view = watcher.look(9.6);
        QCOMPARE(view.replicas[1].liveness, Liveness::Left);
        QCOMPARE(view.replicas[1].state, std::string("done"));
        // So it is after the last step.
        Watcher other = training();
        other.say(5, heartbeat(5, 1, 1, 1000, wire::PHASE_UPDATE));
        QCOMPARE(other.look(9.6).replicas[1].liveness, Liveness::Left);
    }

    void anEndedRunWaitsForNoHeartbeat() {
        Watcher watcher = training();
        watcher.say(5, heartbeat(5, 0, 0, 40, wire::PHASE_FORWARD));
        watcher.say(5, heartbeat(5, 1, 1, 40, wire::PHASE_FORWARD));
        watcher.say(6, failure(6, 1, "was killed by signal 9 (SIGKILL)"));
        QCOMPARE(watcher.look(6).replicas[1].heartbeatAgeSeconds, -1.0);
        QCOMPARE(watcher.look(6).replicas[0].heartbeatAgeSeconds, 1.0);
        watcher.say(7, runEnd(7, "failed"));
        for (const ReplicaView& replica : watcher.look(9).replicas)
            QCOMPARE(replica.heartbeatAgeSeconds, -1.0);
    }

    void aCheckpointThatRetentionTookIsSaid() {
        Watcher watcher = training();
        for (const std::uint64_t step : {500U, 1000U}) {
            wire::Record checkpoint = at(4);
            checkpoint.mutable_checkpoint()->set_step(step);
            checkpoint.mutable_checkpoint()->set_path("checkpoints/step-" + std::to_string(step));
            watcher.say(4, checkpoint);
        }
        watcher.fold.setStoredCheckpoints({"step-1000", "keep-1000", "LATEST"});
        const RunView view = watcher.look(5);
        QVERIFY(view.checkpoints[0].deleted);
        QVERIFY(!view.checkpoints[1].deleted);
        QVERIFY(view.checkpoints[1].kept);
    }

    void resultsAreListed() {
        Watcher watcher = training();
        wire::Record epoch = at(3);
        epoch.mutable_epoch()->set_epoch(1);
        epoch.mutable_epoch()->set_has_validation(true);
        epoch.mutable_epoch()->set_validation_accuracy(0.9);
        watcher.say(3, epoch);
        epoch.mutable_epoch()->set_epoch(2);
        epoch.mutable_epoch()->set_has_validation(false);
        watcher.say(3, epoch);
        wire::Record checkpoint = at(4);
        checkpoint.mutable_checkpoint()->set_step(500);
        checkpoint.mutable_checkpoint()->set_error("no space left on device");
        watcher.say(4, checkpoint);
        checkpoint.mutable_checkpoint()->clear_error();
        watcher.say(4, checkpoint);
        wire::Record evaluation = at(5);
        evaluation.mutable_evaluation()->set_step(500);
        evaluation.mutable_evaluation()->add_confusion(7);
        evaluation.mutable_evaluation()->add_samples()->set_pixels("\x01\xff");
        watcher.say(5, evaluation);
        wire::Record drops = at(5);
        drops.mutable_drops()->set_count(12);
        watcher.say(5, drops);
        wire::Record log = at(5);
        log.mutable_log()->set_level(99);
        log.mutable_log()->set_text("epoch 1 done");
        watcher.say(5, log);
        wire::Record notice = at(5);
        notice.mutable_notice()->set_process_id(0);
        notice.mutable_notice()->set_sentence("two steps were left out");
        watcher.say(5, notice);

        const RunView view = watcher.look(5);
        QCOMPARE(view.notices.size(), std::size_t{1});
        QCOMPARE(view.notices[0].sentence, std::string("two steps were left out"));
        QCOMPARE(view.epochResults.size(), std::size_t{2});
        QCOMPARE(view.epochResults[0].validationAccuracy.value_or(0), 0.9);
        QVERIFY(!view.epochResults[1].validationAccuracy.has_value());
        QCOMPARE(view.checkpoints.size(), std::size_t{2});
        QCOMPARE(view.checkpoints[0].error, std::string("no space left on device"));
        QCOMPARE(view.evaluations.size(), std::size_t{1});
        QCOMPARE(view.evaluations[0]->confusion, std::vector<std::uint32_t>{7});
        QCOMPARE(*view.evaluations[0]->samples[0].pixels, (std::vector<std::uint8_t>{1, 255}));
        QCOMPARE(view.replicas[0].droppedSamples, 12U);
        QCOMPARE(view.missing, std::string("samples of replica 0 are missing, which came faster "
                                           "than they could be sent: 12"));
        const Arrivals arrivals = watcher.fold.takeArrivals();
        QCOMPARE(arrivals.logs.size(), std::size_t{1});
        QCOMPARE(arrivals.logs[0].level, 3);
    }

    void theViewIsTheSameUntilSomethingChanges() {
        Watcher watcher = training();
        watcher.fold.tick(kStart + 2);
        const auto first = watcher.fold.view();
        watcher.fold.tick(kStart + 2.01);
        QCOMPARE(watcher.fold.view().get(), first.get());
        watcher.fold.apply(heartbeat(2, 0, 0, 3, wire::PHASE_DATA));
        const auto second = watcher.fold.view();
        QVERIFY(second != first);
        QVERIFY(second->revision > first->revision);
        QCOMPARE(first->replicas[0].step, 0);  // what was published does not change
    }

    void theEndsOfRunsHaveTheirExitStatus() {
        for (const auto& [status, state, exitStatus] :
             {std::tuple("completed", RunState::Completed, 0),
              {"failed", RunState::Failed, 1},
              {"stopped", RunState::Stopped, 3}}) {
            Watcher ending = training();
            ending.say(9, runEnd(9, status));
            const RunView view = ending.look(9);
            QCOMPARE(view.state, state);
            QCOMPARE(view.exitStatus, exitStatus);
        }
        wire::Record badInput = runEnd(9, "failed");
        badInput.mutable_run_end()->set_exit_status(2);
        badInput.mutable_run_end()->set_error("data/mnist: no such folder");
        badInput.mutable_run_end()->set_remedy("Download it.");
        Watcher watcher = training();
        watcher.say(9, badInput);
        QCOMPARE(watcher.look(9).exitStatus, 2);
        QCOMPARE(watcher.look(9).error, std::string("data/mnist: no such folder"));
        QCOMPARE(watcher.look(9).remedy, std::string("Download it."));
        Watcher refused;
        refused.fold.setEnding({2, "data/mnist: no such folder", "Download it."});
        const RunView view = refused.look(1);
        QCOMPARE(view.state, RunState::Failed);
        QCOMPARE(view.exitStatus, 2);
        QCOMPARE(view.sentence, std::string("data/mnist: no such folder"));
        QCOMPARE(view.remedy, std::string("Download it."));
    }

    void aJournalWithoutAnEndIsARunCutOff() {
        Watcher watcher = training();
        watcher.fold.endOfJournal();
        const RunView view = watcher.look(9);
        QCOMPARE(view.state, RunState::Failed);
        QVERIFY(view.error.find("cut off") != std::string::npos);
        QVERIFY(!view.remedy.empty());
    }

    void aScoreOnTheTestDataHidesNoCheckpointThatWasNotValidated() {
        Watcher watcher = training();
        const auto evaluate = [&watcher](std::uint64_t step, const char* split, const char* error) {
            wire::Record record = at(5);
            record.mutable_evaluation()->set_step(step);
            record.mutable_evaluation()->set_split(split);
            record.mutable_evaluation()->set_error(error);
            watcher.say(5, record);
            return watcher.look(5).evaluations.size();
        };
        QCOMPARE(evaluate(10, "validation", "evaluation takes 4 s"), std::size_t{1});
        QCOMPARE(evaluate(10, "test", ""), std::size_t{1});  // there are no other data
        QCOMPARE(evaluate(20, "validation", "evaluation takes 4 s"), std::size_t{2});
        QCOMPARE(evaluate(30, "validation", ""), std::size_t{3});
        QCOMPARE(evaluate(20, "test", ""), std::size_t{4});
        QCOMPARE(evaluate(20, "validation", ""), std::size_t{4});
    }
};

QTEST_GUILESS_MAIN(RunFoldTest)
#include "tst_run_fold.moc"
