// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <csignal>
#include <limits>

#include "core/coordination/health/exit_cause.h"
#include "core/coordination/state/drill_refusals.h"
#include "core/coordination/state/drill_words.h"
#include "tests/core/coordination/drill_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using namespace lockstep::testsupport;

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

    void onlyDrillsThatWereDoneTakeRoomAndOneTooManyIsRefusedInWords() {
        Stage stage(2);
        stage.joinWorkers(2);
        for (std::size_t i = 0; i < 2 * refusals::kMostDrills; ++i) {
            const std::string id = "refused-" + std::to_string(i);
            for (int again = 0; again < 2; ++again)
                stage.core().drill(orderOf(wire::DRILL_KIND_KILL, 7, 0, id), stage.at());
        }
        for (std::size_t i = 0; i < refusals::kMostDrills; ++i) {
            const std::string id = "done-" + std::to_string(i);
            const std::uint64_t step = 10 * (i + 1);
            sayStep(stage, 1, step);
            stage.core().drill(orderOf(wire::DRILL_KIND_NAN, 1, 0, id), stage.at());
            sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, step, id);
            sayStep(stage, 1, step + 2);
        }
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_RECOVERED);
        stage.core().drill(orderOf(wire::DRILL_KIND_NAN, 1, 0, "one more"), stage.at());
        stage.core().drill(orderOf(wire::DRILL_KIND_NAN, 1, 0, "done-0"), stage.at());
        stage.pass(100ms);
        QCOMPARE(lastDrill(stage).id(), std::string("one more"));
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_REFUSED);
        QCOMPARE(lastDrill(stage).sentence(),
                 std::string("this start of the run has had 1000 drills, and no more are measured: "
                             "resume it first"));
        const auto refused = std::ranges::count(drillsIn(stage), wire::DRILL_PHASE_REFUSED,
                                                [](const auto& drill) { return drill.phase(); });
        QCOMPARE(std::size_t(refused), 2 * refusals::kMostDrills + 1);
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
        endByKill(stage, 1, true);
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
