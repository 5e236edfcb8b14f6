// SPDX-License-Identifier: Apache-2.0
// When a loop that does not turn any more is told of, and when it is given up.
#include <QtTest>

#include "core/base/loop_watch.h"

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

/// Looks every 100 ms from `from` to `to` at a loop that has turned at `turned` last: how often it
/// warned, and whether it gave up.
struct Looks {
    int warnings = 0;
    bool gaveUp = false;

    Looks(LoopWatch& watch, Nanos turned, Nanos from, Nanos to) {
        for (Nanos now = from; now <= to; now += 100ms) {
            const LoopWatch::Step step = watch.look(turned, now);
            warnings += step == LoopWatch::Step::Warn ? 1 : 0;
            gaveUp = gaveUp || step == LoopWatch::Step::GiveUp;
        }
    }
};

}  // namespace

class LoopWatchTest : public QObject {
    Q_OBJECT
private slots:
    void whatTurnsIsLeftAlone() {
        LoopWatch watch(3s, 10s);
        for (Nanos now = 100s; now < 200s; now += 100ms)
            QVERIFY(watch.look(now - 20ms, now) == LoopWatch::Step::GoOn);
    }
    void whatStandsIsToldOnceAndGivenUp() {
        LoopWatch watch(3s, 10s);
        const Looks soon(watch, 100s, 100s, 102900ms);
        QVERIFY(soon.warnings == 0 && !soon.gaveUp);
        const Looks later(watch, 100s, 103s, 109900ms);
        QVERIFY(later.warnings == 1 && !later.gaveUp);
        QVERIFY(watch.look(100s, 110s) == LoopWatch::Step::GiveUp);
        QVERIFY(watch.stood() == 10s);
    }
    void whatTurnsAgainIsToldAnew() {
        LoopWatch watch(3s, 10s);
        QCOMPARE(Looks(watch, 100s, 100s, 105s).warnings, 1);
        QCOMPARE(Looks(watch, 106s, 106s, 108s).warnings, 0);
        const Looks again(watch, 106s, 109s, 112s);
        QVERIFY(again.warnings == 1 && !again.gaveUp);
    }
    /// A machine that sleeps, a process that is stopped as a whole: the loop did not run, nor did
    /// whoever looks.
    void aTimeInWhichNobodyLookedHardlyCounts() {
        LoopWatch watch(3s, 10s);
        QVERIFY(watch.look(100s, 100s) == LoopWatch::Step::GoOn);
        QVERIFY(watch.look(100s, 100s + 1h) == LoopWatch::Step::GoOn);
        QVERIFY(watch.stood() == 500ms);
        QVERIFY(watch.look(101s + 1h, 101s + 1h) == LoopWatch::Step::GoOn);
        QVERIFY(watch.stood() == 0s);
    }
};

QTEST_GUILESS_MAIN(LoopWatchTest)
#include "tst_loop_watch.moc"
