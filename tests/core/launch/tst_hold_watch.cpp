// SPDX-License-Identifier: Apache-2.0
// What keeps a process, or one thread of it, from running: judged from signs, and read from real
// ones.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <csignal>
#include <mutex>

#include "core/base/thread.h"
#include "core/launch/process/hold_watch.h"
#include "core/launch/process/thread_watch.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace std::chrono_literals;

namespace {

/// A process of its own, killed when this goes.
class Child {
public:
    explicit Child(void (*life)()) : pid_(::fork()) {
        if (pid_ != 0) return;
        life();
        ::_exit(0);
    }
    ~Child() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    pid_t pid_;
};

void waitForASignal() {
    ::pause();
}

/// As one that waits for a disk: not to be interrupted (state D), until its child is gone.
void waitForAChildOfVfork() {
    if (::vfork() == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::pause();
        ::_exit(0);
    }
}

constexpr WatchedThread kTurns{"events", 1s, "no events"};
constexpr WatchedThread kSleeps{"sigterm-watch", kSleepsForLong, "no answer"};

/// Looks at it once a second, from `begin` to `end`: what is told, and when.
std::vector<std::pair<Nanos, bool>> toldOf(StillThread& thread, ThreadSigns signs, Nanos begin,
                                           Nanos end, std::uint64_t switchesALook = 0) {
    std::vector<std::pair<Nanos, bool>> told;
    for (Nanos now = begin; now < end; now += 1s, signs.switches += switchesALook)
        if (const auto news = thread.judge(signs, now)) told.emplace_back(now, news->isOver);
    return told;
}

using Told = std::vector<std::pair<Nanos, bool>>;

}  // namespace

class HoldWatchTest : public QObject {
    Q_OBJECT
private slots:
    void aStoppedProcessIsSeenAtOnceAndItsTimeCounted() {
        HoldWatch watch(0);
        QCOMPARE(watch.judge({'S', 'S', false}, 10s), wire::HOLD_NONE);
        for (const char state : {'T', 't'})
            QCOMPARE(watch.judge({state, state, false}, 11s), wire::HOLD_STOPPED);
        QCOMPARE(watch.judge({'T', 'T', false}, 12s), wire::HOLD_STOPPED);
        QVERIFY(watch.stoppedFor() == 1s);
        // Its heartbeats go on, or have not begun.
        for (const char state : {'S', '\0'}) {
            QCOMPARE(watch.judge({'T', state, false}, 13s), wire::HOLD_STOPPED);
            QVERIFY(watch.stoppedFor() == 0s);
        }
        QCOMPARE(watch.judge({'R', 'S', false}, 14s), wire::HOLD_NONE);
        QVERIFY(watch.stoppedFor() == 0s);
    }
    void aDiskHoldsAProcessOnceItHasKeptItWaitingForLong() {
        HoldWatch watch(0);
        for (const Nanos now : {10s, 11s, 12s, 13s})
            QCOMPARE(watch.judge({'S', 'D', false}, now), wire::HOLD_NONE);
        QCOMPARE(watch.judge({'S', 'D', false}, 14s), wire::HOLD_DISK);
        QCOMPARE(watch.judge({'D', 'S', false}, 15s), wire::HOLD_NONE);  // a checkpoint's write
        QCOMPARE(watch.judge({'S', 'D', false}, 16s), wire::HOLD_NONE);
    }
    void aFrozenControlGroupHoldsWhoSeemsToSleep() {
        HoldWatch watch(0);
        QCOMPARE(watch.judge({'S', 'S', true}, 10s), wire::HOLD_FROZEN);
        QCOMPARE(watch.judge({'T', 'T', true}, 11s), wire::HOLD_STOPPED);
    }
    void aSigstopIsReadFromTheSystem() {
        const Child child(waitForASignal);
        HoldWatch watch(child.pid());
        QCOMPARE(watch.look(10s), wire::HOLD_NONE);
        QCOMPARE(::kill(child.pid(), SIGSTOP), 0);
        QTRY_COMPARE(watch.look(11s), wire::HOLD_STOPPED);
        QCOMPARE(::kill(child.pid(), SIGCONT), 0);
        QTRY_COMPARE(watch.look(12s), wire::HOLD_NONE);
    }
    void aWaitThatNothingInterruptsIsReadFromTheSystem() {
        const Child child(waitForAChildOfVfork);
        HoldWatch watch(child.pid());
        Nanos now = 10s;
        // Virtual seconds: each look is one later than the former.
        QTRY_COMPARE(watch.look(now += 1s), wire::HOLD_DISK);
    }
    void aProcessThatIsGoneIsNotHeld() {
        HoldWatch watch(0);
        QCOMPARE(watch.judge({'\0', '\0', false}, 10s), wire::HOLD_NONE);
        QCOMPARE(watch.judge({'Z', '\0', false}, 11s), wire::HOLD_NONE);
    }

    void aThreadThatIsHeldIsToldOfOnceAndAgainWhenItGoesOn() {
        for (const char state : {'t', 'T', 'D'})
            for (const WatchedThread& each : {kTurns, kSleeps}) {
                StillThread thread(each);
                QCOMPARE(toldOf(thread, {state, 7}, 100s, 200s), (Told{{110s, false}}));
                QCOMPARE(toldOf(thread, {'S', 8}, 200s, 205s), (Told{{200s, true}}));
            }
    }
    void aThreadThatTrainsAndIsHeldIsToldOfSoonerAndNeverForItsWaits() {
        const WatchedThread& trains = kWatchedThreads[0];
        QVERIFY(trains.isCalled("train-0") && trains.isCalled("train-12"));
        QVERIFY(!trains.isCalled("trainer") && !kTurns.isCalled("events-2"));
        StillThread held(trains);
        QCOMPARE(toldOf(held, {'t', 7}, 100s, 200s), (Told{{103s, false}}));
        StillThread waits(trains);
        QCOMPARE(toldOf(waits, {'S', 7}, 100s, 200s), Told{});
    }
    void whoSleepsForAsLongAsItMayIsNotStill() {
        StillThread sleeps(kSleeps);
        QCOMPARE(toldOf(sleeps, {'S', 7}, 0s, 10000s), Told{});
        StillThread turns(kTurns);
        QCOMPARE(toldOf(turns, {'S', 7}, 0s, 100s, 1), Told{});
        QCOMPARE(toldOf(turns, {'S', 107}, 100s, 200s), (Told{{111s, false}}));
    }
    void longWorkIsNoStandstill() {
        StillThread computes(kTurns);
        QCOMPARE(toldOf(computes, {'R', 7}, 0s, 100s), Told{});
        // A file of some gigabytes: one wait for the disk after the other.
        StillThread writes(kTurns);
        QCOMPARE(toldOf(writes, {'D', 7}, 0s, 100s, 3), Told{});
    }
    void whoDidNotLookAccusesNobody() {
        StillThread thread(kTurns);
        QVERIFY(!thread.judge({'t', 7}, 10s));
        QVERIFY(!thread.judge({'t', 7}, 1000s));
    }
    void ofOneThatHasEndedNothingMoreIsTold() {
        StillThread thread(kTurns);
        QCOMPARE(toldOf(thread, {'t', 7}, 0s, 20s), (Told{{10s, false}}));
        QCOMPARE(toldOf(thread, {'\0', 0}, 20s, 25s), Told{});
    }
    void aThreadThatWaitsForWhatDoesNotComeIsReadFromTheSystem() {
        std::mutex mutex;
        std::jthread stands;  // ends behind the lock
        const std::scoped_lock held(mutex);
        stands = startThread(
            "events", [&mutex](const std::stop_token&) { const std::scoped_lock lock(mutex); });
        ThreadWatch watch(::getpid());
        Nanos now = 100s;
        std::vector<ThreadNews> news;
        // Virtual seconds: each look is one later than the former.
        const auto isTold = [&] {
            if (news.empty()) news = watch.look(now += 1s);
            return !news.empty();
        };
        QTRY_VERIFY(isTold());
        QCOMPARE(news.size(), std::size_t{1});
        const QString sentence = QString::fromStdString(threadSentence(news[0], "the agent"));
        QVERIFY2(sentence.startsWith("the thread events of the agent has not run for 11 s, "
                                     "waiting for what does not come: TensorBoard's"),
                 qPrintable(sentence));
    }
};

QTEST_GUILESS_MAIN(HoldWatchTest)
#include "tst_hold_watch.moc"
