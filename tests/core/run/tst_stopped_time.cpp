// SPDX-License-Identifier: Apache-2.0
// For how long a process counts as stopped.
#include <QtTest>

#include "core/run/stopped_time.h"

using namespace lockstep;
using namespace lockstep::run;
using namespace std::chrono_literals;

class StoppedTimeTest : public QObject {
    Q_OBJECT
private slots:
    void itCountsFromTheFirstLookThatFindsItStopped() {
        StoppedTime stopped;
        QCOMPARE(stopped.note(false, 100s), Nanos{});
        QCOMPARE(stopped.note(true, 101s), Nanos{});
        QCOMPARE(stopped.note(true, 102s), Nanos(1s));
        QCOMPARE(stopped.note(true, 103s + 500ms), Nanos(2500ms));
    }
    void whoGoesOnBeginsAnew() {
        StoppedTime stopped;
        std::ignore = stopped.note(true, 100s);
        std::ignore = stopped.note(true, 101s);
        QCOMPARE(stopped.note(false, 102s), Nanos{});
        QCOMPARE(stopped.note(true, 103s), Nanos{});
        QCOMPARE(stopped.note(true, 104s), Nanos(1s));
    }
    /// The session was stopped as a whole, with whoever looks.
    void aTimeWithoutLooksHardlyCounts() {
        StoppedTime stopped;
        std::ignore = stopped.note(true, 100s);
        QCOMPARE(stopped.note(true, 100s + 1h), Nanos(2s));
        QCOMPARE(stopped.note(true, 101s + 1h), Nanos(3s));
    }
};

QTEST_GUILESS_MAIN(StoppedTimeTest)
#include "tst_stopped_time.moc"
