// SPDX-License-Identifier: Apache-2.0
// Times for which the coordinator itself did not run, and whom they excuse.
#include <QtTest>
#include <algorithm>
#include <csignal>

#include "core/coordination/exchange/record_worth.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using testsupport::Stage;
using testsupport::worker;

namespace {

wire::ProcessExit gaveUp(std::uint32_t process) {
    wire::ProcessExit exit;
    exit.set_process_id(process);
    exit.set_status(1);
    exit.set_last_error("error: the step was given up because another process failed");
    return exit;
}

}  // namespace

class CoreGapsTest : public QObject {
    Q_OBJECT
    static constexpr ProcessKey kFirst{wire::ROLE_EVALUATOR, 0};
    static constexpr ProcessKey kSecond{wire::ROLE_EVALUATOR, 1};

    /// What the chief's retention is to spare, now that it has committed these.
    static std::vector<std::int64_t> offer(Stage& stage, const std::vector<std::int64_t>& steps,
                                           bool begins = false) {
        wire::ToCoordinator message;
        message.mutable_offer()->set_request(1);
        message.mutable_offer()->set_begins(begins);
        message.mutable_offer()->set_newest(steps.empty() ? 0 : steps.back());
        message.mutable_offer()->mutable_steps()->Add(steps.begin(), steps.end());
        stage.say(worker(0), std::move(message));
        wire::SparedCheckpoints spared;
        spared.ParseFromString(stage.sent.back().second.value().value());
        return {spared.steps().begin(), spared.steps().end()};
    }
    static wire::EvaluatorWork workOf(Stage& stage, const ProcessKey& evaluator) {
        wire::ToCoordinator message;
        message.mutable_ask_work()->set_request(1);
        stage.say(evaluator, std::move(message));
        wire::EvaluatorWork work;
        work.ParseFromString(stage.sent.back().second.value().value());
        return work;
    }
    static void evaluate(Stage& stage, const ProcessKey& evaluator, std::uint64_t step) {
        wire::Record record;
        record.mutable_evaluation()->set_step(step);
        record.mutable_evaluation()->set_split("validation");
        wire::ToCoordinator message;
        message.mutable_records()->add_records(record.SerializeAsString());
        stage.say(evaluator, std::move(message));
    }
    static void kill(Stage& stage, const ProcessKey& evaluator) {
        wire::ProcessExit exit;
        exit.set_role(evaluator.role);
        exit.set_process_id(evaluator.id);
        exit.set_signalled(true);
        exit.set_status(SIGKILL);
        stage.core().processExited(exit, 0, stage.at());
        stage.pass(100ms);
    }
    static void leave(Stage& stage) {
        wire::ToCoordinator message;
        message.mutable_leave()->set_status("completed");
        stage.say(worker(0), std::move(message));
        stage.pass(100ms);
    }
    static void beat(Stage& stage, const ProcessKey& evaluator) {
        wire::Record record;
        record.mutable_heartbeat()->set_role(wire::ROLE_EVALUATOR);
        record.mutable_heartbeat()->set_process_id(evaluator.id);
        record.mutable_heartbeat()->set_incarnation(7);
        wire::ToCoordinator message;
        message.mutable_records()->add_records(record.SerializeAsString());
        stage.say(evaluator, std::move(message));
    }
    static void passWithHeartbeats(Stage& stage, Nanos duration,
                                   const std::vector<ProcessKey>& evaluators = {kFirst}) {
        for (Nanos passed{}; passed < duration; passed += 1s) {
            for (const ProcessKey& evaluator : evaluators)
                beat(stage, evaluator);
            stage.pass(1s);
        }
    }
    static void leaveWhileTheFirstOfTwoScores(Stage& stage) {
        stage.joinWorkers(1);
        offer(stage, {}, true);
        stage.join(kFirst);
        stage.join(kSecond);
        offer(stage, {10});
        QCOMPARE(workOf(stage, kFirst).step(), std::int64_t{10});
        leave(stage);
    }
    /// "5: why".
    static std::vector<std::string> notScored(const Stage& stage) {
        std::vector<std::string> words;
        for (const wire::Record& record : stage.records)
            if (record.has_evaluation() && !record.evaluation().error().empty())
                words.push_back(std::to_string(record.evaluation().step()) + ": " +
                                record.evaluation().error());
        return words;
    }

private slots:
    void aGapOfTheCoordinatorsOwnIsTheCauseAndNoWorkerIs() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.pass(1s);
        stage.sleep(14s);  // the processes give up on it after 10 s
        for (const std::uint32_t id : {0U, 1U}) {
            wire::ProcessExit exit;
            exit.set_process_id(id);
            exit.set_status(1);
            exit.set_last_error("error: the step was given up because another process failed");
            stage.core().processExited(exit, 0, stage.at());
        }
        stage.pass(2s);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        const wire::Failure& failure = stage.outcomes[0].failure;
        QCOMPARE(failure.role(), wire::ROLE_AGENT);
        QVERIFY(failure.cause().starts_with("the coordinator did not run for 14 s itself"));
    }
    void whoWasKilledIsTheCauseEvenAfterAGapOfTheCoordinator() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.pass(1s);
        stage.sleep(14s);
        wire::ProcessExit exit;
        exit.set_process_id(1);
        exit.set_signalled(true);
        exit.set_status(SIGKILL);
        stage.core().processExited(exit, 0, stage.at());
        stage.pass(2s);
        QCOMPARE(stage.outcomes.at(0).failure.role(), wire::ROLE_WORKER);
        QCOMPARE(stage.outcomes.at(0).failure.process_id(), 1U);
    }
    void aShortGapOfTheCoordinatorIsSaidAndForgiven() {
        Stage stage(1);
        stage.joinWorkers(1);
        stage.sleep(4s);
        stage.pass(6s);
        QVERIFY(stage.outcomes.empty());
        QVERIFY(std::ranges::any_of(stage.records, [](const wire::Record& record) {
            return record.log().text() == "the coordinator did not run for 4.1 s itself";
        }));
    }
    /// A program of the user's that cannot start, right after a restart for which a gap was the
    /// cause.
    void aGapOfAFormerGenerationExplainsNothing() {
        Stage stage(1);
        stage.joinWorkers(1);
        stage.pass(1s);
        stage.sleep(14s);
        stage.core().processExited(gaveUp(0), 0, stage.at());
        stage.pass(2s);
        QCOMPARE(stage.outcomes.at(0).failure.role(), wire::ROLE_AGENT);
        stage.core().beginGeneration(1, stage.at());
        wire::ProcessExit exit;
        exit.set_status(1);
        exit.set_last_error("ModuleNotFoundError: No module named 'models'");
        stage.core().processExited(exit, 1, stage.at());
        stage.pass(2s);
        QCOMPARE(stage.outcomes.size(), std::size_t(2));
        QCOMPARE(stage.outcomes[1].failure.role(), wire::ROLE_WORKER);
    }
    void aBusyTurnBehindALongGapDoesNotHideIt() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.pass(1s);
        stage.sleep(20s);
        stage.core().tick(stage.at());
        stage.sleep(4s);  // what waited meanwhile is read
        stage.core().processExited(gaveUp(1), 0, stage.at());
        stage.pass(2s);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY2(stage.outcomes[0].failure.cause().starts_with(
                     "the coordinator did not run for 20 s itself"),
                 stage.outcomes[0].failure.cause().c_str());
    }
    void aSuspendedCoordinatorGivesRegistrationItsTimeBack() {
        Stage stage(2);
        stage.join(worker(0));
        stage.sleep(400s);  // longer than the 300 s that registration may take
        stage.pass(2s);
        QVERIFY(stage.outcomes.empty());
        stage.join(worker(1));
        stage.pass(1s);
        QVERIFY(stage.outcomes.empty());
    }
    void checkpointsGoToEvaluatorsAndFromOneThatIsLostToTheOther() {
        Stage stage(1, 2);
        stage.joinWorkers(1);
        offer(stage, {}, true);
        stage.join(kFirst);
        stage.join(kSecond);
        offer(stage, {10});
        QCOMPARE(offer(stage, {20}), (std::vector<std::int64_t>{10, 20}));
        QCOMPARE(workOf(stage, kFirst).step(), std::int64_t{10});
        QCOMPARE(workOf(stage, kSecond).step(), std::int64_t{20});
        kill(stage, kFirst);
        evaluate(stage, kSecond, 20);
        QCOMPARE(workOf(stage, kSecond).step(), std::int64_t{10});
        evaluate(stage, kSecond, 10);
        QCOMPARE(offer(stage, {30}), (std::vector<std::int64_t>{30}));
        QVERIFY(notScored(stage).empty());
        QVERIFY(stage.outcomes.empty());
    }
    void onceTheLastEvaluatorIsLostWhatIsNotScoredIsNamed() {
        Stage stage(1, 2);
        stage.joinWorkers(1);
        offer(stage, {5}, true);
        stage.join(kFirst);
        stage.join(kSecond);
        QCOMPARE(workOf(stage, kFirst).step(), std::int64_t{5});
        kill(stage, kFirst);
        QVERIFY(notScored(stage).empty());
        kill(stage, kSecond);
        QCOMPARE(notScored(stage),
                 (std::vector<std::string>{"5: evaluator 1 was killed by signal 9 (SIGKILL)"}));
        QVERIFY(offer(stage, {10}).empty());
        QCOMPARE(notScored(stage).size(), std::size_t{2});
        leave(stage);
        QCOMPARE(stage.outcomes.size(), std::size_t{1});
        QCOMPARE(stage.outcomes[0].scoring.notScored, (std::vector<std::int64_t>{5, 10}));
    }
    void aSlowEvaluationIsWaitedForAfterTheEndOfTraining() {
        Stage stage(1, 1);
        stage.joinWorkers(1);
        stage.join(kFirst);
        offer(stage, {}, true);
        offer(stage, {10});
        QCOMPARE(workOf(stage, kFirst).step(), std::int64_t{10});
        leave(stage);
        passWithHeartbeats(stage, 200s);  // longer than it is waited for one that has nothing
        QVERIFY(stage.outcomes.empty());
        evaluate(stage, kFirst, 10);
        QVERIFY(workOf(stage, kFirst).test());
        passWithHeartbeats(stage, 430s);  // longer than any evaluation may take
        QCOMPARE(stage.outcomes.size(), std::size_t{1});
        QCOMPARE(stage.outcomes[0].scoring.scored, std::size_t{1});
    }
    void whoAsksForAStopDoesNotWaitForSlowEvaluations() {
        Stage stage(1, 1);
        stage.joinWorkers(1);
        stage.join(kFirst);
        offer(stage, {}, true);
        offer(stage, {10});
        QCOMPARE(workOf(stage, kFirst).step(), std::int64_t{10});
        leave(stage);
        passWithHeartbeats(stage, 100s);
        QVERIFY(stage.outcomes.empty());
        stage.core().requestStop(stage.at());
        passWithHeartbeats(stage, 2s);
        QVERIFY(std::ranges::any_of(stage.records, [](const wire::Record& record) {
            return record.run_state().state() == wire::RUN_STATE_STOPPING;
        }));
        QCOMPARE(stage.outcomes.size(), std::size_t{1});
        QCOMPARE(stage.outcomes[0].kind, OutcomeKind::Completed);  // the training is whole
    }
    void aStopIsWantedWhereAUserHasAskedForIt_data() {
        QTest::addColumn<bool>("agentAsks");
        QTest::addColumn<bool>("userAsks");
        QTest::newRow("by a user") << false << true;
        QTest::newRow("by an agent that has lost its launcher") << true << false;
        QTest::newRow("by both") << true << true;
    }
    void aStopIsWantedWhereAUserHasAskedForIt() {
        QFETCH(bool, agentAsks);
        QFETCH(bool, userAsks);
        Stage stage(1);
        stage.joinWorkers(1);
        stage.join({wire::ROLE_AGENT, 1});
        wire::ToCoordinator stop;
        stop.mutable_stop();
        if (agentAsks) stage.say({wire::ROLE_AGENT, 1}, stop);
        if (userAsks) stage.core().requestStop(stage.at());
        wire::ToCoordinator leave;
        leave.mutable_leave()->set_status("stopped");
        stage.say(worker(0), leave);
        stage.pass(1s);

        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY(stage.outcomes[0].kind == OutcomeKind::Stopped);
        QCOMPARE(stage.outcomes[0].isWanted, userAsks);
    }
    void anEvaluatorThatIsToldToEndAfterTheTrainingSaysWhatIsLost() {
        Stage stage(1, 1);
        stage.joinWorkers(1);
        stage.join(kFirst);
        leave(stage);
        wire::ToCoordinator stop;
        stop.mutable_stop();
        stage.say(kFirst, std::move(stop));
        const wire::Record& notice = stage.records[stage.records.size() - 2];
        QVERIFY(notice.notice().sentence().ends_with(
            "was told to end (SIGTERM): the job ends without the scores that are missing"));
    }
    void onlyWhoHasWorkIsLate() {
        Stage stage(1, 2);
        leaveWhileTheFirstOfTwoScores(stage);
        passWithHeartbeats(stage, 430s, {kFirst, kSecond});
        QCOMPARE(stage.outcomes.size(), std::size_t{1});
        std::vector<std::string> late;
        for (const wire::Record& record : stage.records)
            if (record.has_failure())
                late.push_back(std::to_string(record.failure().process_id()) + ": " +
                               record.failure().cause());
        QCOMPARE(
            late,
            (std::vector<std::string>{"0: did not finish within 420 s after the end of training"}));
    }
    void whatALateOneHadIsTakenOverAfterTheEndOfTraining() {
        Stage stage(1, 2);
        leaveWhileTheFirstOfTwoScores(stage);
        passWithHeartbeats(stage, 200s, {kFirst, kSecond});
        kill(stage, kFirst);
        QVERIFY(stage.outcomes.empty());
        QCOMPARE(workOf(stage, kSecond).step(), std::int64_t{10});
    }
    void whatAProgramSaysGoesBeforeWhatARunIsMadeOf() {
        wire::Record line;
        line.mutable_log()->set_text("a flood");
        wire::Record figure;
        figure.mutable_scalars()->set_replica(3);
        wire::Record ofJob;
        ofJob.mutable_scalars()->set_replica(-1);
        wire::Record epoch;
        epoch.mutable_epoch();
        QCOMPARE(worthOf(line), telemetry::RecordWorth::Sample);
        QCOMPARE(worthOf(figure), telemetry::RecordWorth::Sample);
        QCOMPARE(worthOf(ofJob), telemetry::RecordWorth::Event);
        QCOMPARE(worthOf(epoch), telemetry::RecordWorth::Event);
    }
};

QTEST_GUILESS_MAIN(CoreGapsTest)
#include "tst_core_gaps.moc"
