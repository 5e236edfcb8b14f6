// SPDX-License-Identifier: Apache-2.0
// A tied launch over ssh that loses a host: another start on all of them, or the reason why not.
#include <QtTest>
#include <atomic>

#include "core/base/exit_status.h"
#include "core/job/source/remote_record.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/core/job/records.h"
#include "tests/core/job/restarting_run.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

std::string journalOf(const std::vector<wire::Record>& records) {
    std::string frames;
    for (const wire::Record& record : records)
        telemetry::appendFrame(wire::encode(record).value(), frames);
    return frames;
}

/// What lies on process 0's host once its agent has ended, and where the records of the start that
/// is reached there begin.
void serve(RestartingRun& place, const std::string& journal, std::uint64_t start) {
    place.hosts.on(wire::ToHost::kReadRunFile, [journal](const wire::ToHost& message) {
        wire::FromHost answer;
        const auto offset = message.read_run_file().offset();
        answer.mutable_run_file();
        if (offset < journal.size()) answer.mutable_run_file()->set_bytes(journal.substr(offset));
        return answer;
    });
    const std::string key = wire::newKeyPair().value().publicKey;
    place.hosts.on(wire::ToHost::kAttach, [key, start](const wire::ToHost&) {
        wire::FromHost answer;
        answer.mutable_attached()->set_monitor_endpoint("ipc:///nobody");
        answer.mutable_attached()->set_server_public(key);
        answer.mutable_attached()->set_journal_start(start);
        return answer;
    });
}

wire::FromHost stopped(bool goesOn = false) {
    wire::FromHost news;
    news.mutable_agent_stopped()->set_pid(17);
    news.mutable_agent_stopped()->set_going_on(goesOn);
    return news;
}
wire::FromHost endedInOrder() {
    wire::FromHost news;
    news.mutable_agent_ended()->set_status(1);
    return news;
}
/// By its host's service, which has seen it stopped for so long.
wire::FromHost killedAfter(double seconds) {
    wire::FromHost news;
    news.mutable_agent_ended()->set_signalled(true);
    news.mutable_agent_ended()->set_status(SIGKILL);
    news.mutable_agent_ended()->set_stopped_seconds(seconds);
    return news;
}
bool says(RemoteSource& source, const std::string& sentence) {
    return pull(source, [&] { return source.status().link.sentence == sentence; });
}

constexpr const char* kStopped =
    "host0: the run's agent (pid 17) is stopped, by SIGSTOP or a debugger. Let it go on with "
    "`kill -CONT 17`, or end the run with `lockstepctl stop --kill`.";
constexpr const char* kKilledAfter =
    "process 0 (host0): its agent was stopped, by SIGSTOP or a debugger, and killed after 10 s";

}  // namespace

class RemoteRestartTest : public QObject {
    Q_OBJECT

private slots:
    void theAgentOfAnotherHostIsKilledAndAllBeginAgain() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host1");
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.hosts.closed(), 2);
        const auto starts = place.starts();
        QCOMPARE(starts.size(), std::size_t{2});
        const wire::AgentConfig& again = starts[1].start_agent();
        QVERIFY(again.resume());
        QVERIFY(again.seconds_before() > 0);
        QVERIFY(again.run_id() != starts[0].start_agent().run_id());
        QCOMPARE(again.run_dir(), starts[0].start_agent().run_dir());
        QCOMPARE(again.failures_before_size(), 1);
        const wire::Failure& lost = again.failures_before(0);
        QCOMPARE(lost.cause(),
                 std::string("process 1 (host1): its agent was killed by signal 9 (SIGKILL)"));
        QCOMPARE(lost.host(), std::string("host1"));
        QCOMPARE(lost.process_id(), 1U);
        QCOMPARE(source->takeWarning(),
                 lost.cause() + ": the run begins again on all hosts, restart 1 of 2");
        QVERIFY(pull(*source, [&] {
            const auto record = readRemoteRecord(place.folder);
            return record && record->place.runId == again.run_id();
        }));
    }
    void whoEndsARunByForceOnItsHostIsNotTakenForALoss() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.endByForce("host0");
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{1});
        QCOMPARE(words(source->status().ending),
                 std::string("the run was ended by force on host0"));
        QCOMPARE(source->status().ending->exitStatus, kExitStopped);
    }
    void aStoppedAgentIsNamedUntilItGoesOn() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.tell("host0", stopped());
        QVERIFY(says(*source, kStopped));
        QVERIFY(!source->status().link.connected);
        QCOMPARE(source->status().link.agentsWords, std::string(kStopped));
        place.hosts.tell("host0", stopped(true));
        QVERIFY(says(*source, "connecting to the run"));
        QCOMPARE(source->status().link.agentsWords, std::string());
        QCOMPARE(place.starts().size(), std::size_t{1});
    }
    void whoComesBackToAStoppedAgentHearsItUntilItGoesOn() {
        RestartingRun place;
        place.hosts.on(wire::ToHost::kAttach, [](const wire::ToHost&) {
            return ScriptedHosts::refusal(ErrorCode::Unavailable, "the run's agent is stopped");
        });
        const launch::RemoteRun::Comeback comeback{{"host0", "abc123", "/there/run", false}, 10};
        RemoteSource source({place.paths, place.folder, comeback, place.hosts.makeLinks(), ""});
        const auto wasAsked = [&] { return !place.hosts.heard(wire::ToHost::kAttach).empty(); };
        QVERIFY(pull(source, wasAsked));
        place.hosts.tell("host0", stopped());
        QVERIFY(says(source, kStopped));
        QCOMPARE(source.status().link.agentsWords, std::string(kStopped));
        serve(place, "", 0);
        place.hosts.tell("host0", stopped(true));
        QVERIFY(says(source, "connecting to the run"));
    }
    void anAgentThatWasStoppedTooLongIsReplaced() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.tell("host0", stopped());
        QVERIFY(says(*source, kStopped));
        place.hosts.tell("host1", endedInOrder());  // its workers have waited for long enough
        place.hosts.tell("host0", killedAfter(10.2));
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.starts()[1].start_agent().failures_before(0).cause(),
                 std::string(kKilledAfter));
    }
    void withoutRestartsItsEndIsTheRunsAndIsNamed() {
        RestartingRun place;
        place.restarts = 0;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.tell("host1", endedInOrder());
        place.hosts.tell("host0", killedAfter(10.2));
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(words(source->status().ending), std::string(kKilledAfter));
        QCOMPARE(source->status().ending->exitStatus, kExitFailed);
    }
    void whoEndsARunNowHasItsHostKillAnAgentThatCannotHearIt() {
        RestartingRun place;
        place.leaseSeconds = 60;
        place.hosts.on(wire::ToHost::kKillAgent, [&](const wire::ToHost&) {
            place.hosts.endByForce("host0");
            place.hosts.tell("host1", endedInOrder());
            wire::FromHost answer;
            answer.mutable_done();
            return answer;
        });
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.tell("host0", stopped());
        QVERIFY(says(*source, kStopped));
        const Nanos asked = SteadyClock::read();
        source->kill();
        QVERIFY(pullToTheEnd(*source));
        QVERIFY(SteadyClock::read() - asked < std::chrono::seconds(10));
        const auto killed = place.hosts.heard(wire::ToHost::kKillAgent);
        QCOMPARE(killed.size(), std::size_t{1});
        QCOMPARE(killed[0].kill_agent().run_id(), place.starts()[0].start_agent().run_id());
        QCOMPARE(killed[0].kill_agent().run_dir(), place.starts()[0].start_agent().run_dir());
        QCOMPARE(words(source->status().ending),
                 std::string("the run was ended by force on host0"));
        QCOMPARE(place.starts().size(), std::size_t{1});
    }
    void aKillThatIsRefusedIsAskedForAgainEachSecond() {
        RestartingRun place;
        place.leaseSeconds = 60;
        place.hosts.on(wire::ToHost::kKillAgent, [](const wire::ToHost&) {
            return ScriptedHosts::refusal(ErrorCode::BadInput, "not yours");
        });
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.tell("host0", stopped());
        QVERIFY(says(*source, kStopped));
        source->kill();
        const Nanos later = SteadyClock::read() + std::chrono::seconds(4);
        QVERIFY(pull(*source, [&] { return SteadyClock::read() > later; }));
        const std::size_t asked = place.hosts.heard(wire::ToHost::kKillAgent).size();
        QVERIFY2(asked >= 2 && asked <= 4, std::to_string(asked).c_str());
    }
    void aLoginThatTakesLongIsNoReasonToKillWhoHasNotHeardYet() {
        RestartingRun place;
        place.tied = false;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.setReachable(false);
        place.hosts.breakLinks();
        QVERIFY(pull(*source, [&] {
            return source->status().link.sentence.find("connecting again") != std::string::npos;
        }));
        source->kill();
        const Nanos later = SteadyClock::read() + std::chrono::seconds(5);
        QVERIFY(pull(*source, [&] { return SteadyClock::read() > later; }));
        place.hosts.setReachable(true);
        QVERIFY(follows(place, *source, 2));
        const Nanos heard = SteadyClock::read() + std::chrono::seconds(2);
        QVERIFY(pull(*source, [&] { return SteadyClock::read() > heard; }));
        QCOMPARE(place.hosts.heard(wire::ToHost::kKillAgent).size(), std::size_t{0});
    }
    void whatWasSaidOfAStoppedAgentIsForgottenOnceItAnswers() {
        RestartingRun place;
        place.tied = false;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.tell("host0", stopped());
        QVERIFY(says(*source, kStopped));
        place.hosts.breakLinks();
        QVERIFY(follows(place, *source, 2));
    }
    void whatIsTiedToALostConnectionIsWaitedForForItsLease() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        const Nanos lost = SteadyClock::read();
        place.hosts.breakLinks();
        QVERIFY(follows(place, *source, 2));
        QVERIFY(SteadyClock::read() - lost >= Millis(700));  // the lease, and what ends with it
    }
    void whatNeverCameToTheDiskIsCutFromTheCopy() {
        RestartingRun place;
        const std::string kept = journalOf({runInfo(0)});
        const std::string sent = kept + journalOf({runState(1, wire::RUN_STATE_TRAINING, "")});
        const wire::KeyPair keys = wire::newKeyPair().value();
        std::atomic<bool> again{false};
        place.hosts.on(wire::ToHost::kReadRunFile, [&](const wire::ToHost& message) {
            wire::FromHost answer;
            const auto offset = message.read_run_file().offset();
            if (offset < sent.size()) answer.mutable_run_file()->set_bytes(sent.substr(offset));
            answer.mutable_run_file();
            return answer;
        });
        place.hosts.on(wire::ToHost::kAttach, [&](const wire::ToHost&) {
            wire::FromHost answer;
            answer.mutable_attached()->set_monitor_endpoint("ipc:///nobody");
            answer.mutable_attached()->set_server_public(keys.publicKey);
            if (again) answer.mutable_attached()->set_journal_start(kept.size());
            return answer;
        });
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        again = true;
        place.hosts.killAgent("host0");
        QVERIFY(follows(place, *source, 2));
        QVERIFY(pull(*source, [&] {
            return readFile(place.paths.journal(), 1 << 20).value_or("") == kept;
        }));
        QCOMPARE(place.starts()[1].start_agent().failures_before(0).cause(),
                 std::string("process 0 (host0): its agent was killed by signal 9 (SIGKILL)"));
    }
    void restartsOfAnEarlierLaunchAreNotCountedWhereTheCopyHereLags() {
        RestartingRun place;
        place.resume = true;
        place.restarts = 1;
        wire::Record failure;
        failure.mutable_failure()->set_cause("was killed");
        const std::string earlier =
            journalOf({failure, runState(1, wire::RUN_STATE_RESTARTING, ""), runInfo(0)});
        serve(place, earlier, earlier.size());
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host0");
        QVERIFY2(follows(place, *source, 2), words(source->status().ending).c_str());
    }
    void whoHasACopyIsNamedWhereNoOtherStartIsPossible() {
        RestartingRun place;
        wire::Record copied;
        copied.mutable_checkpoint_copy()->set_step(10);
        copied.mutable_checkpoint_copy()->set_host("host1");
        copied.mutable_checkpoint_copy()->set_path("/copy");
        serve(place, journalOf({runInfo(0), copied}), 0);
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host0");
        QVERIFY(pull(*source, [&] {
            return source->status().link.sentence.find("next start is due") != std::string::npos;
        }));
        place.hosts.lose("host0");
        QVERIFY(pullToTheEnd(*source));
        const std::string remedy = source->status().ending->remedy;
        QVERIFY2(remedy.find("host1 has a copy up to step 10. There, `lockstepctl run "
                             "/copy/job.toml --processes 2 --run-dir /copy --resume` goes on with "
                             "it.") != std::string::npos,
                 remedy.c_str());
    }
    void aHostThatStaysAwayIsTriedForAWhileAndBothAreSaid() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.setReachable(false);
        place.hosts.breakLinks();
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(source->status().ending->exitStatus, 1);
        const std::string error = words(source->status().ending);
        QVERIFY2(error.starts_with("process ") &&
                     error.find("the line is cut, and no other start was possible: process ") !=
                         std::string::npos &&
                     error.find("nobody is there") != std::string::npos,
                 error.c_str());
    }
    void aHostThatComesBackInTimeIsUsed() {
        RestartingRun place;
        place.patience.attempts = kPatience;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.setReachable(false);
        place.hosts.breakLinks();
        QVERIFY(pull(*source, [&] {
            return source->status().link.sentence.find("nobody is there") != std::string::npos;
        }));
        place.hosts.setReachable(true);
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.starts().back().start_agent().failures_before_size(), 1);
    }
    void aFolderThatIsNotLetGoOfYetIsAskedForAgain() {
        RestartingRun place;
        place.patience.attempts = kPatience;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        std::atomic<int> refusals{0};
        place.hosts.on(wire::ToHost::kStartAgent, [&](const wire::ToHost&) {
            wire::FromHost answer;
            wire::AgentReady& ready = *answer.mutable_agent_ready();
            ready.add_tickets();
            if (++refusals > 2) return answer;
            ready.set_error("another program is running in /there/run");
            ready.set_bad_input(true);
            return answer;
        });
        place.hosts.killAgent("host1");
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(refusals.load(), 3);
    }
    void startsAreCounted() {
        RestartingRun place;
        auto source = place.launch();
        for (std::size_t start = 1; start <= 3; ++start) {
            QVERIFY(follows(place, *source, start));
            place.hosts.breakLinks();
        }
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{3});
        QVERIFY2(words(source->status().ending).ends_with("the line is cut"),
                 words(source->status().ending).c_str());
    }
    void anAgentThatCrashesThreeTimesWithoutAStepOfProgressEndsTheRun() {
        RestartingRun place;
        place.restarts = 20;
        auto source = place.launch();
        for (std::size_t start = 1; start <= 3; ++start) {
            QVERIFY(follows(place, *source, start));
            place.hosts.killAgent("host1", SIGSEGV);
        }
        const Nanos noticed = SteadyClock::read() + Millis(300);
        QVERIFY(pull(*source, [&] { return SteadyClock::read() > noticed; }));
        place.hosts.tell("host0", endedInOrder());  // it misses the other one
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{3});
        QVERIFY(readRemoteRecord(place.folder)->ended);
        QCOMPARE(words(source->status().ending),
                 std::string("3 times the same before the first step: process 1 (host1): its agent "
                             "was killed by signal 11 (SIGSEGV)"));
        QCOMPARE(source->status().ending->exitStatus, kExitFailed);
        const std::string remedy = source->status().ending->remedy;
        QVERIFY2(remedy.find("launch.max_restarts was not used up (18 left)") != std::string::npos,
                 remedy.c_str());
    }
    void agentsThatSomebodyKillsAreReplacedAsOftenAsTheJobSays() {
        RestartingRun place;
        place.restarts = 4;
        auto source = place.launch();
        for (std::size_t start = 1; start <= 4; ++start) {
            QVERIFY(follows(place, *source, start));
            place.hosts.killAgent("host1");
        }
        QVERIFY2(follows(place, *source, 5), words(source->status().ending).c_str());
    }
    void whoIsAskedToStopDoesNotBeginAgain() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host1");
        QVERIFY(pull(*source, [&] { return !source->takeWarning().empty(); }));
        source->requestStop();
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(source->status().ending->exitStatus, 3);
        QCOMPARE(place.starts().size(), std::size_t{1});
    }
    void aDetachedRunIsLeftAlone() {
        RestartingRun place;
        place.tied = false;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host1");
        const Nanos later = SteadyClock::read() + Millis(600);
        QVERIFY(pull(*source, [&] { return SteadyClock::read() > later; }));
        QCOMPARE(place.starts().size(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(RemoteRestartTest)
#include "tst_remote_restart.moc"
