// SPDX-License-Identifier: Apache-2.0
// How a run ends: status, exit status, and the one sentence.
#include <QtTest>

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/run/run_end.h"

using namespace lockstep;
using namespace lockstep::run;
using coordination::Outcome;
using coordination::OutcomeKind;

namespace {

Outcome failed(OutcomeKind kind = OutcomeKind::Failed) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.failure.set_process_id(2);
    outcome.failure.set_host("host-c");
    outcome.failure.set_cause("was killed by signal 9 (SIGKILL)");
    outcome.remedy = "See dmesg.";
    return outcome;
}

}  // namespace

class RunEndTest : public QObject {
    Q_OBJECT
private slots:
    void aRunThatIsCompleteOrStoppedHasNoSentence() {
        const wire::RunEnd done = runEndOf({});
        QCOMPARE(done.status(), std::string("completed"));
        QCOMPARE(done.exit_status(), std::uint32_t{kExitDone});
        QCOMPARE(done.error(), std::string());
        Outcome stopped;
        stopped.kind = OutcomeKind::Stopped;
        const wire::RunEnd end = runEndOf(stopped);
        QCOMPARE(end.status(), std::string("stopped"));
        QCOMPARE(end.exit_status(), std::uint32_t{kExitStopped});
        QCOMPARE(end.error(), std::string());
        QVERIFY(!hasFailed({}) && !hasFailed(stopped));
    }
    void aFailureNamesTheProcessAndItsHost() {
        const wire::RunEnd end = runEndOf(failed());
        QCOMPARE(end.status(), std::string("failed"));
        QCOMPARE(end.exit_status(), std::uint32_t{kExitFailed});
        QCOMPARE(end.error(), std::string("process 2 (host-c): was killed by signal 9 (SIGKILL)"));
        QCOMPARE(end.remedy(), std::string("See dmesg."));
        QVERIFY(hasFailed(failed()));
    }
    void anAgentIsNamedByItsHost() {
        Outcome outcome = failed();
        outcome.failure.set_role(wire::ROLE_AGENT);
        QCOMPARE(runEndOf(outcome).error(),
                 std::string("agent (host-c): was killed by signal 9 (SIGKILL)"));
    }
    void aHostThatNobodyHasSeenIsNotSaid() {
        Outcome outcome = failed();
        outcome.failure.clear_host();
        QCOMPARE(runEndOf(outcome).error(),
                 std::string("process 2: was killed by signal 9 (SIGKILL)"));
    }
    void badInputNamesAHostThatIsNotThisOne() {
        Outcome refused = failed(OutcomeKind::BadInput);
        QCOMPARE(runEndOf(refused).error(),
                 std::string("process 2 (host-c): was killed by signal 9 (SIGKILL)"));
        refused.failure.set_host(hostName());
        const wire::RunEnd end = runEndOf(refused);
        QCOMPARE(end.status(), std::string("failed"));
        QCOMPARE(end.exit_status(), std::uint32_t{kExitBadInput});
        QCOMPARE(end.error(), std::string("was killed by signal 9 (SIGKILL)"));
        QVERIFY(hasFailed(failed(OutcomeKind::BadInput)));
    }
    void aCoordinatorThatBreaksIsThisHostsFailure() {
        const wire::RunEnd end =
            runEndOf(brokenOutcome({ErrorCode::Io, "the journal cannot be written", "Make room."}));
        QCOMPARE(end.exit_status(), std::uint32_t{kExitFailed});
        QCOMPARE(end.error(), "agent (" + hostName() + "): the journal cannot be written");
        QCOMPARE(end.remedy(), std::string("Make room."));
    }
};

QTEST_GUILESS_MAIN(RunEndTest)
#include "tst_run_end.moc"
