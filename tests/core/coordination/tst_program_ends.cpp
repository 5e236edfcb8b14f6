// SPDX-License-Identifier: Apache-2.0
// Of the processes of a launch.command the first that has failed is the cause, whoever is told of
// first.
#include <QtTest>
#include <csignal>
#include <optional>

#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::testsupport;

namespace {

class Programs {
public:
    explicit Programs(Nanos followUpGrace = 500ms) : stage(rulesWith(followUpGrace)) {
        stage.joinWorkers(3);
    }

    /// By its supervisor, as it happens.
    void foretell(std::uint32_t id, int status, bool signalled = false) {
        wire::ToCoordinator message;
        message.mutable_program_end()->set_status(status);
        message.mutable_program_end()->set_signalled(signalled);
        stage.say(worker(id), std::move(message));
    }
    /// By its agent, once the supervisor has ended, too.
    void end(std::uint32_t id, int status, const std::string& lastWords = {},
             bool signalled = false) {
        wire::ProcessExit exit;
        exit.set_role(wire::ROLE_WORKER);
        exit.set_process_id(id);
        exit.set_own_program(true);
        exit.set_status(status);
        exit.set_signalled(signalled);
        exit.set_last_error(lastWords);
        stage.core().processExited(exit, 0, stage.at());
        stage.pass(Nanos{});
    }
    void leave(std::uint32_t id) {
        wire::ToCoordinator message;
        message.mutable_leave();
        stage.say(worker(id), std::move(message));
    }
    void pass(Nanos duration, std::optional<std::uint32_t> silent = std::nullopt) {
        for (const Nanos end = stage.at().now + duration; stage.at().now < end;) {
            for (std::uint32_t id = 0; id < 3; ++id)
                if (id != silent) stage.beat(id, wire::PHASE_FORWARD, 0, 1);
            stage.pass(100ms);
        }
    }
    [[nodiscard]] std::string cause() const {
        if (stage.outcomes.empty()) return "none";
        const wire::Failure& failure = stage.outcomes.back().failure;
        return std::to_string(failure.process_id()) + ": " + failure.cause();
    }

    Stage stage;

private:
    static JobRules rulesWith(Nanos followUpGrace) {
        JobRules rules = Stage::rules(3, 0);
        rules.followUpGrace = followUpGrace;
        rules.runsOwnProgram = true;
        return rules;
    }
};

}  // namespace

class ProgramEndsTest : public QObject {
    Q_OBJECT
private slots:
    void whoFailedFirstIsTheCauseThoughItsAgentTellsLast() {
        Programs programs;
        programs.foretell(1, 1);
        programs.foretell(0, 1);
        programs.end(0, 1, "RuntimeError: the ring is broken");
        programs.pass(2s);
        QCOMPARE(programs.cause(), std::string("none"));
        programs.end(1, 1, "ValueError: no such luck");
        programs.pass(200ms);
        QCOMPARE(programs.cause(),
                 std::string("1: exited with status 1: ValueError: no such luck"));
    }
    void whoSaysThatAPeerIsGoneIsNotTheCause() {
        Programs programs;
        programs.foretell(0, 1);
        programs.end(0, 1, "RuntimeError: Connection closed by peer [10.0.0.2]:4242");
        programs.foretell(1, 1);  // which closed its connections before it ended
        programs.end(1, 1, "ValueError: no such luck");
        programs.pass(1s);
        QCOMPARE(programs.cause(),
                 std::string("1: exited with status 1: ValueError: no such luck"));
    }
    void whoAbortsBehindAnothersEndIsNotTheCause() {
        Programs programs;
        programs.foretell(1, 1);
        programs.foretell(2, SIGABRT, true);
        programs.end(2, SIGABRT, "terminate called", true);
        programs.end(1, 1, "ValueError: no such luck");
        programs.pass(1s);
        QCOMPARE(programs.cause(),
                 std::string("1: exited with status 1: ValueError: no such luck"));
    }
    void whoIsAloneInTellingOfALostPeerIsTheCause() {
        Programs programs;
        programs.end(0, 1, "ConnectionResetError: Connection reset by peer");
        programs.pass(2s);
        QVERIFY(programs.cause().starts_with("0: exited with status 1: ConnectionResetError"));
    }
    void lastWordsThatDoNotComeAreNotWaitedForForEver() {
        Programs programs;
        programs.foretell(1, 3);
        programs.pass(7s);
        QCOMPARE(programs.cause(), std::string("none"));
        programs.pass(2s);
        QCOMPARE(programs.cause(), std::string("1: exited with status 3"));
    }
    void whoDiedWithItsHostIsTheCauseThoughTheLastWordsOfTheOthersComeLate() {
        Programs programs(3500ms);
        programs.foretell(0, 1);
        programs.foretell(2, 1);
        programs.pass(4s, 1);
        for (const std::uint32_t id : {0U, 2U})
            programs.end(id, 1, "RuntimeError: Connection closed by peer [10.0.0.2]:4242");
        QCOMPARE(programs.cause(), std::string("none"));
        programs.pass(1s, 1);
        QVERIFY2(programs.cause().starts_with("1: is lost: "), programs.cause().c_str());
    }
    void whoLeavesInOrderAfterAllIsNoCause() {
        Programs programs;
        programs.foretell(1, 1);
        programs.leave(1);
        programs.pass(10s);
        QCOMPARE(programs.cause(), std::string("none"));
    }
    void aProgramThatIsToldToEndIsPromisedNoCheckpoint() {
        Programs programs;
        wire::ToCoordinator stop;
        stop.mutable_stop();
        programs.stage.say(worker(1), stop);
        const auto& records = programs.stage.records;
        QCOMPARE(records.back().run_state().state(), wire::RUN_STATE_STOPPING);
        QCOMPARE(
            records[records.size() - 2].notice().sentence(),
            std::string("process 1 (hostB) was told to end (SIGTERM): the job stops in order"));
    }
    void whoHasLeftOnRequestEndsWithoutAWord() {
        Programs programs;
        wire::ToCoordinator stop;
        stop.mutable_stop();
        programs.stage.say(worker(1), stop);
        programs.leave(1);
        programs.end(1, 3, "SAVED");
        for (const wire::Record& record : programs.stage.records)
            QVERIFY2(!record.has_log(), record.log().text().c_str());
    }
    void whoEndsByTheSignalThatItsSupervisorHearsOfAfterwardsIsNoCause() {
        Programs programs;
        programs.foretell(1, SIGTERM, true);
        wire::ToCoordinator stop;
        stop.mutable_stop();
        programs.stage.say(worker(1), stop);
        programs.leave(1);
        programs.end(1, 3);
        programs.pass(10s);
        QCOMPARE(programs.cause(), std::string("none"));
    }
    void aKillIsTheCauseWithWhatItsAgentKnows() {
        Programs programs;
        programs.foretell(1, SIGKILL, true);
        programs.end(0, 1, "RuntimeError: the ring is broken");
        programs.end(1, SIGKILL, "", true);
        programs.pass(200ms);
        QCOMPARE(programs.cause(), std::string("1: was killed by signal 9 (SIGKILL)"));
        QVERIFY(programs.stage.outcomes.back().failure.from_outside());
    }
};

QTEST_GUILESS_MAIN(ProgramEndsTest)
#include "tst_program_ends.moc"
