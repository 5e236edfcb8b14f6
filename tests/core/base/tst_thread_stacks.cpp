// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QScopeGuard>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/stack_teller.h"
#include "core/base/thread.h"
#include "core/base/thread_facts.h"
#include "core/base/thread_stacks.h"

using namespace lockstep;

namespace {

/// Threads of this name stand in a function that a stack must name, until they may end.
[[gnu::noinline]] void standsHereForTheTest(std::atomic<bool>& mayEnd, std::latch& standing) {
    standing.count_down();
    while (!mayEnd.load())
        mayEnd.wait(false);
}

std::jthread standing(const char* name, bool hearsSignals, std::atomic<bool>& mayEnd,
                      std::latch& all) {
    return startThread(name, [&mayEnd, &all, hearsSignals](const std::stop_token&) {
        if (!hearsSignals) {
            sigset_t every;
            ::sigfillset(&every);
            ::pthread_sigmask(SIG_BLOCK, &every, nullptr);
        }
        standsHereForTheTest(mayEnd, all);
    });
}

/// Of those above; they may not have come to where they wait.
bool allWait(std::ptrdiff_t count) {
    return std::ranges::count_if(threadsOf(::getpid()), [](const ThreadFacts& thread) {
               const bool isOurs = thread.name.ends_with("-one") || thread.name == "train-7";
               return isOurs && thread.state == 'S';
           }) == count;
}

/// Its thread hears nothing and is not to be interrupted (state D) until its child is killed, whose
/// number is then in `child`: as vfork() does, which a sanitizer replaces.
void waitForAChildOfVfork(std::atomic<pid_t>& child) {
    static_assert(sizeof(std::atomic<pid_t>) == sizeof(pid_t));  // the kernel writes it
    const long forked = ::syscall(SYS_clone, CLONE_VFORK | CLONE_PARENT_SETTID | SIGCHLD, nullptr,
                                  &child, nullptr, nullptr);
    if (forked != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        ::pause();
}

bool isHeld(const std::string& name) {
    return std::ranges::any_of(threadsOf(::getpid()), [&name](const ThreadFacts& thread) {
        return thread.name == name && thread.state == 'D';
    });
}

std::string textOf(const std::vector<std::string>& all, const std::string& head) {
    for (const std::string& text : all)
        if (text.starts_with(head)) return text;
    return {};
}

}  // namespace

class ThreadStacksTest : public QObject {
    Q_OBJECT

private slots:
    void eachThreadSaysWhereItStandsAndOneThatHearsNothingInWhatState() {
        answerStackSignal();
        std::atomic<bool> mayEnd{false};
        std::latch all(4);
        std::vector<std::jthread> threads;
        threads.push_back(standing("first-one", true, mayEnd, all));
        threads.push_back(standing("second-one", true, mayEnd, all));
        threads.push_back(standing("deaf-one", false, mayEnd, all));
        threads.push_back(standing("train-7", true, mayEnd, all));
        all.wait();
        QTRY_VERIFY(allWait(4));

        std::vector<std::string> said;
        std::optional<std::uint32_t> deafOnes;
        std::size_t saidBefore = 0;
        tellStacks(
            "process 7 (stuck for 12 s)",
            [&said](const std::string& text) { said.push_back(text); },
            [&](std::uint32_t deaf) {
                deafOnes = deaf;
                saidBefore = said.size();
            });
        mayEnd.store(true);
        mayEnd.notify_all();

        QCOMPARE(deafOnes, std::optional(0U));  // of those that train
        QCOMPARE(saidBefore, std::size_t(0));   // at once
        QVERIFY2(said.front().starts_with("stack of thread train-7 "), said.front().c_str());
        for (const std::string name : {"first-one", "second-one", "train-7"}) {
            const std::string text =
                textOf(said, "stack of thread " + name + " of process 7 (stuck for 12 s):\n  #0 ");
            QVERIFY2(!text.empty(), name.c_str());
            QVERIFY2(text.find("standsHereForTheTest") != std::string::npos, text.c_str());
            QVERIFY2(text.ends_with("\n"), text.c_str());
        }
        const std::string deaf = textOf(said, "no stack of thread deaf-one of process 7 (stuck ");
        QVERIFY2(deaf.find("): it waits") != std::string::npos, deaf.c_str());
        QVERIFY2(deaf.ends_with("; it was not asked\n"), deaf.c_str());
        for (const std::string& text : said)  // whoever asks knows where it stands
            QVERIFY2(text.find("tellStacks") == std::string::npos, text.c_str());
    }

    void threadsThatTrainAndAreHeldAreCounted() {
        answerStackSignal();
        for (const std::string name : {"train-8", "gloo-loop"}) {
            std::atomic<pid_t> child{0};
            const std::jthread held = startThread(
                name, [&child](const std::stop_token&) { waitForAChildOfVfork(child); });
            const auto letGo = qScopeGuard([&child] {
                if (child > 0) ::kill(child, SIGKILL);
                ::waitpid(child, nullptr, 0);
            });
            QTRY_VERIFY(isHeld(name));
            std::uint32_t deafOnes = 0;
            tellStacks(
                "process 8", [](const std::string&) {},
                [&deafOnes](std::uint32_t deaf) { deafOnes = deaf; });
            QCOMPARE(deafOnes, 1U);
        }
    }

    void threadsOfAProcessThatIsNotAskedAreToldByWhatTheKernelKnows() {
        std::vector<std::string> said;
        tellThreads(::getpid(), "process 0 (stuck for 3 s)",
                    [&said](const std::string& text) { said.push_back(text); });
        QVERIFY(!said.empty());
        QVERIFY2(said.front().starts_with("no stack of thread "), said.front().c_str());
        QVERIFY2(said.front().find(" of process 0 (stuck for 3 s): it ") != std::string::npos,
                 said.front().c_str());
    }

    void whoHangsWhileItTellsIsNotWaitedForForever() {
        const auto mayEnd = std::make_shared<std::latch>(1);
        const Nanos start = SteadyClock::read();
        {
            StackTeller teller([mayEnd](const std::string&, const StackTeller::Say&) {
                mayEnd->wait();  // as for the lock of the loader
            });
            teller.tell("process 1", 3);
        }
        QVERIFY(SteadyClock::read() - start < std::chrono::seconds(20));
        mayEnd->count_down();
    }

    void aSignalThatIsCaughtIsSeen() {
        answerStackSignal();
        const std::vector<ThreadFacts> threads = threadsOf(::getpid());
        QVERIFY(!threads.empty());
        QVERIFY(holdsSignal(threads.front().caughtSignals, SIGRTMIN + 5));
        QVERIFY(!holdsSignal(threads.front().caughtSignals, SIGRTMIN + 6));
    }
};

QTEST_GUILESS_MAIN(ThreadStacksTest)
#include "tst_thread_stacks.moc"
