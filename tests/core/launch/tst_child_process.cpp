// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <csignal>
#include <cstring>

#include "core/base/process_start_time.h"
#include "core/base/thread.h"
#include "core/launch/process/child_process.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace {

constexpr std::chrono::seconds kLong{20};  ///< Far beyond what anything here takes.

ChildOptions shell(const std::string& script) {
    return {.program = "/bin/sh", .arguments = {"-c", script}};
}

std::unique_ptr<ChildProcess> startShell(const std::string& script) {
    return ChildProcess::start(shell(script)).value();
}

/// Up to the end of the stream, or until `until` has come.
std::string readOutput(int fd, std::string_view until = {}) {
    std::string text;
    char buffer[4096];
    while (until.empty() || text.find(until) == std::string::npos) {
        pollfd entry{fd, POLLIN, 0};
        if (::poll(&entry, 1, 20'000) <= 0) return text + " (and then nothing for 20 s)";
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got <= 0) break;
        text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
}

std::string outputOf(const ChildOptions& options) {
    const auto child = ChildProcess::start(options).value();
    return readOutput(child->outputFd());
}

std::string wordsOf(const std::string& script) {
    const auto status = startShell(script)->wait(kLong);
    return status ? status->words() : "did not end";
}

/// Waits until the process is gone, or nobody has asked yet how it ended.
bool endsSoon(pid_t pid) {
    return QTest::qWaitFor(
        [pid] {
            QFile file(QString("/proc/%1/stat").arg(pid));
            return !file.open(QIODevice::ReadOnly) || file.readAll().contains(") Z ");
        },
        10'000);
}

}  // namespace

class ChildProcessTest : public QObject {
    Q_OBJECT
private slots:
    void aCrashIsASignalThatAFaultOfItsOwnRaises() {
        for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
            QVERIFY2((ExitStatus{true, signal}.hasCrashed()), std::to_string(signal).c_str());
        for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGPIPE})
            QVERIFY2(!(ExitStatus{true, signal}.hasCrashed()), std::to_string(signal).c_str());
        QVERIFY(!(ExitStatus{false, SIGSEGV}.hasCrashed()));
    }
    void initTestCase() { ignoreSigpipe(); }

    void anEndIsSaidInWords() {
        QCOMPARE(wordsOf("exit 0"), std::string("exited with status 0"));
        QCOMPARE(wordsOf("exit 37"), std::string("exited with status 37"));
        QCOMPARE(wordsOf("kill -KILL $$"), std::string("was killed by signal 9 (SIGKILL)"));
        QCOMPARE(wordsOf("kill -SEGV $$"), std::string("was killed by signal 11 (SIGSEGV)"));
    }
    void theStatusCanBeAskedForAgain() {
        const auto child = startShell("exit 5");
        QCOMPARE(child->wait(kLong).value().code, 5);
        QCOMPARE(child->wait(Nanos{0}).value().code, 5);
    }
    void waitingForOneThatGoesOnEndsWithTheTimeout() {
        const auto child = startShell("exec sleep 60");
        const Nanos before = SteadyClock::read();
        QVERIFY(!child->wait(Millis(20)));
        QVERIFY(SteadyClock::read() - before >= Millis(20));
        QVERIFY(!child->wait(Nanos{0}));
    }
    void theEndOfAProcessWakesWhoPollsItsDescriptor() {
        const auto child = startShell("read line");
        pollfd entry{child->pidFd(), POLLIN, 0};
        QCOMPARE(::poll(&entry, 1, 0), 0);
        child->closeInput();
        QCOMPARE(::poll(&entry, 1, 20'000), 1);
    }

    void aProgramThatCannotStartIsSaidWithItsNameAndReason() {
        const auto child = ChildProcess::start({.program = "/nonexistent/worker"});
        QVERIFY(!child);
        QCOMPARE(child.error().code, ErrorCode::NotFound);
        QCOMPARE(child.error().message,
                 std::string("cannot start /nonexistent/worker: No such file or directory"));
        QVERIFY(!child.error().remedy.empty());
        const auto folder = ChildProcess::start({.program = "/tmp"});
        QVERIFY(QString::fromStdString(folder.error().message).contains("Permission denied"));
    }
    void oneThatCannotBeWatchedIsNotStarted() {
        std::vector<UniqueFd> taken;
        for (;;) {
            taken.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
            if (!taken.back().valid()) break;
        }
        taken.resize(taken.size() - 1 - 8);  // enough for its four pipes
        const auto child = ChildProcess::start(shell("exec sleep 60"));
        taken.clear();
        QVERIFY(!child);
        QCOMPARE(child.error().code, ErrorCode::Io);
        QCOMPARE(child.error().message,
                 std::string("cannot watch over a process: Too many open files"));
        QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1);  // nothing is left, not even unreaped
    }
    void argumentsArriveAsTheyAre() {
        auto options = shell("printf '[%s]' \"$@\"");
        options.arguments.insert(options.arguments.end(), {"sh", "a b", "", "$HOME", "'"});
        QCOMPARE(outputOf(options), std::string("[a b][][$HOME][']"));
    }
    void standardInputIsHandedOver() {
        const auto child = startShell("read first; read second; echo \"$second $first\"");
        QVERIFY(writeAll(child->inputFd(), std::string_view("one\ntwo\n")));
        QCOMPARE(readOutput(child->outputFd()), std::string("two one\n"));
    }
    void closingTheInputEndsIt() {
        const auto child = startShell("cat; echo end");
        child->closeInput();
        QCOMPARE(child->inputFd(), -1);
        QCOMPARE(readOutput(child->outputFd()), std::string("end\n"));
    }
    void outputAndErrorsComeThroughOnePipe() {
        QCOMPARE(outputOf(shell("echo out; echo err >&2; echo out")),
                 std::string("out\nerr\nout\n"));
    }
    void separateOutputLeavesErrorsAlone() {
        auto options = shell("test ! /dev/fd/1 -ef /dev/fd/2 && echo apart");
        options.captureOutput = false;
        options.separateOutput = true;
        QCOMPARE(outputOf(options), std::string("apart\n"));
    }
    void withoutCaptureThereIsNoPipe() {
        auto options = shell("exit 0");
        options.captureOutput = false;
        const auto child = ChildProcess::start(options).value();
        QCOMPARE(child->outputFd(), -1);
        QCOMPARE(child->wait(kLong).value().code, 0);
    }

    void onlyNamedDescriptorsAreInherited() {
        const UniqueFd named(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        const UniqueFd careless(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
        auto options = shell("ls /proc/self/fd | tr '\\n' ' '");
        QCOMPARE(outputOf(options), std::string("0 1 2 3 "));  // 3: the folder that ls reads
        options = shell("for fd in \"$@\"; do test -e /proc/$$/fd/$fd && echo $fd; done; true");
        const auto number = [](const UniqueFd& fd) { return std::to_string(fd.get()); };
        options.arguments.insert(options.arguments.end(), {"sh", number(named), number(careless)});
        options.inheritedFds = {named.get()};
        QCOMPARE(outputOf(options), number(named) + "\n");
        QVERIFY((::fcntl(named.get(), F_GETFD) & FD_CLOEXEC) !=
                0);  // the parent's own is as before
    }
    void signalsAreNeitherBlockedNorIgnored() {
        sigset_t blocked;
        sigset_t before;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
        const auto text = outputOf(shell("grep -E 'Sig(Blk|Ign)' /proc/self/status"));
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        QCOMPARE(text, std::string("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"));
    }
    void aLowerPriorityIsApplied() {
        auto options = shell("exec cut -d' ' -f19 /proc/self/stat");
        options.niceness = 7;
        QCOMPARE(outputOf(options), std::string("7\n"));
    }
    void everyChildLeadsItsOwnGroup() {
        auto options = shell("read line");
        const auto child = ChildProcess::start(options).value();
        QCOMPARE(::getpgid(child->pid()), child->pid());
        QCOMPARE(::getsid(child->pid()), ::getsid(0));
        options.ownSession = true;
        const auto apart = ChildProcess::start(options).value();
        QCOMPARE(::getsid(apart->pid()), apart->pid());
    }
    void theStartTimeNamesTheProcess() {
        const auto child = startShell("read line");
        QVERIFY(child->startTime() > 0);
        QCOMPARE(processStartTime(child->pid()).value(), child->startTime());
        QVERIFY(processStartTime(::getpid()).value() <= child->startTime());
        QVERIFY(!processStartTime(4'194'305));  // above the largest pid
    }

    void terminateAsksFirst() {
        const auto child = startShell("trap 'echo bye; exit 4' TERM; echo ready; read line");
        QCOMPARE(readOutput(child->outputFd(), "ready\n"), std::string("ready\n"));
        QCOMPARE(child->terminate(kLong).words(), std::string("exited with status 4"));
        QCOMPARE(readOutput(child->outputFd()), std::string("bye\n"));
    }
    void terminateKillsWhoDoesNotListen() {
        const auto child =
            startShell("trap '' TERM; echo ready; while :; do read line || sleep 60; done");
        readOutput(child->outputFd(), "ready\n");
        QCOMPARE(child->terminate(Millis(30)).words(),
                 std::string("was killed by signal 9 (SIGKILL)"));
    }
    void aKillReachesGrandchildren() {
        const auto child = startShell("sleep 60 & echo $!; wait");
        const auto grandchild = static_cast<pid_t>(std::stoi(readOutput(child->outputFd(), "\n")));
        QCOMPARE(::kill(grandchild, 0), 0);
        child->signalGroup(SIGKILL);
        QVERIFY(child->wait(kLong));
        QVERIFY(endsSoon(grandchild));
    }
    void grandchildrenDoNotOutliveAChildThatEndsByItself() {
        const auto child = startShell("trap '' TERM; sleep 60 & echo $!; exit 3");
        const auto grandchild = static_cast<pid_t>(std::stoi(readOutput(child->outputFd(), "\n")));
        QCOMPARE(child->wait(kLong).value().code, 3);
        QVERIFY(endsSoon(grandchild));
    }
    void destructionKillsAndReaps() {
        pid_t pid = 0;
        {
            const auto child = startShell("trap '' TERM HUP INT; echo ready; sleep 60");
            readOutput(child->outputFd(), "ready\n");
            pid = child->pid();
        }
        QVERIFY(::kill(pid, 0) != 0 && errno == ESRCH);
    }
    void aReleasedChildLivesOn() {
        auto child = startShell("read line; exit 0");
        const UniqueFd input(::fcntl(child->inputFd(), F_DUPFD_CLOEXEC, 0));
        const UniqueFd end(::fcntl(child->pidFd(), F_DUPFD_CLOEXEC, 0));
        const pid_t pid = child->pid();
        child->release();
        child.reset();
        pollfd entry{end.get(), POLLIN, 0};
        QCOMPARE(::poll(&entry, 1, 0), 0);
        QVERIFY(writeAll(input.get(), std::string_view("go\n")));
        QCOMPARE(::poll(&entry, 1, 20'000), 1);
        int status = -1;
        QCOMPARE(::waitpid(pid, &status, 0), pid);
        QCOMPARE(status, 0);
    }
    void aSignalAfterTheEndHitsNobody() {
        const auto child = startShell("exit 0");
        QVERIFY(child->wait(kLong));
        child->signalGroup(SIGKILL);  // its number may be somebody else's by now
        QCOMPARE(child->terminate(Nanos{0}).words(), std::string("exited with status 0"));
    }
    void programsAreFoundBesideThisOne() {
        QCOMPARE(programBesideThis("lockstep-worker").string(),
                 QCoreApplication::applicationDirPath().toStdString() + "/lockstep-worker");
    }
};

QTEST_GUILESS_MAIN(ChildProcessTest)
#include "tst_child_process.moc"
