// SPDX-License-Identifier: Apache-2.0
// The supervision of a host's processes, with shell scripts in the place of the worker.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <fstream>

#include "core/base/ids.h"
#include "core/base/process_start_time.h"
#include "core/base/thread.h"
#include "core/launch/agent/host_processes.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace lockstep::run;

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLong{20};

/// A worker program made of a shell script, and what its supervisor was told.
struct Host {
    QTemporaryDir temporary;
    RunPaths paths{fs::path(temporary.path().toStdString()) / "run"};
    fs::path program{fs::path(temporary.path().toStdString()) / "worker"};
    std::vector<wire::LogLine> lines;
    std::vector<wire::ProcessExit> exits;
    std::vector<wire::ProcessHeld> held;
    HostProcesses processes;

    explicit Host(const std::string& script, Nanos mostStopped = {})
        : processes(program, paths,
                    {.onLine = [this](const wire::LogLine& line) { lines.push_back(line); },
                     .onExit = [this](const wire::ProcessExit& exit) { exits.push_back(exit); },
                     .onHeld = [this](const wire::ProcessHeld& one) { held.push_back(one); }},
                    mostStopped) {
        fs::create_directories(paths.logs());
        QVERIFY(replaceFileDurably(program, "#!/bin/sh\n" + script, 0755));
    }

    Result<void> start(std::uint32_t id, wire::Role role = wire::ROLE_WORKER, int fd = -1) {
        return start(id, role, fd, false);
    }
    /// As the program of a user, which is asked by SIGTERM before it is ended.
    Result<void> startOwnProgram(std::uint32_t id) {
        return start(id, wire::ROLE_WORKER, -1, true);
    }
    Result<void> start(std::uint32_t id, wire::Role role, int fd, bool ownProgram) {
        wire::WorkerConfig config;
        config.set_own_program(ownProgram);
        config.set_process_id(id);
        config.set_role(role);
        config.set_run_id("the run's id");
        config.set_segment_fd(fd);
        return processes.start(config);
    }
    /// Polls until `done` or for as long as nothing here ever takes.
    bool pollUntil(const std::function<bool()>& done) {
        const Nanos deadline = SteadyClock::read() + kLong;
        while (!done()) {
            if (SteadyClock::read() > deadline) return false;
            processes.poll(Millis(50), -1);
        }
        return true;
    }
    bool runToTheEnd() {
        return pollUntil([this] { return !processes.anyRunning(); });
    }
    [[nodiscard]] bool said(const std::string& text) const {
        return std::any_of(lines.begin(), lines.end(),
                           [&](const wire::LogLine& line) { return line.text() == text; });
    }
    [[nodiscard]] std::string log(const std::string& name) const {
        return readFile(paths.logs() / name, 1 << 20).value();
    }
};

}  // namespace

class HostProcessesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { ignoreSigpipe(); }

    void outputIsPassedOnAndKept() {
        Host host("cat > /dev/null; echo hello; echo 'warning: hm' >&2; exit 0");
        QVERIFY(host.start(3));
        QVERIFY(host.runToTheEnd());
        QCOMPARE(host.lines.size(), std::size_t{2});
        QCOMPARE(host.lines[0].process_id(), 3U);
        QCOMPARE(host.lines[0].role(), wire::ROLE_WORKER);
        QCOMPARE(host.lines[0].level(), 1U);
        QCOMPARE(host.lines[1].text(), std::string("warning: hm"));
        QCOMPARE(host.lines[1].level(), 2U);
        QCOMPARE(host.log("process-3.log"), std::string("hello\nwarning: hm\n"));
    }
    void anExitIsReportedOnceWithItsLastError() {
        Host host(
            "cat > /dev/null; echo 'error: no such data'; printf 'error: half a line'; exit 2");
        QVERIFY(host.start(1));
        QVERIFY(host.runToTheEnd());
        host.processes.poll(Nanos{0}, -1);
        QCOMPARE(host.exits.size(), std::size_t{1});
        QCOMPARE(host.exits[0].process_id(), 1U);
        QVERIFY(!host.exits[0].signalled());
        QCOMPARE(host.exits[0].status(), 2);
        QCOMPARE(host.exits[0].last_error(), std::string("half a line"));
    }
    void aDeathBySignalIsReportedAsSuch() {
        Host host("cat > /dev/null; kill -SEGV $$");
        QVERIFY(host.start(0));
        QVERIFY(host.runToTheEnd());
        QVERIFY(host.exits[0].signalled());
        QCOMPARE(host.exits[0].status(), SIGSEGV);
        QCOMPARE(host.exits[0].last_error(), std::string());
    }
    void whoIsStoppedIsToldOnceAndThatItGoesOn() {
        Host host("cat > /dev/null; sleep 60");
        QVERIFY(host.start(4));
        const pid_t pid = host.processes.entries().at(0).pid;
        QCOMPARE(::kill(pid, SIGSTOP), 0);
        QVERIFY(host.pollUntil([&] { return !host.held.empty(); }));
        QCOMPARE(host.held[0].process_id(), 4U);
        QCOMPARE(host.held[0].role(), wire::ROLE_WORKER);
        QCOMPARE(host.held[0].hold(), wire::HOLD_STOPPED);
        QCOMPARE(::kill(pid, SIGCONT), 0);
        QVERIFY(host.pollUntil([&] { return host.held.size() > 1; }));
        QCOMPARE(host.held[1].hold(), wire::HOLD_NONE);
        host.processes.terminate(Nanos{0}, Nanos{0});
    }
    void whoStaysStoppedIsKilled() {
        // By its name its first thread is the one that sends heartbeats.
        Host host("cat > /dev/null; printf control > /proc/$$/comm; sleep 60; true",
                  std::chrono::milliseconds(500));
        QVERIFY(host.start(4));
        QVERIFY(host.start(5));
        const auto entries = host.processes.entries();
        const std::string file = "/proc/" + std::to_string(entries.at(1).pid) + "/comm";
        QVERIFY(host.pollUntil([&] {
            std::string name;
            return std::getline(std::ifstream(file), name) && name == "control";
        }));
        QCOMPARE(::kill(entries.at(1).pid, SIGSTOP), 0);
        QVERIFY(host.pollUntil([&] { return !host.exits.empty(); }));
        QCOMPARE(host.exits[0].process_id(), 5U);
        QVERIFY(host.exits[0].signalled());
        QCOMPARE(host.exits[0].status(), SIGKILL);
        QVERIFY(std::ranges::any_of(host.lines, [](const wire::LogLine& line) {
            return line.process_id() == 5 && line.text().ends_with("its agent kills it");
        }));
        QVERIFY(host.processes.anyRunning());
        host.processes.terminate(Nanos{0}, Nanos{0});
    }
    void theLastWordsOfAFloodAreNotLost() {
        Host host("cat > /dev/null; seq 1 20000; echo 'error: at last'; exit 1");
        QVERIFY(host.start(0));
        QVERIFY(host.runToTheEnd());
        QCOMPARE(host.exits[0].last_error(), std::string("at last"));
        const std::string log = host.log("process-0.log");
        QCOMPARE(std::count(log.begin(), log.end(), '\n'), 20'001L);
        QVERIFY(log.ends_with("20000\nerror: at last\n"));
        QVERIFY(host.lines.size() < 10'000);
        QVERIFY(std::any_of(host.lines.begin(), host.lines.end(), [](const wire::LogLine& line) {
            return line.text().find("lines left out") != std::string::npos;
        }));
    }
    void theConfigurationIsOnStandardInputAndNowhereElse() {
        Host host(
            "echo \"$#: $*\"; tail -c +5 | grep -aco \"the run's id\"; "
            "env | grep -c \"the run's id\"");
        QVERIFY(host.start(0));
        QVERIFY(host.runToTheEnd());
        QCOMPARE(host.log("process-0.log"), std::string("1: --member\n1\n0\n"));
    }
    void aProgramThatEndsBeforeItReadsIsReportedByItsOwnWords() {
        Host host("exec 0<&-; echo 'error: a library is missing'; exit 127");
        QVERIFY(host.start(0));
        QVERIFY(host.runToTheEnd());
        QCOMPARE(host.exits[0].status(), 127);
        QCOMPARE(host.exits[0].last_error(), std::string("a library is missing"));
    }
    void aProgramThatIsMissingIsSaid() {
        Host host("exit 0");
        fs::remove(host.program);
        const auto started = host.start(0);
        QVERIFY(!started);
        QVERIFY(QString::fromStdString(started.error().message).contains(host.program.c_str()));
        QVERIFY(!host.processes.anyRunning());
        QVERIFY(host.processes.entries().empty());
    }
    void theEvaluatorHasItsOwnLogAndALowerPriority() {
        Host host("cat > /dev/null; cut -d' ' -f19 /proc/self/stat");
        QVERIFY(host.start(0, wire::ROLE_EVALUATOR));
        QVERIFY(host.start(0, wire::ROLE_WORKER));
        QVERIFY(host.runToTheEnd());
        const int own = ::getpriority(PRIO_PROCESS, 0);  // the tests may be niced themselves
        QCOMPARE(host.log("evaluator.log"), std::string("10\n"));
        QCOMPARE(host.log("process-0.log"), std::to_string(own) + "\n");
    }
    void sharedMemoryIsHandedDownUnderItsNumber() {
        const UniqueFd memory(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        Host host("cat > /dev/null; test -e /proc/$$/fd/" + std::to_string(memory.get()));
        QVERIFY(host.start(0, wire::ROLE_WORKER, memory.get()));
        QVERIFY(host.start(1, wire::ROLE_WORKER));
        QVERIFY(host.runToTheEnd());
        for (const wire::ProcessExit& exit : host.exits)
            QCOMPARE(exit.status(), exit.process_id() == 0 ? 0 : 1);
    }

    void runningProcessesAreListed() {
        Host host("cat > /dev/null; echo up; exec sleep 60");
        QVERIFY(host.start(0));
        QVERIFY(host.start(1));
        QVERIFY(host.start(0, wire::ROLE_EVALUATOR));
        QVERIFY(host.pollUntil([&] { return host.lines.size() == 3; }));
        const auto entries = host.processes.entries();
        QCOMPARE(entries.size(), std::size_t{3});
        QCOMPARE(entries[1].role, std::string("worker"));
        QCOMPARE(entries[1].processId, 1);
        QCOMPARE(entries[2].role, std::string("evaluator"));
        QCOMPARE(entries[0].host, hostName());
        QCOMPARE(processStartTime(entries[0].pid).value(), entries[0].startTime);
        ::kill(entries[0].pid, SIGKILL);
        QVERIFY(host.pollUntil([&] { return host.exits.size() == 1; }));
        QCOMPARE(host.processes.entries().size(), std::size_t{2});
        QVERIFY(host.processes.anyRunning());
    }
    void terminateAsksProgramsOfTheUserAndReadsTheirLastWords() {
        Host host(
            "trap 'echo saved; exit 3' TERM; cat > /dev/null; echo up; "
            "while :; do sleep 0.02; done");
        QVERIFY(host.startOwnProgram(0));
        QVERIFY(host.startOwnProgram(1));
        QVERIFY(host.pollUntil([&] { return host.lines.size() == 2; }));
        host.processes.terminate(Nanos{0}, kLong);
        QVERIFY(!host.processes.anyRunning());
        QCOMPARE(host.exits.size(), std::size_t{2});
        for (const wire::ProcessExit& exit : host.exits)
            QCOMPARE(exit.status(), 3);
        const std::string log = host.log("process-1.log");  // the shell may tell of its sleep's end
        QVERIFY2(log.starts_with("up\n") && log.ends_with("saved\n"), log.c_str());
    }
    void terminateLeavesThoseAloneThatEndByThemselves() {
        Host host("cat > /dev/null; echo up; sleep 0.1; echo sent; exit 1");
        QVERIFY(host.start(0));
        QVERIFY(host.pollUntil([&] { return host.said("up"); }));
        host.processes.terminate(kLong, Nanos{0});
        QVERIFY(!host.exits[0].signalled());
        QCOMPARE(host.exits[0].status(), 1);
        QVERIFY(host.said("sent"));
    }
    void terminateEndsOursAtOnceToWhomASigtermMeansAStopInOrder() {
        Host host("trap 'echo told' TERM; cat > /dev/null; echo up; while :; do sleep 0.02; done");
        QVERIFY(host.start(0));
        QVERIFY(host.pollUntil([&] { return host.said("up"); }));
        host.processes.terminate(Nanos{0}, kLong);
        QVERIFY(host.exits[0].signalled());
        QCOMPARE(host.exits[0].status(), SIGKILL);
        QVERIFY(!host.said("told"));
    }
    void terminateKillsWhoDoesNotListen() {
        Host host("trap '' TERM; cat > /dev/null; echo up; sleep 60 & wait; sleep 60");
        QVERIFY(host.startOwnProgram(0));
        QVERIFY(host.pollUntil([&] { return host.said("up"); }));
        host.processes.terminate(Nanos{0}, Millis(40));
        QVERIFY(!host.processes.anyRunning());
        QVERIFY(host.exits[0].signalled());
        QCOMPARE(host.exits[0].status(), SIGKILL);
    }
    void aGrandchildThatKeepsTheOutputOpenHoldsNobodyUp() {
        Host host("cat > /dev/null; sleep 60 & echo done; exit 0");
        QVERIFY(host.start(0));
        QVERIFY(host.runToTheEnd());
        QCOMPARE(host.exits[0].status(), 0);
        QVERIFY(host.said("done"));
    }
    void whatWakesThePollIsSaid() {
        Host host("exec sleep 60");
        QVERIFY(host.start(0));
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        const UniqueFd readEnd(ends[0]);
        UniqueFd writeEnd(ends[1]);
        QVERIFY(!host.processes.poll(Nanos{0}, readEnd.get()));
        QVERIFY(writeAll(writeEnd.get(), std::string_view("x")));
        QVERIFY(host.processes.poll(kLong, readEnd.get()));
        char byte = 0;
        QCOMPARE(::read(readEnd.get(), &byte, 1), 1L);
        QVERIFY(!host.processes.poll(Nanos{0}, readEnd.get()));
        writeEnd.reset();
        QVERIFY(host.processes.poll(kLong, readEnd.get()));
        QVERIFY(!host.processes.poll(Nanos{0}, -1));
    }
    void destructionLeavesNobodyRunning() {
        pid_t pid = 0;
        {
            Host host("trap '' TERM; cat > /dev/null; echo up; sleep 60");
            QVERIFY(host.start(0));
            QVERIFY(host.pollUntil([&] { return host.said("up"); }));
            pid = host.processes.entries().front().pid;
        }
        QVERIFY(::kill(pid, 0) != 0);
    }
};

QTEST_GUILESS_MAIN(HostProcessesTest)
#include "tst_host_processes.moc"
