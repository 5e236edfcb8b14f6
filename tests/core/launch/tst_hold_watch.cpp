// SPDX-License-Identifier: Apache-2.0
// What keeps a process from running, judged from signs and read from real processes.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <csignal>

#include "core/launch/process/hold_watch.h"

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
};

QTEST_GUILESS_MAIN(HoldWatchTest)
#include "tst_hold_watch.moc"
