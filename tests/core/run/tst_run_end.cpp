// SPDX-License-Identifier: Apache-2.0
// How a run ends: status, exit status, and the one sentence.
#include <QtTest>

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/run/run_end.h"
#include "core/text/json.h"

using namespace lockstep;
using namespace lockstep::run;
using coordination::Outcome;
using coordination::OutcomeKind;

namespace {

const std::string kLong(300, 'x');

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
    void anEndWhoseSummaryIsTooLongIsShortenedAndSaysSo() {
        text::Json summary = text::Json::object({{"status", "completed"}, {"steps", 1000}});
        for (int i = 0; i < 1200; ++i)
            summary["drills"].push(text::Json::object({{"kind", "kill"}, {"outcome", kLong}}));
        for (int i = 0; i < 2; ++i)
            summary["devices"].push(text::Json::object({{"id", "gpu:0"}}));
        wire::RunEnd end = runEndOf(failed());
        end.set_summary_json(summary.text(2));
        QVERIFY(end.ByteSizeLong() > kMostEndBytes);
        const wire::RunEnd sent = fitted(end);
        QVERIFY(sent.ByteSizeLong() <= kMostEndBytes);
        QCOMPARE(sent.status(), end.status());
        QCOMPARE(sent.error(), end.error());
        QCOMPARE(sent.remedy(), end.remedy());
        QCOMPARE(sent.exit_status(), end.exit_status());
        const text::Json kept = text::parseJson(sent.summary_json()).value();
        QCOMPARE(kept.get<std::string>("status").value(), std::string("completed"));
        QCOMPARE(kept.get<int>("steps").value(), 1000);
        QVERIFY(kept.find("drills")->isNull());
        QCOMPARE(kept.find("devices")->items().size(), std::size_t{2});
        QVERIFY2(kept.get<std::string>("left_out")->starts_with("drills: too long for the journal"),
                 sent.summary_json().c_str());
        for (const int i : {0, 1})  // and of two that are too long both
            for (int more = 0; more < 1200; ++more)
                summary[i == 0 ? "devices" : "failures"].push(text::Json(kLong));
        end.set_summary_json(summary.text(2));
        const auto none = text::parseJson(fitted(end, 1024).summary_json()).value();
        for (const char* list : {"drills", "devices", "failures"})
            QVERIFY(none.find(list)->isNull());
    }
    void anEndThatFitsIsLeftAsItIs() {
        wire::RunEnd end = runEndOf({});
        end.set_summary_json(R"({"status": "completed", "drills": []})");
        QCOMPARE(fitted(end).SerializeAsString(), end.SerializeAsString());
    }
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
