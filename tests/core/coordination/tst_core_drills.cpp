// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <csignal>
#include <limits>

#include "core/coordination/health/exit_cause.h"
#include "core/coordination/state/drill_words.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using testsupport::Stage;
using testsupport::worker;

namespace {

wire::DrillRequest orderOf(wire::DrillKind kind, std::uint32_t process = 1, double seconds = 0,
                           const std::string& id = "d") {
    wire::DrillRequest order;
    order.set_id(id);
    order.set_kind(kind);
    order.set_process_id(process);
    order.set_seconds(seconds);
    return order;
}

/// All that the journal says of drills, in order.
std::vector<wire::Drill> drillsIn(const Stage& stage) {
    std::vector<wire::Drill> drills;
    for (const wire::Record& record : stage.records)
        if (record.has_drill()) drills.push_back(record.drill());
    return drills;
}

wire::Drill lastDrill(const Stage& stage) {
    const auto drills = drillsIn(stage);
    return drills.empty() ? wire::Drill() : drills.back();
}

std::size_t timesTold(const Stage& stage, std::uint32_t process) {
    return static_cast<std::size_t>(std::ranges::count_if(stage.sent, [&](const auto& message) {
        return message.first == userIdOf(worker(process)) && message.second.has_inflict();
    }));
}

void sayOfDrill(Stage& stage, std::uint32_t process, wire::DrillPhase phase, std::uint64_t step,
                const std::string& id = "d") {
    wire::Record record;
    wire::Drill& news = *record.mutable_drill();
    news.set_id(id);
    news.set_process_id(process);
    news.set_phase(phase);
    news.set_sentence("it does it now");
    news.set_landed_step(step);
    stage.write(process, record);
}

void sayStep(Stage& stage, std::uint32_t replica, std::uint64_t step) {
    wire::Record record;
    wire::StepBatch& steps = *record.mutable_steps();
    steps.set_replica(replica);
    steps.set_first_step(step);
    for (auto* column :
         {steps.mutable_loss(), steps.mutable_accuracy(), steps.mutable_step_us(),
          steps.mutable_data_us(), steps.mutable_forward_us(), steps.mutable_backward_us(),
          steps.mutable_all_reduce_us(), steps.mutable_update_us()})
        column->Add(5000);
    stage.write(replica, record);
}

/// A step of so many milliseconds, of which those of its backward pass are given.
void sayTimes(Stage& stage, std::uint32_t replica, std::uint64_t step, float backward,
              float whole) {
    wire::Record record;
    wire::StepBatch& steps = *record.mutable_steps();
    steps.set_replica(replica);
    steps.set_first_step(step);
    for (auto* column :
         {steps.mutable_loss(), steps.mutable_accuracy(), steps.mutable_data_us(),
          steps.mutable_forward_us(), steps.mutable_all_reduce_us(), steps.mutable_update_us()})
        column->Add(0);
    steps.add_backward_us(backward * 1000);
    steps.add_step_us(whole * 1000);
    stage.write(replica, record);
}

void endByKill(Stage& stage, std::uint32_t process) {
    wire::ProcessExit exit;
    exit.set_process_id(process);
    exit.set_signalled(true);
    exit.set_status(SIGKILL);
    exit.set_incarnation(7);
    stage.core().processExited(exit, 0, stage.at());
    stage.pass(1s);
}

void beginAnew(Stage& stage, std::uint64_t firstStep) {
    stage.core().beginGeneration(1, stage.at());
    for (std::uint32_t id = 0; id < 2; ++id) {
        wire::ToCoordinator message;
        message.set_generation(1);
        message.mutable_register_()->set_process_id(id);
        message.mutable_register_()->set_host("host");
        message.mutable_register_()->set_replicas(1);
        message.mutable_register_()->set_build("b");
        stage.say(worker(id), std::move(message), 8);
    }
    for (std::uint32_t id = 0; id < 2; ++id) {
        wire::Record record;
        if (id == 0) record.mutable_run_info()->set_first_step(firstStep);
        wire::ToCoordinator message;
        message.set_generation(1);
        if (id == 0) message.mutable_records()->add_records(record.SerializeAsString());
        if (id == 0) stage.say(worker(id), std::move(message), 8);
    }
}

}  // namespace

/// Faults on purpose: who is told, what is refused, and what is measured.
class CoreDrillsTest : public QObject {
    Q_OBJECT

private slots:
    void whatCannotBeIsRefusedInWords_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("process");
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("why");
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("nobody") << int(wire::DRILL_KIND_KILL) << 2 << 0.0
                                << "there is no process 2: the job has 2 processes";
        QTest::newRow("length of a kill") << int(wire::DRILL_KIND_KILL) << 1 << 3.0
                                          << "kill has no length: leave out the seconds";
        QTest::newRow("too long") << int(wire::DRILL_KIND_STOP) << 1 << 1e9
                                  << "it cannot last 1e+09 s: 0 to 86400 s";
        QTest::newRow("no number")
            << int(wire::DRILL_KIND_STOP) << 1 << nan << "it cannot last nan s: 0 to 86400 s";
        QTest::newRow("no chief") << int(wire::DRILL_KIND_TORN_CHECKPOINT) << 1 << 0.0
                                  << "process 0 commits the checkpoints: torn-checkpoint is for it";
        QTest::newRow("of the future") << 99 << 1 << 0.0
                                       << "this version of the run's agent does not know such a "
                                          "fault";
    }

    void whatCannotBeIsRefusedInWords() {
        QFETCH(const int, kind);
        QFETCH(const int, process);
        QFETCH(const double, seconds);
        QFETCH(const QString, why);
        Stage stage(2);
        stage.joinWorkers(2);
        stage.core().drill(orderOf(static_cast<wire::DrillKind>(kind),
                                   static_cast<std::uint32_t>(process), seconds),
                           stage.at());
        stage.pass(2s);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_REFUSED);
        QCOMPARE(QString::fromStdString(lastDrill(stage).sentence()), why);
        QCOMPARE(timesTold(stage, 0) + timesTold(stage, 1), std::size_t(0));
    }

    void nobodyIsToldBeforeAllHaveRegisteredNorOnceTheRunEnds() {
        Stage stage(2);
        stage.join(worker(0));
        stage.core().drill(orderOf(wire::DRILL_KIND_KILL, 0, 0, "early"), stage.at());
        stage.pass(100ms);
        QCOMPARE(lastDrill(stage).sentence(), std::string("its processes have not all registered "
                                                          "yet"));
        stage.join(worker(1));
        stage.core().requestStop(stage.at());
        stage.core().drill(orderOf(wire::DRILL_KIND_KILL, 0, 0, "late"), stage.at());
        stage.pass(100ms);
        QCOMPARE(lastDrill(stage).sentence(), std::string("the run is ending"));
    }

    void theProcessIsToldUntilItHasHeardAndOneDrillIsDoneAtATime() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW), stage.at());
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW), stage.at());  // asked again
        stage.pass(2500ms);
        QCOMPARE(timesTold(stage, 1), std::size_t(3));
        QCOMPARE(timesTold(stage, 0), std::size_t(0));
        sayOfDrill(stage, 0, wire::DRILL_PHASE_INFLICTED, 3);  // not its drill
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_ORDERED);
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 3);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_LANDED);
        stage.pass(3s);
        QCOMPARE(timesTold(stage, 1), std::size_t(3));
        stage.core().drill(orderOf(wire::DRILL_KIND_KILL, 0, 0, "other"), stage.at());
        stage.pass(100ms);
        QCOMPARE(lastDrill(stage).sentence(),
                 std::string("a drill (slow of process 1) is still under way"));
    }

    void aFaultThatIsNotSeenToLandCountsForNothing() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.core().drill(orderOf(wire::DRILL_KIND_KILL), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 5);
        for (int second = 0; second < 40; ++second) {
            stage.beat(0, wire::PHASE_DATA, 0.1, 5);
            stage.beat(1, wire::PHASE_DATA, 0.1, 5);
            stage.pass(1s);
        }
        const wire::Drill drill = lastDrill(stage);
        QCOMPARE(drill.phase(), wire::DRILL_PHASE_OVER);
        QCOMPARE(drill.landed_wall_time(), 0.0);
        QVERIFY(drill.sentence().find("counts for nothing") != std::string::npos);
    }

    void anOrderThatNobodyHeardIsNotForTheNextLife() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.core().drill(orderOf(wire::DRILL_KIND_BIT_FLIP), stage.at());
        endByKill(stage, 1);
        const std::size_t told = timesTold(stage, 1);
        beginAnew(stage, 100);
        stage.pass(3s);
        QCOMPARE(timesTold(stage, 1), told);
        const wire::Drill drill = lastDrill(stage);
        QCOMPARE(drill.phase(), wire::DRILL_PHASE_OVER);
        QCOMPARE(drill.landed_wall_time(), 0.0);
        QVERIFY2(drill.sentence().ends_with("it counts for nothing"), drill.sentence().c_str());
    }

    /// Step 51 is the one whose loss is not a number.
    void aStepThatIsLeftOutIsNotTheRecovery() {
        Stage stage(2);
        stage.joinWorkers(2);
        sayStep(stage, 1, 50);
        stage.core().drill(orderOf(wire::DRILL_KIND_NAN), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 50);
        sayStep(stage, 1, 51);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_LANDED);
        sayStep(stage, 1, 52);
        const wire::Drill over = lastDrill(stage);
        QCOMPARE(over.phase(), wire::DRILL_PHASE_RECOVERED);
        QCOMPARE(over.recovered_step(), 52U);
        QCOMPARE(over.steps_lost(), 1U);
    }

    void aKilledProcessIsSeenNamedAndTrainedBeyond() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.core().drill(orderOf(wire::DRILL_KIND_KILL), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 120);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_ORDERED);  // its word alone
        sayStep(stage, 1, 123);                                         // was under way
        endByKill(stage, 1);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QVERIFY2(stage.outcomes[0].failure.cause().ends_with("signal 9 (SIGKILL) (in a drill)"),
                 stage.outcomes[0].failure.cause().c_str());
        QCOMPARE(stage.outcomes[0].drills.size(), std::size_t(1));
        const wire::Drill named = stage.outcomes[0].drills[0];
        QCOMPARE(named.phase(), wire::DRILL_PHASE_DETECTED);
        QCOMPARE(named.landed_step(), 123U);
        QVERIFY(named.named_process() && named.named_kind());

        beginAnew(stage, 100);
        const auto stepsOf = [&](std::uint64_t step) {
            wire::Record record;
            wire::StepBatch& steps = *record.mutable_steps();
            steps.set_replica(1);
            steps.set_first_step(step);
            for (auto* column :
                 {steps.mutable_loss(), steps.mutable_accuracy(), steps.mutable_step_us(),
                  steps.mutable_data_us(), steps.mutable_forward_us(), steps.mutable_backward_us(),
                  steps.mutable_all_reduce_us(), steps.mutable_update_us()})
                column->Add(1);
            wire::ToCoordinator message;
            message.set_generation(1);
            message.mutable_records()->add_records(record.SerializeAsString());
            stage.say(worker(1), std::move(message), 8);
        };
        stepsOf(123);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_DETECTED);
        stepsOf(124);
        const wire::Drill over = lastDrill(stage);
        QCOMPARE(over.phase(), wire::DRILL_PHASE_RECOVERED);
        QCOMPARE(over.recovered_step(), 124U);
        QCOMPARE(over.steps_lost(), 23U);
    }

    void aStoppedProcessIsSeenByItsSilenceOrByItsOwnWordOnceItGoesOn() {
        for (const bool goesOn : {false, true}) {
            Stage stage(2);
            stage.joinWorkers(2);
            stage.core().drill(orderOf(wire::DRILL_KIND_STOP, 1, goesOn ? 1 : 0), stage.at());
            sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 9);
            stage.pass(1s);
            QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_ORDERED);
            if (goesOn) {
                sayOfDrill(stage, 1, wire::DRILL_PHASE_LANDED, 9);
                QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_LANDED);
                sayStep(stage, 1, 10);
                QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_RECOVERED);
                continue;
            }
            const auto passWithTheOther = [&stage](Nanos duration) {
                stage.beat(0, wire::PHASE_ALL_REDUCE, 1, 9);
                stage.pass(duration);
            };
            passWithTheOther(1500ms);
            QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_LANDED);
            passWithTheOther(1s);
            passWithTheOther(1s);
            QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_DETECTED);
            QVERIFY(lastDrill(stage).named_process() && lastDrill(stage).named_kind());
        }
    }

    void aSlowProcessIsNamedWithItsPriceAndKeepsUpAgain() {
        Stage stage(2);
        stage.joinWorkers(2);
        std::uint64_t step = 0;
        const auto train = [&](int seconds, float milliseconds) {
            for (int i = 0; i < 10 * seconds; ++i) {
                ++step;
                for (const std::uint32_t process : {0U, 1U})
                    stage.beat(process, wire::PHASE_BACKWARD, 0.01, step);
                sayTimes(stage, 0, step, 90, 100);
                sayTimes(stage, 1, step, milliseconds, 100);
                stage.pass(100ms);
            }
        };
        train(15, 90);
        QCOMPARE(stage.lastVerdict(), std::string("none"));
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW, 1, 40), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, step);
        train(19, 95);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_LANDED);  // 5 % are no trouble
        train(14, 120);
        QVERIFY2(stage.lastVerdict().starts_with("process 1 (hostB) costs the others 30 %: its "
                                                 "backward pass takes 120 ms, the others' 90 ms"),
                 stage.lastVerdict().c_str());
        const auto verdict = std::ranges::find_if(
            stage.records, [](const wire::Record& record) { return record.has_verdict(); });
        QCOMPARE(verdict->verdict().processes_size(), 1);
        QCOMPARE(verdict->verdict().severity(), kSeveritySlow);
        train(14, 90);
        QCOMPARE(stage.lastVerdict(), std::string());
        const wire::Drill drill = lastDrill(stage);
        QVERIFY2(drill.named_process() && drill.named_kind(), drill.detected_sentence().c_str());
        std::vector<std::string> said;
        for (const wire::Record& record : stage.records)
            if (record.has_log()) said.push_back(record.log().text());
        QCOMPARE(said.size(), std::size_t(2));
        QVERIFY(said[0].starts_with("process 1 (hostB) costs the others 30 %"));
        QVERIFY(said[1].starts_with("process 1 (hostB) keeps up again at step "));
        endByKill(stage, 0);
        QCOMPARE(stage.outcomes[0].stragglers.size(), std::size_t(1));
    }

    void whoIsNamedWronglyIsSaidToBe() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.core().drill(orderOf(wire::DRILL_KIND_NAN), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 9);
        endByKill(stage, 0);
        const wire::Drill drill = lastDrill(stage);
        QCOMPARE(drill.phase(), wire::DRILL_PHASE_DETECTED);
        QVERIFY(!drill.named_process());
        QVERIFY(!drill.named_kind());
        QVERIFY2(stage.outcomes[0].failure.cause().find("drill") == std::string::npos,
                 "another process's end is not the drill's");
    }

    void aVerdictThatStoodBeforeIsNotWhatFoundTheFault() {
        JobRules rules = Stage::rules(2, 0);
        rules.heartbeatTimeout = 60s;
        Stage stage(rules);
        stage.joinWorkers(2);
        const auto onlyOneBeats = [&stage](int seconds) {
            for (int second = 0; second < seconds; ++second) {
                stage.beat(1, wire::PHASE_FORWARD, 0.1, 5);
                stage.pass(1s);
            }
        };
        stage.beat(0, wire::PHASE_FORWARD, 0.1, 5);
        onlyOneBeats(4);
        const std::string before = stage.lastVerdict();
        QVERIFY2(before.find("process 0") != std::string::npos, before.c_str());
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW, 1, 30), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 5);
        onlyOneBeats(15);
        QVERIFY(stage.lastVerdict() != before);  // told again, and older
        QVERIFY2(lastDrill(stage).phase() == wire::DRILL_PHASE_LANDED,
                 lastDrill(stage).sentence().c_str());
    }

    void aProcessMayRefuseAndTheRunsEndEndsADrill() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.core().drill(orderOf(wire::DRILL_KIND_CUT), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_REFUSED, 0);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_REFUSED);
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW, 1, 0, "e"), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 4, "e");
        wire::RunEnd end;
        end.set_status("completed");
        stage.core().endRun(end, stage.at());
        stage.pass(100ms);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_OVER);
        QCOMPARE(lastDrill(stage).sentence(), std::string("the run ended first (completed)"));
    }

    void whatTheRunSaysOfAKilledProcessNamesTheKind() {
        wire::ProcessExit exit;
        exit.set_signalled(true);
        exit.set_status(SIGKILL);
        QVERIFY(namesKind(wire::DRILL_KIND_KILL, describeExit(exit).sentence));
        exit.set_status(SIGSEGV);
        QVERIFY(!namesKind(wire::DRILL_KIND_KILL, describeExit(exit).sentence));
        for (int kind = wire::DRILL_KIND_KILL; kind <= wire::DRILL_KIND_DISK_FULL; ++kind) {
            const auto word = wordOf(static_cast<wire::DrillKind>(kind));
            QVERIFY(!word.empty());
            QCOMPARE(*drillKindOf(word), static_cast<wire::DrillKind>(kind));
        }
    }
};

QTEST_APPLESS_MAIN(CoreDrillsTest)
#include "tst_core_drills.moc"
