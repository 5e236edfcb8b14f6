// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <csignal>

#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using testsupport::Stage;
using testsupport::worker;

class CoordinatorCoreTest : public QObject {
    Q_OBJECT
private slots:
    void registrationWelcomesAllAtOnceAndNumbersTheirReplicas() {
        Stage stage(2);
        stage.join(worker(1));
        QVERIFY(stage.sent.empty());

        stage.join(worker(0));

        QCOMPARE(stage.sent.size(), std::size_t(2));
        QCOMPARE(stage.sent[1].second.welcome().members(1).host(), std::string("hostB"));
        QCOMPARE(stage.records.back().run_state().state(), wire::RUN_STATE_TRAINING);
    }

    void aSecondLifeAndAnotherBuildAreRefusedWithASentence() {
        Stage stage(2);
        stage.join(worker(0));

        stage.join(worker(0), 8);
        QVERIFY(stage.lastRefusal(worker(0)).starts_with("process 0 is registered already"));
        QVERIFY(stage.sent.back().second.refused().of_this_start());
        stage.join(worker(1), 7, "other");
        QVERIFY(stage.lastRefusal(worker(1)).find("runs build 'other'") != std::string::npos);
        QVERIFY(!stage.sent.back().second.refused().of_this_start());
    }

    void allWhoDoNotRegisterInTimeAreNamed() {
        Stage stage(6);
        stage.join(worker(0));
        stage.join(worker(2));
        for (int second = 0; second < 301; ++second) {
            stage.beat(0, wire::PHASE_STARTING, 1, 0);
            stage.beat(2, wire::PHASE_STARTING, 1, 0);
            stage.pass(1s);
        }

        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.outcomes[0].failure.cause(),
                 std::string("processes 1, 3-5 of 6 did not register within 300 s"));
    }

    void whoIsMissingIsToldFromTheFirstSecondOnAndWheneverSomebodyComes() {
        Stage stage(6);
        const auto told = [&stage] { return stage.records.back().run_state().sentence(); };
        stage.join(worker(2));
        stage.pass(1s);
        QCOMPARE(told(), std::string("waiting for processes 0, 1, 3-5 of 6 to register (1 s of "
                                     "300 s)"));
        const auto states = [&stage] {
            return std::ranges::count_if(stage.records, &wire::Record::has_run_state);
        };
        const auto before = states();
        stage.join(worker(3));
        stage.join(worker(4));
        stage.pass(1s);
        QCOMPARE(told(), std::string("waiting for processes 0, 1, 5 of 6 to register (2 s of "
                                     "300 s)"));
        QCOMPARE(states(), before + 1);
        stage.pass(5s);
        QCOMPARE(states(), before + 1);  // nothing new to say
    }

    void whoDiedWithItsAgentIsToldByItsSilenceNotTheSurvivorsWhoSawIt() {
        JobRules rules = Stage::rules(3, false);
        rules.followUpGrace = 3500ms;
        Stage stage(rules);
        stage.joinWorkers(3);
        wire::ToCoordinator message;
        message.mutable_report_error()->set_cause("connection closed by a peer");
        message.mutable_report_error()->set_secondary(true);
        stage.say(worker(0), message);
        stage.say(worker(2), message);
        for (int tenth = 0; tenth < 32 && stage.outcomes.empty(); ++tenth) {
            stage.beat(0, wire::PHASE_DONE, 1, 9);
            stage.beat(2, wire::PHASE_DONE, 1, 9);
            stage.pass(100ms);
        }
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.outcomes[0].failure.process_id(), 1u);
        QVERIFY(stage.outcomes[0].failure.cause().starts_with("is lost: "));
    }

    void aProcessWhoseAgentIsLostIsNotWaitedForAgain() {
        JobRules rules = Stage::rules(2, false);
        rules.agents = {{worker(1), 1}};
        Stage stage(rules);
        stage.join({wire::ROLE_AGENT, 1});
        stage.joinWorkers(2);
        for (int i = 0; i < 400 && stage.outcomes.empty(); ++i) {
            if (i % 10 == 0) stage.beat(0, wire::PHASE_FORWARD, 0, 1);
            stage.pass(100ms);
        }
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY(!stage.outcomes[0].isFinal);
        stage.core().beginGeneration(1, stage.at());
        for (int i = 0; i < 200 && stage.outcomes.size() < 2; ++i)
            stage.pass(100ms);
        QCOMPARE(stage.outcomes.size(), std::size_t(2));
        QVERIFY(stage.outcomes[1].isFinal);
        QCOMPARE(stage.outcomes[1].failure.process_id(), 1u);
        QCOMPARE(stage.outcomes[1].failure.cause(),
                 std::string("the agent of its host is lost, and nobody starts it again"));
    }
    void agentsHearOfGenerationsAndOfTheEndAndMayAskForAStop() {
        Stage stage(1);
        const ProcessKey agent{wire::ROLE_AGENT, 1};
        stage.join(agent);
        stage.joinWorkers(1);
        wire::ToCoordinator stop;
        stop.mutable_stop();
        QCOMPARE(stage.records.back().run_state().state(), wire::RUN_STATE_TRAINING);
        stage.say(agent, stop);
        QCOMPARE(stage.records.back().run_state().state(), wire::RUN_STATE_STOPPING);

        stage.core().beginGeneration(1, stage.at());
        stage.pass(100ms);
        QCOMPARE(stage.sent.back().first, userIdOf(agent));
        QVERIFY(stage.sent.back().second.has_begin_generation());
        QCOMPARE(stage.sent.back().second.generation(), 1u);

        wire::RunEnd end;
        end.set_status("failed");
        end.set_error("process 0 (hostA): was killed");
        stage.core().endRun(end, stage.at());
        stage.pass(100ms);
        QCOMPARE(stage.sent.back().second.run_over().error(), end.error());
        const ProcessKey late{wire::ROLE_AGENT, 2};
        stage.join(late);
        QCOMPARE(stage.sent.back().first, userIdOf(late));
        QVERIFY(stage.sent.back().second.has_run_over());
    }

    void whoWasToldToEndIsNamedAndTheJobStopsInOrder() {
        Stage stage(2);
        stage.joinWorkers(2);
        wire::ToCoordinator stop;
        stop.mutable_stop();
        stage.say(worker(1), stop);
        QVERIFY(stage.records.size() >= 2);
        const wire::Record& notice = stage.records[stage.records.size() - 2];
        QCOMPARE(notice.notice().process_id(), 1u);
        QVERIFY(notice.notice().sentence().starts_with("process 1 "));
        QCOMPARE(stage.records.back().run_state().state(), wire::RUN_STATE_STOPPING);
        const auto toldToStop = [&](std::uint32_t id) {
            return std::any_of(stage.sent.begin(), stage.sent.end(), [&](const auto& sent) {
                return sent.first == userIdOf(worker(id)) && sent.second.has_stop();
            });
        };
        QVERIFY(toldToStop(0) && toldToStop(1));
        const std::size_t before = stage.records.size();
        stage.say(worker(0), stop);  // the whole host is taken away: one of them is enough
        QCOMPARE(stage.records.size(), before);
    }

    void aLateHeartbeatIsAWordAndALostOneTheEnd() {
        Stage stage(2);
        stage.joinWorkers(2);
        for (int second = 0; second < 11; ++second) {
            if (second == 4)
                QVERIFY(stage.lastVerdict().starts_with(
                    "process 1 (hostB) has sent no heartbeat for 3"));
            stage.beat(0, wire::PHASE_DATA, 0.1, 1);
            stage.pass(1s);
        }

        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.outcomes[0].failure.process_id(), 1U);
        const std::size_t before = stage.records.size();
        stage.beat(1, wire::PHASE_DATA, 0.1, 1);
        QCOMPARE(stage.records.size(), before);
        QCOMPARE(stage.core().counters().fenced, std::uint64_t(1));
    }

    void aWitnessThatSleptAccusesNobody() {
        Stage stage(1);
        stage.joinWorkers(1);
        stage.pass(1s);

        stage.core().tick({stage.at().now + 1h, 1});

        for (const Action& action : stage.core().takeActions()) {
            QVERIFY(std::holds_alternative<AppendAction>(action));
            const auto record = wire::decode<wire::Record>(std::get<AppendAction>(action).record);
            QVERIFY(record && record->has_log());  // that it did not run itself
        }
    }

    void aFollowUpIsNamedOnlyWhenNoCauseComes() {
        Stage stage(2);
        stage.joinWorkers(2);
        wire::ToCoordinator message;
        message.mutable_report_error()->set_cause("connection closed by a peer");
        message.mutable_report_error()->set_secondary(true);
        stage.say(worker(0), message);
        stage.pass(400ms);
        QVERIFY(stage.outcomes.empty());

        stage.pass(200ms);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.outcomes[0].failure.cause(), std::string("connection closed by a peer"));
    }

    void badInputKeepsItsKindAndRemedy() {
        Stage stage(1);
        stage.joinWorkers(1);
        wire::ToCoordinator message;
        message.mutable_report_error()->set_cause("data/mnist holds no labels");
        message.mutable_report_error()->set_kind(wire::ERROR_BAD_INPUT);
        message.mutable_report_error()->set_remedy("Put them there.");
        stage.say(worker(0), message);

        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY(stage.outcomes[0].kind == OutcomeKind::BadInput);
        QCOMPARE(stage.outcomes[0].remedy, std::string("Put them there."));
    }

    void onlyTheChiefSpeaksForTheRunAndNobodyForAnotherReplica() {
        Stage stage(2);
        stage.joinWorkers(2);
        const std::size_t before = stage.records.size();
        wire::Record info;
        info.mutable_run_info()->set_name("forged");
        stage.write(1, info);
        wire::Record drops;
        drops.mutable_drops()->set_replica(0);
        stage.write(1, drops);
        wire::Record end;
        end.mutable_run_end()->set_status("completed");
        stage.write(0, end);

        QCOMPARE(stage.records.size(), before);
        QCOMPARE(stage.core().counters().refusedRecords, std::uint64_t(3));
        stage.write(0, info);
        QCOMPARE(stage.records.size(), before + 1);
    }

    void whoBeginsAgainIsToldWhichStepsOfEachReplicaAreJournalled() {
        Stage stage(2);
        stage.joinWorkers(2);
        QCOMPARE(stage.sent.back().second.welcome().journalled_steps_size(), 0);
        stage.measureSteps(1, 100);
        stage.core().beginGeneration(1, stage.at());
        stage.joinWorkers(2);
        const auto& journalled = stage.sent.back().second.welcome().journalled_steps();
        QCOMPARE(std::vector<std::int64_t>(journalled.begin(), journalled.end()),
                 (std::vector<std::int64_t>{-1, 1}));
    }

    void anAgentSpeaksOnlyForTheProcessesOfItsHost() {
        JobRules rules = Stage::rules(2, false);
        rules.agents = {{worker(0), 0}, {worker(1), 1}};
        Stage stage(rules);
        const ProcessKey home{wire::ROLE_AGENT, 0};
        const ProcessKey other{wire::ROLE_AGENT, 1};
        stage.join(home);
        stage.join(other);
        stage.joinWorkers(2);
        const auto hears = [&](const ProcessKey& agent, const ProcessKey& of) {
            wire::Record line;
            line.mutable_log()->set_role(of.role);
            line.mutable_log()->set_process_id(of.id);
            line.mutable_log()->set_text("hello");
            wire::ToCoordinator message;
            message.mutable_records()->add_records(line.SerializeAsString());
            const std::size_t before = stage.records.size();
            stage.say(agent, std::move(message));
            return stage.records.size() > before;
        };
        QVERIFY(hears(other, worker(1)) && hears(other, other) && hears(home, worker(0)));
        QVERIFY(!hears(other, worker(0)) && !hears(other, home) && !hears(home, worker(1)));
        QVERIFY(!hears(other, {wire::ROLE_EVALUATOR, 0}));  // that nobody has named
        QVERIFY(!hears(worker(1), worker(0)) && !hears(worker(1), other));

        wire::ToCoordinator exit;
        exit.mutable_process_exit()->set_role(wire::ROLE_WORKER);
        exit.mutable_process_exit()->set_process_id(0);
        exit.mutable_process_exit()->set_signalled(true);
        exit.mutable_process_exit()->set_status(SIGKILL);
        const std::uint64_t refused = stage.core().counters().refusedRecords;
        stage.say(other, exit);  // not its child
        stage.pass(1s);
        QCOMPARE(stage.core().counters().refusedRecords, refused + 1);
        QVERIFY(stage.outcomes.empty());
        stage.say(home, exit);
        stage.pass(1s);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.outcomes[0].failure.process_id(), 0U);
    }

    void anEvaluatorThatHangsDelaysTheEndButFailsNothing() {
        Stage stage(1, true);
        stage.joinWorkers(1);
        stage.join({wire::ROLE_EVALUATOR, 0});
        wire::ToCoordinator leave;
        leave.mutable_leave()->set_status("completed");
        leave.mutable_leave()->set_summary_json("{}");
        stage.say(worker(0), leave);
        stage.pass(5s);
        QVERIFY(stage.outcomes.empty());

        stage.pass(10s);  // no heartbeat either: lost

        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY(stage.outcomes[0].kind == OutcomeKind::Completed);
        QCOMPARE(std::ranges::count_if(stage.records, &wire::Record::has_failure),
                 std::ptrdiff_t(1));
    }

    void aFailureNamesTheStepThatWasTrainedBeforeTheFirstHeartbeat() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.measureSteps(1, 500);  // one batch: step 1
        wire::ProcessExit exit;
        exit.set_process_id(1);
        exit.set_signalled(true);
        exit.set_status(9);
        stage.core().processExited(exit, 0, stage.at());
        stage.pass(1s);

        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.outcomes[0].failure.step(), std::uint64_t(1));
        QCOMPARE(stage.outcomes[0].failure.trained_to(), std::uint64_t(1));
        QVERIFY(stage.outcomes[0].failure.from_outside());
    }

    void endingARunWhileItsEvaluatorDrainsKeepsTheResult() {
        Stage stage(1, true);
        stage.joinWorkers(1);
        stage.join({wire::ROLE_EVALUATOR, 0});
        wire::ToCoordinator leave;
        leave.mutable_leave()->set_status("completed");
        leave.mutable_leave()->set_summary_json("{\"steps\": 3}");
        stage.say(worker(0), leave);

        stage.core().requestKill(stage.at());
        stage.pass(1s);

        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY(stage.outcomes[0].kind == OutcomeKind::Completed);
        QCOMPARE(stage.outcomes[0].summaryJson, std::string("{\"steps\": 3}"));
    }

    void aDeathAfterAStopWasAskedForIsNoReasonToStartOver() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.core().requestStop(stage.at());
        wire::ProcessExit exit;
        exit.set_process_id(1);
        exit.set_signalled(true);
        exit.set_status(9);
        stage.core().processExited(exit, 0, stage.at());
        stage.pass(1s);

        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY(stage.outcomes[0].kind == OutcomeKind::Failed);
        QVERIFY(stage.outcomes[0].stopRequested);
    }

    void whoEndsAsItWasAskedToIsNotWarnedOf_data() {
        QTest::addColumn<bool>("fails");  // and takes the evaluator along; else a stop is asked for
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("lastError");
        QTest::addColumn<bool>("warned");
        QTest::newRow("a stop") << false << 3 << QString() << false;
        QTest::newRow("a crash behind it") << false << 1 << QString() << true;
        QTest::newRow("another's end")
            << true << 1 << "error: process 1 (hostB): was killed by signal 9 (SIGKILL)" << false;
        QTest::newRow("an end of its own") << true << 1 << "error: no memory" << true;
    }
    void whoEndsAsItWasAskedToIsNotWarnedOf() {
        QFETCH(bool, fails);
        QFETCH(int, status);
        QFETCH(QString, lastError);
        QFETCH(bool, warned);
        Stage stage(2, 1);
        stage.joinWorkers(2);
        const ProcessKey evaluator{wire::ROLE_EVALUATOR, 0};
        stage.join(evaluator);
        if (fails) {
            wire::ProcessExit killed;
            killed.set_process_id(1);
            killed.set_signalled(true);
            killed.set_status(9);
            stage.core().processExited(killed, 0, stage.at());
        } else {
            stage.core().requestStop(stage.at());
        }
        stage.pass(1s);
        wire::ToCoordinator leave;
        leave.mutable_leave()->set_status("stopped");
        stage.say(evaluator, leave);
        wire::ProcessExit exit;
        exit.set_role(wire::ROLE_EVALUATOR);
        exit.set_status(status);
        exit.set_last_error(lastError.toStdString());
        stage.core().processExited(exit, 0, stage.at());
        stage.pass(1s);

        QCOMPARE(std::ranges::any_of(stage.records, &wire::Record::has_log), warned);
    }

    void theEndOfTheRunIsTheLastRecord() {
        Stage stage(1);
        stage.joinWorkers(1);
        wire::RunEnd end;
        end.set_status("failed");
        stage.core().endRun(end, stage.at());
        stage.beat(0, wire::PHASE_DATA, 0, 1);
        stage.core().appendRecord(wire::Record{}, stage.at());
        stage.pass(30s);

        QVERIFY(stage.records.back().has_run_end());
    }
};

QTEST_GUILESS_MAIN(CoordinatorCoreTest)
#include "tst_coordinator_core.moc"
