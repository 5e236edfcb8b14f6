// SPDX-License-Identifier: Apache-2.0
// Who hosts the coordinator in its own process ends once all others know why the job is over.
#include <QtTest>
#include <algorithm>
#include <csignal>

#include "tests/core/coordination/core_stage.h"
#include "tests/core/coordination/meeting.h"

using namespace lockstep;
using namespace lockstep::testsupport;
using lockstep::tests::kPatience;
using lockstep::tests::Meeting;
using lockstep::tests::Told;

namespace {

constexpr std::size_t kNobody = 0;

void confirm(Stage& stage, const ProcessKey& key) {
    wire::ToCoordinator message;
    message.set_knows_end(true);
    message.mutable_records();
    stage.say(key, std::move(message));
}

std::ptrdiff_t timesTold(const Stage& stage, const ProcessKey& key) {
    return std::ranges::count_if(stage.sent, [&](const auto& message) {
        return message.first == userIdOf(key) && message.second.has_abort();
    });
}

/// All workers are there, and the job is over.
class EndedStage : public Stage {
public:
    explicit EndedStage(std::uint32_t workers) : Stage(workers) {
        joinWorkers(workers);
        core().requestKill(at());
    }
};

wire::ProcessExit killed(std::uint32_t id) {
    wire::ProcessExit exit;
    exit.set_process_id(id);
    exit.set_signalled(true);
    exit.set_status(SIGKILL);
    return exit;
}

}  // namespace

class ToldEndsTest : public QObject {
    Q_OBJECT
private slots:
    void whoIsToldOfAnEndIsAwaitedUntilItSaysThatItKnows() {
        Stage stage(3);
        stage.joinWorkers(3);
        QCOMPARE(stage.core().untold(), kNobody);

        stage.core().requestKill(stage.at());

        QCOMPARE(stage.core().untold(), std::size_t(3));
        confirm(stage, worker(0));
        confirm(stage, worker(2));
        QCOMPARE(stage.core().untold(), std::size_t(1));
        confirm(stage, worker(1));
        QCOMPARE(stage.core().untold(), kNobody);
    }

    void whoHasDiedIsNotAwaited() {
        Stage stage(3);
        stage.joinWorkers(3);
        stage.core().processExited(killed(1), 0, stage.at());
        for (int turns = 0; turns < 100 && stage.outcomes.empty(); ++turns)
            stage.pass(100ms);
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.core().untold(), std::size_t(2));
        QCOMPARE(timesTold(stage, worker(1)), std::ptrdiff_t(0));
    }

    void anAgentIsToldAndNotAwaited() {
        Stage stage(1);
        const ProcessKey agent{wire::ROLE_AGENT, 1};
        stage.join(agent);
        stage.joinWorkers(1);
        stage.core().requestKill(stage.at());
        QCOMPARE(stage.core().untold(), std::size_t(1));
        stage.pass(1s);
        QCOMPARE(timesTold(stage, agent), std::ptrdiff_t(1));
    }

    void whoDoesNotSayThatItKnowsIsToldAgainForThreeSeconds() {
        EndedStage stage(2);
        confirm(stage, worker(0));
        stage.pass(2900ms);
        QCOMPARE(stage.core().untold(), std::size_t(1));
        QCOMPARE(timesTold(stage, worker(0)), std::ptrdiff_t(1));
        QCOMPARE(timesTold(stage, worker(1)), std::ptrdiff_t(30));

        stage.pass(2s);

        QCOMPARE(stage.core().untold(), kNobody);
        QCOMPARE(timesTold(stage, worker(1)), std::ptrdiff_t(30));
    }

    void aConnectionThatIsGoneIsAwaitedAgainOnceItIsBack() {
        EndedStage stage(2);
        stage.core().connectionGone(userIdOf(worker(1)));
        QCOMPARE(stage.core().untold(), std::size_t(1));
        stage.pass(1s);
        const auto before = timesTold(stage, worker(1));

        stage.beat(1, wire::PHASE_DONE, 0, 1);
        QCOMPARE(stage.core().untold(), std::size_t(2));
        stage.pass(100ms);
        QCOMPARE(timesTold(stage, worker(1)), before + 1);
    }

    void anEndInOrderIsToldToNobody() {
        Stage stage(2);
        stage.joinWorkers(2);
        for (const std::uint32_t id : {0U, 1U}) {
            wire::ToCoordinator message;
            message.mutable_leave()->set_status("completed");
            stage.say(worker(id), std::move(message));
        }
        QCOMPARE(stage.outcomes.size(), std::size_t(1));
        QCOMPARE(stage.core().untold(), kNobody);
    }

    void theNextGenerationIsNotToldOfTheFormerOnesEnd() {
        EndedStage stage(2);
        stage.pass(100ms);
        const auto before = timesTold(stage, worker(0));
        stage.core().beginGeneration(1, stage.at());
        QCOMPARE(stage.core().untold(), kNobody);
        stage.joinWorkers(2);
        stage.pass(1s);
        QCOMPARE(timesTold(stage, worker(0)), before);
    }

    void theWaitIsOverAsSoonAsAllClientsKnow() {
        Meeting meeting(3);
        std::vector<Told> told(3);
        const auto clients = meeting.joined(3, told);
        QCOMPARE(clients.size(), std::size_t(3));
        QVERIFY(meeting.coordinator().awaitTold(Nanos{}));  // nothing was told
        QElapsedTimer since;
        since.start();
        meeting.coordinator().reportProcessExit(killed(1), 0);
        QVERIFY(meeting.coordinator().waitOutcome(kPatience));

        QVERIFY(meeting.coordinator().awaitTold(kPatience));

        QVERIFY2(since.elapsed() < 3000, "nobody was waited for in vain");
        for (const std::size_t survivor : {std::size_t(0), std::size_t(2)}) {
            const auto late = clients[survivor]->get("x", kPatience);
            QCOMPARE(int(late.error().code), int(ErrorCode::PeerLost));
            QVERIFY(late.error().message.find("SIGKILL") != std::string::npos);
        }
    }

    void whoEndsWithoutAWordIsWaitedForNoLonger() {
        Meeting meeting(2);
        std::vector<Told> told(2);
        auto clients = meeting.joined(2, told);
        QCOMPARE(clients.size(), std::size_t(2));
        clients[1].reset();
        QElapsedTimer since;
        since.start();
        meeting.coordinator().requestKill(StopAsker::User);
        QVERIFY(meeting.coordinator().waitOutcome(kPatience));
        QVERIFY(meeting.coordinator().awaitTold(kPatience));
        QVERIFY2(since.elapsed() < 3000, qPrintable(QString::number(since.elapsed())));
    }
};

QTEST_GUILESS_MAIN(ToldEndsTest)
#include "tst_told_ends.moc"
