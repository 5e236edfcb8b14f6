// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <csignal>
#include <thread>

#include "core/collective/process_watch.h"
#include "core/collective/wait.h"

using namespace lockstep;
using namespace lockstep::collective;
using namespace std::chrono_literals;

namespace {

/// Zero bytes shared with the children of this process.
struct Shared {
    Doorbell bell;
    std::atomic<std::uint64_t> value;
};

Shared* mapShared() {
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Shared*>(memory);
}

}  // namespace

class WaitTest : public QObject {
    Q_OBJECT
private slots:
    void aDeadlineEndsTheWait() {
        Doorbell bell{};
        const Nanos begin = SteadyClock::read();
        const WaitEnd end = waitUntil(
            bell, WaitPolicy{1ms, 1ms}, begin + 30ms, [] { return false; }, [] { return false; });
        QCOMPARE(end, WaitEnd::TimedOut);
        QVERIFY(SteadyClock::read() - begin >= 30ms);
    }
    void anInterruptionEndsTheWaitUnlessItIsReady() {
        Doorbell bell{};
        const Nanos deadline = SteadyClock::read() + 10s;
        QCOMPARE(waitUntil(
                     bell, {}, deadline, [] { return false; }, [] { return true; }),
                 WaitEnd::Interrupted);
        // What was waited for happened, and only then its doer ended.
        bool done = false;
        const auto lookAfterwards = [&] {
            done = true;
            return true;
        };
        QCOMPARE(waitUntil(
                     bell, {}, deadline, [&] { return done; }, lookAfterwards),
                 WaitEnd::Ready);
    }
    void aRingOfAnotherProcessWakesASleeper() {
        Shared* shared = mapShared();
        QVERIFY(shared != nullptr);
        const pid_t child = fork();
        if (child == 0) {
            for (std::uint64_t round = 1; round <= 300; ++round) {
                const WaitEnd end = waitUntil(
                    shared->bell, WaitPolicy{}, SteadyClock::read() + 10s,
                    [&] { return shared->value.load() == 2 * round - 1; }, [] { return false; });
                if (end != WaitEnd::Ready) _exit(1);
                shared->value.store(2 * round);
                shared->bell.ring();
            }
            _exit(0);
        }
        for (std::uint64_t round = 1; round <= 300; ++round) {
            shared->value.store(2 * round - 1);
            shared->bell.ring();
            const WaitEnd end = waitUntil(
                shared->bell, WaitPolicy{}, SteadyClock::read() + 10s,
                [&] { return shared->value.load() == 2 * round; }, [] { return false; });
            QCOMPARE(end, WaitEnd::Ready);
        }
        int status = -1;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        munmap(shared, sizeof(Shared));
    }
    void onlyWhoHasAProcessorSpins() {
        QVERIFY(WaitPolicy::forWaiters(2, 2).spin > 0ns);
        QCOMPARE(WaitPolicy::forWaiters(3, 2).spin, Nanos(0));
    }
    void anEndedProcessIsSeenBeforeItIsReaped() {
        const pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        ProcessWatch watch;
        watch.add(7, child);
        QVERIFY(!watch.ended(7));
        QVERIFY(!watch.ended(8));
        kill(child, SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(watch.ended(7), 5000);
        QCOMPARE(waitpid(child, nullptr, 0), child);
        QVERIFY(watch.ended(7));
    }
};

QTEST_GUILESS_MAIN(WaitTest)
#include "tst_wait.moc"
