// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/coordination/health/evaluation_watch.h"
#include "core/coordination/health/phase_limits.h"
#include "core/coordination/health/standstill.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using testsupport::Stage;
using testsupport::worker;

/// What the coordinator says of those that live but do not move, and what it does about it.
class CoreStuckTest : public QObject {
    Q_OBJECT

    /// Process 1 stays in forward, for which process 0 waits.
    static void beginStuck(Stage& stage) {
        stage.joinWorkers(2);
        stage.measureSteps(0, 5000);
        stuckSeconds_ = 14;
        stage.beat(0, wire::PHASE_ALL_REDUCE, stuckSeconds_, 811);
        stage.beat(1, wire::PHASE_FORWARD, stuckSeconds_, 811);
        stage.pass(100ms);
    }
    static void beatsOfStuck(Stage& stage, int seconds) {
        for (int second = 0; second < seconds; ++second) {
            stage.pass(1s);
            ++stuckSeconds_;
            stage.beat(0, wire::PHASE_ALL_REDUCE, stuckSeconds_, 811);
            stage.beat(1, wire::PHASE_FORWARD, stuckSeconds_, 811);
        }
    }
    static inline double stuckSeconds_ = 0;

    /// For how long those have been stuck who were asked for their stacks, each with its name.
    static std::vector<std::pair<std::string, double>> askedForStacks(const Stage& stage) {
        std::vector<std::pair<std::string, double>> asked;
        for (const auto& [connection, message] : stage.sent)
            if (message.has_tell_stacks())
                asked.emplace_back(connection, message.tell_stacks().seconds());
        return asked;
    }

private slots:
    void aStuckProcessIsNamedWithItsPhaseAndClearedWhenItMovesOn() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.measureSteps(0, 5000);
        stage.beat(0, wire::PHASE_ALL_REDUCE, 13.9, 811);
        stage.beat(1, wire::PHASE_FORWARD, 14.0, 811);
        stage.pass(100ms);
        QCOMPARE(
            stage.lastVerdict(),
            std::string("process 1 (hostB) has been in forward for 14 s at step 812; the others "
                        "wait for it in all-reduce"));
        QVERIFY(stage.outcomes.empty());

        stage.beat(0, wire::PHASE_DATA, 0.1, 812);
        stage.beat(1, wire::PHASE_DATA, 0.1, 812);
        stage.pass(100ms);
        QCOMPARE(stage.lastVerdict(), std::string());
    }

    void aStuckJobIsEndedAfterItsGraceAndMayBeRestarted_data() {
        QTest::addColumn<int>("action");
        QTest::addColumn<bool>("isFinal");
        QTest::newRow("restart") << int(StuckAction::Restart) << false;
        QTest::newRow("stop") << int(StuckAction::Stop) << true;
    }

    void aStuckJobIsEndedAfterItsGraceAndMayBeRestarted() {
        QFETCH(const int, action);
        QFETCH(const bool, isFinal);
        JobRules rules = Stage::rules(2, 0);
        rules.stuck = {static_cast<StuckAction>(action), 20s};
        Stage stage(rules);
        beginStuck(stage);
        const auto verdict = std::ranges::find_if(
            stage.records, [](const auto& record) { return record.has_verdict(); });
        QCOMPARE(verdict->verdict().ends_at(), 21.0);  // the stage's wall clock stands at 1
        QCOMPARE(verdict->verdict().restarts(), !isFinal);
        beatsOfStuck(stage, 19);
        QVERIFY(stage.outcomes.empty());
        beatsOfStuck(stage, 2);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        const Outcome& outcome = stage.outcomes.front();
        QCOMPARE(outcome.kind, OutcomeKind::Failed);
        QCOMPARE(outcome.isFinal, isFinal);
        QCOMPARE(outcome.failure.process_id(), 1U);
        QVERIFY2(outcome.failure.cause().starts_with("has been in forward for 3"),
                 outcome.failure.cause().c_str());
        QVERIFY(outcome.remedy.find("launch.on_stuck") != std::string::npos);
    }

    void whoIsStuckIsAskedForItsStacksOnceAndBeforeAnythingIsDone() {
        JobRules rules = Stage::rules(2, 0);
        rules.stuck = {StuckAction::Stop, 0s};
        Stage stage(rules);
        beginStuck(stage);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY(stage.outcomes.front().remedy.find("logs/process-1.log") != std::string::npos);
        const auto asked = askedForStacks(stage);
        QCOMPARE(asked.size(), std::size_t(1));
        QCOMPARE(asked.front().first, userIdOf(worker(1)));
        QVERIFY(asked.front().second >= 14 && asked.front().second < 15);
        const auto isToOne = [](const auto& message) {
            return message.first == userIdOf(worker(1)) &&
                   (message.second.has_tell_stacks() || message.second.has_abort());
        };
        const auto first = std::ranges::find_if(stage.sent, isToOne);
        QVERIFY(first != stage.sent.end() && first->second.has_tell_stacks());
    }

    void ofWhoCannotTellItsStacksNoneArePromised() {
        JobRules rules = Stage::rules(2, 0);
        rules.stuck = {StuckAction::Stop, 0s};
        Stage stage(rules);
        stage.tellsStacks = false;
        beginStuck(stage);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY(askedForStacks(stage).empty());
        const std::string& remedy = stage.outcomes.front().remedy;
        QVERIFY2(remedy.find("launch.on_stuck") != std::string::npos, remedy.c_str());
        QVERIFY2(remedy.find("logs/") == std::string::npos, remedy.c_str());
    }

    void troubleThatComesAgainIsAskedAboutNowAndThen() {
        Stage stage(2);
        beginStuck(stage);
        beatsOfStuck(stage, 100);
        QCOMPARE(askedForStacks(stage).size(), std::size_t(1));
        const auto moveAndStandStillAgain = [&stage] {
            stage.beat(0, wire::PHASE_DATA, 0.1, 812);
            stage.beat(1, wire::PHASE_DATA, 0.1, 812);
            stage.pass(100ms);
            stuckSeconds_ = 14;
            beatsOfStuck(stage, 2);
        };
        moveAndStandStillAgain();
        QCOMPARE(askedForStacks(stage).size(), std::size_t(2));
        moveAndStandStillAgain();  // a few seconds later
        QCOMPARE(askedForStacks(stage).size(), std::size_t(2));
    }

    void aStuckJobIsLeftAloneWhereItIsToWait() {
        Stage stage(2);
        beginStuck(stage);
        beatsOfStuck(stage, 300);
        QVERIFY(stage.outcomes.empty());
        for (const wire::Record& record : stage.records)
            QCOMPARE(record.verdict().ends_at(), 0.0);
    }

    void whoWaitsLongerPutsTheEndOffAndOneStepCallsItOff() {
        JobRules rules = Stage::rules(2, 0);
        rules.stuck = {StuckAction::Restart, 20s};
        Stage stage(rules);
        beginStuck(stage);
        beatsOfStuck(stage, 15);
        stage.core().waitLonger(stage.at());
        beatsOfStuck(stage, 15);
        QVERIFY(stage.outcomes.empty());
        stage.beat(0, wire::PHASE_DATA, 0.1, 812);
        stage.beat(1, wire::PHASE_DATA, 0.1, 812);
        stage.pass(100ms);
        QCOMPARE(stage.lastVerdict(), std::string());
        for (int second = 0; second < 30; ++second) {
            stage.beat(0, wire::PHASE_DATA, 0.1, 812 + second);
            stage.beat(1, wire::PHASE_DATA, 0.1, 812 + second);
            stage.pass(1s);
        }
        QVERIFY(stage.outcomes.empty());
    }

    void aLateHeartbeatDoesNotBeginTheGraceAnew() {
        JobRules rules = Stage::rules(2, 0);
        rules.stuck = {StuckAction::Stop, 20s};
        Stage stage(rules);
        beginStuck(stage);
        beatsOfStuck(stage, 10);
        for (int second = 0; second < 5; ++second) {  // without process 1, which is late
            stage.pass(1s);
            ++stuckSeconds_;
            stage.beat(0, wire::PHASE_ALL_REDUCE, stuckSeconds_, 811);
        }
        QVERIFY(stage.lastVerdict().find("has been in forward") == std::string::npos);
        beatsOfStuck(stage, 4);
        QVERIFY(stage.outcomes.empty());
        beatsOfStuck(stage, 3);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.outcomes.front().failure.process_id(), 1U);
    }

    void anEvaluatorThatIsSilentIsToldOfButNotAllTheTime() {
        Stage stage(1, 1);
        stage.joinWorkers(1);
        stage.join({wire::ROLE_EVALUATOR, 0});
        const auto warnings = [&] {
            std::vector<std::string> texts;
            for (const wire::Record& record : stage.records)
                if (record.has_log()) texts.push_back(record.log().text());
            return texts;
        };
        const auto beForAWhile = [&](bool speaks) {
            for (int second = 0; second < 5; ++second) {
                stage.pass(1s);
                stage.beat(0, wire::PHASE_DATA, 0.1, 1);
                if (speaks) stage.beatOfEvaluator();
            }
        };
        beForAWhile(true);
        QCOMPARE(warnings().size(), std::size_t(0));
        beForAWhile(false);
        QCOMPARE(warnings(),
                 (std::vector<std::string>{"the evaluator (hostA) has sent no heartbeat for 3 s"}));
        beForAWhile(false);
        QCOMPARE(warnings().size(), std::size_t(2));
        QCOMPARE(warnings().back(),
                 std::string("the evaluator (hostA) has sent no heartbeat for 8 s"));
        QCOMPARE(stage.lastVerdict(), std::string("none"));
    }

    void howFarARunHasComeIsKnownOfAllItsGenerations() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.beat(0, wire::PHASE_FORWARD, 0, 40);
        wire::ToCoordinator report;
        report.mutable_report_error()->set_cause("the loss became nan");
        report.mutable_report_error()->set_suspect_checkpoint(30);
        stage.say(worker(1), report);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.outcomes[0].failure.trained_to(), std::uint64_t(40));
        QCOMPARE(stage.outcomes[0].failure.suspect_checkpoint(), std::uint64_t(30));
        QVERIFY(!stage.outcomes[0].failure.from_outside());
        stage.core().beginGeneration(1, stage.at());
        stage.join(worker(0), 8);
        stage.join(worker(1), 8);
        report.set_generation(1);
        stage.say(worker(1), report, 8);
        QCOMPARE(stage.outcomes.size(), std::size_t(2));
        QCOMPARE(stage.outcomes[1].failure.trained_to(), std::uint64_t(40));
    }
    void noCheckpointIsBlamedOnceANewerOneWasCommitted() {
        for (const bool isCommitted : {true, false}) {
            Stage stage(2);
            stage.joinWorkers(2);
            wire::Record record;
            record.mutable_checkpoint()->set_step(32);
            if (!isCommitted) record.mutable_checkpoint()->set_error("the disk is full");
            stage.write(0, record);
            wire::ToCoordinator report;
            report.mutable_report_error()->set_cause("the loss became nan");
            report.mutable_report_error()->set_suspect_checkpoint(30);
            stage.say(worker(1), report);
            QCOMPARE(stage.outcomes.size(), std::size_t(1));
            QCOMPARE(stage.outcomes[0].failure.suspect_checkpoint(),
                     std::uint64_t(isCommitted ? 0 : 30));
        }
    }
    void anEvaluatorThatMayHangIsNamedByWhatTheRunsEvaluationsTake() {
        Stage stage(1, 1);
        stage.joinWorkers(1);
        stage.join({wire::ROLE_EVALUATOR, 0});
        const auto evaluateFor = [&stage](int seconds) {
            for (int second = 1; second <= seconds; ++second) {
                stage.pass(1s);
                stage.beat(0, wire::PHASE_DATA, 0.1, 1);
                stage.beatOfEvaluator(second);
            }
        };
        std::uint64_t step = 0;
        const auto score = [&] {
            wire::Record record;
            record.mutable_evaluation()->set_step(++step);
            record.mutable_evaluation()->set_split("validation");
            record.mutable_evaluation()->set_seconds(1);
            stage.sayAsEvaluator(record);
        };
        const auto notices = [&stage] {
            std::vector<std::string> texts;
            for (const wire::Record& record : stage.records)
                if (record.has_notice()) texts.push_back(record.notice().sentence());
            return texts;
        };
        evaluateFor(200);  // the first one tells nothing
        QCOMPARE(notices().size(), std::size_t(0));
        score();
        for (int i = 0; i < 5; ++i) {  // of 2 s each
            evaluateFor(2);
            score();
        }
        evaluateFor(29);
        QCOMPARE(notices().size(), std::size_t(0));
        stage.beatOfEvaluator(30);
        stage.pass(100ms);
        const std::vector<std::string> told{
            "the evaluator (hostA) has been at one evaluation for 30 s (others took 2 s): it may "
            "hang; where its threads stand is in its log"};
        QCOMPARE(notices(), told);
        QCOMPARE(askedForStacks(stage).size(), std::size_t(1));
        QCOMPARE(askedForStacks(stage).front().first, userIdOf({wire::ROLE_EVALUATOR, 0}));
        for (int second = 31; second < 90; ++second)
            stage.beatOfEvaluator(second);
        stage.pass(100ms);
        QCOMPARE(notices(), told);  // once for each
        QVERIFY(stage.outcomes.empty());
        QCOMPARE(stage.lastVerdict(), std::string("none"));
        stage.beatOfEvaluator(0);
        for (int second = 1; second < 32; ++second)
            stage.beatOfEvaluator(second);
        stage.pass(100ms);
        QCOMPARE(notices().size(), std::size_t(2));
    }
    void theTestDataAndCheckpointsHaveEachTheirUsualTime() {
        EvaluationWatch watch(420s);
        wire::ReplicaProgress progress;
        progress.set_phase(wire::PHASE_EVALUATE);
        const auto newsAt = [&](float seconds) {
            progress.set_phase_seconds(seconds);
            watch.report(0, progress);
            return watch.takeNews().size();
        };
        wire::Evaluation score;
        score.set_seconds(2);
        for (int i = 0; i < 5; ++i)
            watch.done(0, score);
        watch.setTesting(0, true);  // of which there was none
        QCOMPARE(newsAt(419), std::size_t(0));
        QCOMPARE(newsAt(420), std::size_t(1));
        watch.done(0, score);
        watch.setTesting(0, false);
        QCOMPARE(newsAt(29), std::size_t(0));
        QCOMPARE(newsAt(31), std::size_t(1));
    }

    void whoStaysBehindInACollectiveIsNamed() {
        Stage stage(3);
        stage.joinWorkers(3);
        stage.measureSteps(0, 5000);
        stage.beat(0, wire::PHASE_ALL_REDUCE, 12, 9, 50);
        stage.beat(1, wire::PHASE_ALL_REDUCE, 12, 9, 49);
        stage.beat(2, wire::PHASE_ALL_REDUCE, 12, 9, 50);
        stage.pass(100ms);

        QVERIFY(stage.lastVerdict().starts_with("process 1 (hostB) has not moved in all-reduce"));
    }

    /// All are in it together, and wait there for whoever has reached fewer points of collectives.
    void whoHoldsUpACheckpointIsNamedAsSoonAsOneHasShownHowLongItTakes() {
        Stage stage(3);
        stage.joinWorkers(3);
        stage.measureSteps(0, 5000);
        const auto standFor = [&](double seconds) {
            for (std::uint32_t id = 0; id < 3; ++id)
                stage.beat(id, wire::PHASE_CHECKPOINT, seconds, 50, id == 2 ? 8 : 9);
            stage.pass(100ms);
        };
        standFor(60);
        QCOMPARE(stage.lastVerdict(), std::string("none"));  // the first may take its time
        wire::Record record;
        record.mutable_checkpoint()->set_step(50);
        stage.write(0, record);
        standFor(8);
        QCOMPARE(stage.lastVerdict(), std::string("none"));
        standFor(9);
        QCOMPARE(stage.lastVerdict(),
                 std::string("process 2 (hostC) has been in checkpoint for 9 s after step 50; the "
                             "others wait for it there"));
    }
    void whatCheckpointsTakeSetsTheirLimit() {
        PhaseLimits limits{ProgressLimits()};
        limits.left(wire::PHASE_CHECKPOINT, 3s);
        QCOMPARE(limits.of(wire::PHASE_CHECKPOINT), Nanos(420s));
        limits.completed(wire::PHASE_CHECKPOINT);
        QCOMPARE(limits.of(wire::PHASE_CHECKPOINT), Nanos(18s));  // 4.5 times 3 s and a heartbeat
        limits.left(wire::PHASE_CHECKPOINT, 1000s);
        QCOMPARE(limits.of(wire::PHASE_CHECKPOINT), Nanos(420s));
        limits.completed(wire::PHASE_EVALUATE);
        QCOMPARE(limits.of(wire::PHASE_EVALUATE), Nanos(9s));
        limits.beginTest();  // of other data
        QCOMPARE(limits.of(wire::PHASE_EVALUATE), Nanos(420s));
    }
    void whoWaitsForItsDiskIsNotStuck() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.measureSteps(0, 5000);
        wire::Record record;
        record.mutable_checkpoint()->set_step(50);
        stage.write(0, record);
        stage.beat(0, wire::PHASE_DISK, 290, 50, 9);
        stage.beat(1, wire::PHASE_CHECKPOINT, 290, 50, 10);
        stage.pass(100ms);
        QCOMPARE(stage.lastVerdict(), std::string("none"));
    }
    /// Its own mark is there, and it does not see it.
    void aThreadHeldInTheCollectiveOfACheckpointIsNamed() {
        const auto waiter = [](std::uint32_t id, std::uint64_t points, std::uint32_t awaited) {
            return CollectiveWaiter{id, id, "a", 50, points, awaited, 12s, wire::PHASE_CHECKPOINT};
        };
        QCOMPARE(judgeStandstill({waiter(0, 50, 1), waiter(1, 51, 0)}).sentence,
                 std::string("process 0 (a) has not moved in checkpoint for 12 s after step 50; "
                             "the others wait for it there"));
    }
};

QTEST_GUILESS_MAIN(CoreStuckTest)
#include "tst_core_stuck.moc"
