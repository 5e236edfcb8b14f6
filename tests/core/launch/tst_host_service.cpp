// SPDX-License-Identifier: Apache-2.0
// The service of a host, as a launcher meets it: lockstep-worker --host at the other end of a link.
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "core/base/ids.h"
#include "core/base/process_start_time.h"
#include "core/base/thread.h"
#include "core/launch/host/stopped_watch.h"
#include "core/launch/process/child_process.h"
#include "core/run/agent_process.h"
#include "core/run/agent_registry.h"
#include "core/run/run_folder.h"
#include "core/wire/codec.h"
#include "tests/support/local_link.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace lockstep::run;

namespace {

constexpr std::chrono::seconds kLong{20};

/// A link to a service that has been greeted.
struct Service {
    std::unique_ptr<HostLink> link;
    pid_t pid = 0;

    explicit Service(double leaseSeconds = 30) {
        auto opened = localLinks(LOCKSTEP_BINARY_DIR "/bin/lockstep-worker", true)("host1", {});
        if (!opened) qFatal("%s", opened.error().message.c_str());
        link = std::move(*opened);
        wire::ToHost hello;
        hello.mutable_hello()->set_lease_seconds(leaseSeconds);
        pid = static_cast<pid_t>(ask(std::move(hello)).greeting().pid());
    }
    void send(wire::ToHost message, std::uint32_t protocol = wire::kProtocol) const {
        message.set_protocol(protocol);
        auto sent = link->send(message, kLong);
        if (!sent) qFatal("%s", sent.error().message.c_str());
    }
    [[nodiscard]] wire::FromHost receive() const {
        auto message = link->receive(kLong);
        if (!message) qFatal("%s", message.error().message.c_str());
        if (!*message) qFatal("the service does not answer");
        return std::move(**message);
    }
    [[nodiscard]] wire::FromHost ask(wire::ToHost request) const {
        request.set_request(41);
        send(std::move(request));
        return receive();
    }
    /// The connection's end, as the launcher sees it.
    [[nodiscard]] bool endsWithin(Nanos timeout) const {
        const auto message = link->receive(timeout);
        return !message && message.error().code == ErrorCode::PeerLost;
    }
};

/// Whether the process is gone, or only its parent has not taken note.
bool hasEnded(pid_t pid, std::uint64_t startTime) {
    return QTest::qWaitFor([&] { return processStartTime(pid) != startTime; }, 15'000);
}

/// A process of this test that waits for its end.
struct Sleeper {
    pid_t pid = ::fork();
    std::uint64_t startTime = 0;
    Sleeper() {
        if (pid == 0) {
            ::pause();
            ::_exit(0);
        }
        startTime = processStartTime(pid).value_or(0);
    }
    ~Sleeper() {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    [[nodiscard]] bool runs() const { return ::waitpid(pid, nullptr, WNOHANG) == 0; }
};

}  // namespace

class HostServiceTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir folder_;

    [[nodiscard]] std::string path(const QString& name) const {
        return folder_.filePath(name).toStdString();
    }
    /// An agent of a job that trains for hours, tied to the service; the agent and its worker.
    [[nodiscard]] std::vector<ProcessEntry> startAgent(const Service& service, const QString& name,
                                                       const std::string& cluster = "") const {
        const std::string toml =
            "[job]\nname = \"long\"\n[cluster]\nevaluator = false\nnum_processes = 1\n" + cluster +
            "[data]\ndataset = \"digits\"\n"
            "[model]\nlayers = [{ type = \"dense\", units = 10 }]\n"
            "[training]\nepochs = 100000\n";
        wire::ToHost request;
        wire::AgentConfig& agent = *request.mutable_start_agent();
        agent.set_run_id(randomHex(16));
        agent.set_run_dir(path(name));
        agent.set_job_toml(toml);
        agent.set_job_dir(path(""));
        agent.set_tied(true);
        agent.add_process_ids(0);
        agent.set_host_coordinator(true);
        const wire::FromHost answer = service.ask(std::move(request));
        if (!answer.has_agent_ready() || !answer.agent_ready().error().empty())
            qFatal("no agent: %s", answer.ShortDebugString().c_str());
        std::vector<ProcessEntry> processes;
        const bool there = QTest::qWaitFor(
            [&] {
                for (const AgentRecord& record : registeredAgents())
                    if (record.runDir == path(name)) processes = record.processes;
                return processes.size() == 2;
            },
            15'000);
        if (!there) qFatal("the agent has started no worker");
        return processes;
    }

private slots:
    void initTestCase() {
        ignoreSigpipe();
        qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
        qputenv("XDG_RUNTIME_DIR", folder_.filePath("runtime").toUtf8());
        qputenv("XDG_CACHE_HOME", LOCKSTEP_BINARY_DIR "/tests/cache");
        QVERIFY(QDir().mkdir(folder_.filePath("runtime")));
        QVERIFY(QFile::setPermissions(folder_.filePath("runtime"),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    void theLeasesEndIsTheServicesAndThatOfATiedAgentWithItsWorkers() {
        const Service service(1.0);
        const auto processes = startAgent(service, "leased");
        // Renewed, it outlives its lease; each renewal is answered, so that both sides know.
        for (int i = 0; i < 6; ++i) {
            wire::ToHost renewal;
            renewal.mutable_lease();
            QVERIFY(service.ask(std::move(renewal)).has_done());
            QTest::qWait(250);  // a pause: six of them outlast the lease
        }
        QVERIFY(processStartTime(service.pid).has_value());
        QVERIFY(service.endsWithin(std::chrono::seconds(6)));
        for (const ProcessEntry& process : processes)
            QVERIFY2(hasEnded(process.pid, process.startTime), process.role.c_str());
    }

    void theEndOfTheInputIsTheServicesAndThatOfATiedAgentWithItsWorkers() {
        std::vector<ProcessEntry> processes;
        pid_t pid = 0;
        {
            const Service service;
            pid = service.pid;
            processes = startAgent(service, "closed");
        }
        QVERIFY(!processStartTime(pid).has_value());
        for (const ProcessEntry& process : processes)
            QVERIFY2(hasEnded(process.pid, process.startTime), process.role.c_str());
    }

    void howLongAProcessIsStoppedIsCountedWhileItIsLookedAt() {
        const Sleeper sleeper;
        StoppedWatch watch(sleeper.pid);
        QVERIFY(!watch.look(std::chrono::seconds(1)));
        QCOMPARE(::kill(sleeper.pid, SIGSTOP), 0);
        QVERIFY(QTest::qWaitFor([&] { return isStopped(sleeper.pid); }));
        QVERIFY(!watch.look(Millis(1100)));  // too soon for another look
        const auto stopped = watch.look(std::chrono::seconds(2));
        QVERIFY(stopped && stopped->agent_stopped().pid() == sleeper.pid);
        QVERIFY(watch.stoppedFor() == Nanos{});
        QVERIFY(!watch.look(std::chrono::seconds(3)));
        QVERIFY(watch.stoppedFor() == std::chrono::seconds(1));
        QVERIFY(!watch.look(std::chrono::hours(1)));  // this one was stopped, too
        QVERIFY(watch.stoppedFor() == std::chrono::seconds(3));
        QCOMPARE(::kill(sleeper.pid, SIGCONT), 0);
        QVERIFY(QTest::qWaitFor([&] { return !isStopped(sleeper.pid); }));
        const auto goesOn = watch.look(std::chrono::hours(2));
        QVERIFY(goesOn && goesOn->agent_stopped().going_on());
        QVERIFY(watch.stoppedFor() == Nanos{});
    }

    void aStoppedAgentIsToldOfAndKilledOnceItsJobHasWaitedForIt() {
        const Service service;
        const auto processes = startAgent(service, "stopped", "heartbeat_timeout_seconds = 2\n");
        const pid_t agent = processes[0].pid;
        QCOMPARE(processes[0].role, std::string("agent"));
        QCOMPARE(::kill(agent, SIGSTOP), 0);
        const wire::FromHost stopped = service.receive();
        QCOMPARE(stopped.agent_stopped().pid(), std::int64_t{agent});
        QVERIFY(!stopped.agent_stopped().going_on());
        const wire::FromHost ended = service.receive();
        QVERIFY2(ended.has_agent_ended(), ended.ShortDebugString().c_str());
        QVERIFY(ended.agent_ended().signalled());
        QCOMPARE(ended.agent_ended().status(), SIGKILL);
        QVERIFY(ended.agent_ended().stopped_seconds() > 2);
        QVERIFY(!ended.agent_ended().forced());
        for (const ProcessEntry& process : processes)
            QVERIFY2(hasEnded(process.pid, process.startTime), process.role.c_str());
    }

    void anAgentThatGoesOnInTimeIsLeftAlone() {
        const Service service;
        const auto processes = startAgent(service, "goes-on", "heartbeat_timeout_seconds = 2\n");
        QCOMPARE(::kill(processes[0].pid, SIGSTOP), 0);
        QVERIFY(service.receive().has_agent_stopped());
        QCOMPARE(::kill(processes[0].pid, SIGCONT), 0);
        const wire::FromHost goesOn = service.receive();
        QVERIFY2(goesOn.agent_stopped().going_on(), goesOn.ShortDebugString().c_str());
        QTest::qWait(3000);  // a pause: its job waits for two seconds
        QVERIFY(processStartTime(processes[0].pid) == processes[0].startTime);
    }

    void aStoppedAgentEndsWithTheServiceThatItIsTiedTo() {
        std::vector<ProcessEntry> processes;
        {
            const Service service;
            processes = startAgent(service, "left");
            QCOMPARE(::kill(processes[0].pid, SIGSTOP), 0);
            QVERIFY(QTest::qWaitFor([&] { return isStopped(processes[0].pid); }));
        }
        for (const ProcessEntry& process : processes)
            QVERIFY2(hasEnded(process.pid, process.startTime), process.role.c_str());
    }

    void whoCannotReachAStoppedAgentHearsWhyAndMayHaveItKilled() {
        const Service service;
        const auto processes = startAgent(service, "deaf");
        const std::string runId = readRunId(RunPaths{path("deaf")});
        const Service other;  // of somebody who comes back
        QCOMPARE(::kill(processes[0].pid, SIGSTOP), 0);
        QVERIFY(service.receive().has_agent_stopped());
        wire::ToHost attach;
        attach.mutable_attach()->set_run_dir(path("deaf"));
        attach.mutable_attach()->set_run_id(runId);
        QCOMPARE(other.ask(std::move(attach)).error().error(),
                 "the run's agent (pid " + std::to_string(processes[0].pid) +
                     ") is stopped, by SIGSTOP or a debugger");
        QCOMPARE(other.receive().agent_stopped().pid(), std::int64_t{processes[0].pid});
        wire::ToHost kill;
        kill.mutable_kill_agent()->set_run_dir(path("deaf"));
        kill.mutable_kill_agent()->set_run_id("fedcba9876543210");
        QVERIFY(other.ask(kill).error().bad_input());  // another run
        kill.mutable_kill_agent()->set_run_id(runId);
        const wire::FromHost first = other.ask(kill);
        const wire::FromHost second = other.receive();
        QVERIFY(first.has_agent_ended() ? second.has_done() : first.has_done());
        const wire::FromHost ended = service.receive();
        QVERIFY(ended.agent_ended().signalled() && ended.agent_ended().forced());
        for (const ProcessEntry& process : processes)
            QVERIFY2(hasEnded(process.pid, process.startTime), process.role.c_str());
    }

    /// As one that is killed while it waits for its disk: the folder is held all the while.
    void oneThatDoesNotEndWhenKilledIsNotSaidToHaveEnded() {
        const Sleeper sleeper;
        const RunPaths paths{path("held")};
        auto held = RunFolder::open(paths.folder, false);
        QVERIFY(held && held->writeRunId("0123456789abcdef"));
        QVERIFY(writeProcesses(paths, {{"agent", 0, hostName(), sleeper.pid, sleeper.startTime}}));
        const Service service;
        wire::ToHost kill;
        kill.mutable_kill_agent()->set_run_dir(path("held"));
        kill.mutable_kill_agent()->set_run_id("0123456789abcdef");
        const wire::FromHost early = service.ask(kill);
        QVERIFY2(early.error().error().starts_with("the run's agent was killed and has not ended"),
                 early.ShortDebugString().c_str());
        held = fail(ErrorCode::Cancelled, "let go of");
        QVERIFY(service.ask(kill).has_done());
    }

    void whoDoesNotSayItsVersionFirstGetsNothing() {
        auto opened = localLinks(LOCKSTEP_BINARY_DIR "/bin/lockstep-worker", true)("host1", {});
        QVERIFY(opened.has_value());
        wire::ToHost request;
        request.set_protocol(wire::kProtocol);
        request.mutable_list_runs();
        QVERIFY((*opened)->send(request, kLong).has_value());
        auto refused = (*opened)->receive(kLong);
        QCOMPARE((*refused)->error().error(),
                 std::string("the launcher did not say which version it is"));
        request.mutable_hello()->set_lease_seconds(1);
        request.set_protocol(wire::kProtocol + 1);
        QVERIFY((*opened)->send(request, kLong).has_value());
        auto other = (*opened)->receive(kLong);
        QVERIFY((*other)->error().error().starts_with("the launcher speaks protocol "));
        QVERIFY(!(*other)->error().remedy().empty());
    }

    void anUnknownRequestIsRefusedAndTheNextOneServed() {
        const Service service;
        wire::ToHost unknown;  // of a later version: its body is not known here
        unknown.GetReflection()->MutableUnknownFields(&unknown)->AddLengthDelimited(999, "?");
        const wire::FromHost refused = service.ask(std::move(unknown));
        QCOMPARE(refused.request(), std::uint64_t(41));
        QCOMPARE(refused.error().error(),
                 std::string("this host's service does not know the request"));
        QVERIFY(refused.error().bad_input());
        wire::ToHost list;
        list.mutable_list_runs();
        QVERIFY(service.ask(std::move(list)).has_runs());
    }

    void aRelayToASocketThatIsNotThereEndsWithTheReason() {
        const Service service;
        const std::string missing = path("no.sock");
        wire::ToHost open;
        open.mutable_relay_open()->set_socket(missing);
        const wire::FromHost end = service.ask(std::move(open));
        QCOMPARE(end.request(), std::uint64_t(41));
        QCOMPARE(end.relay_end().error(),
                 "cannot connect to " + missing + ": No such file or directory");
        open.mutable_relay_open()->set_socket(std::string(200, 'x'));
        QVERIFY(
            service.ask(std::move(open)).relay_end().error().ends_with("is no path of a socket"));
    }

    void onlyAProcessOfARunEndsAndOnlyTheVeryOneThatWasMeant() {
        const Service service;
        const Sleeper sleeper;
        const auto end = [&](std::uint64_t startTime) {
            wire::ToHost request;
            request.mutable_end_process()->set_pid(sleeper.pid);
            request.mutable_end_process()->set_start_time(startTime);
            request.mutable_end_process()->set_kill(true);
            return service.ask(std::move(request));
        };
        QVERIFY(end(sleeper.startTime).error().bad_input());  // of no run
        AgentRecord record{randomHex(16), path("other"), "job", false};
        AgentRegistration registered(record);
        registered.update({{"agent", 0, "host1", sleeper.pid, sleeper.startTime}});
        const wire::FromHost wrong = end(sleeper.startTime + 1);
        QCOMPARE(wrong.error().error(),
                 "process " + std::to_string(sleeper.pid) + " belongs to no run of this user here");
        QVERIFY(sleeper.runs());
        QVERIFY(end(sleeper.startTime).has_done());
        QVERIFY(QTest::qWaitFor([&] { return !sleeper.runs(); }, 15'000));
    }
};

QTEST_GUILESS_MAIN(HostServiceTest)
#include "tst_host_service.moc"
