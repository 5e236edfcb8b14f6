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
    void whoeverWaitsForTheEvaluatorLearnsThatItIsGone() {
        Stage stage(1, true);
        stage.joinWorkers(1);
        const auto gone = [&stage] {
            wire::ToCoordinator question;
            question.mutable_get()->set_request(9);
            question.mutable_get()->set_key(std::string(kEvaluatorGoneKey));
            stage.say(worker(0), std::move(question));
            return stage.sent.back().second.value().value();
        };
        stage.join({wire::ROLE_EVALUATOR, 0});
        QCOMPARE(gone(), std::string("0"));
        wire::ProcessExit exit;
        exit.set_role(wire::ROLE_EVALUATOR);
        exit.set_signalled(true);
        exit.set_status(SIGKILL);
        stage.core().processExited(exit, 0, stage.at());
        QCOMPARE(gone(), std::string("1"));
        QVERIFY(stage.outcomes.empty());
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
