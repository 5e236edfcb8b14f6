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
        QCOMPARE(stopped.note(false, 7, 100s), Nanos{});
        QCOMPARE(stopped.note(true, 7, 101s), Nanos{});
        QCOMPARE(stopped.note(true, 7, 102s), Nanos(1s));
        QCOMPARE(stopped.note(true, 7, 103s + 500ms), Nanos(2500ms));
    }
    void whoGoesOnBeginsAnew() {
        StoppedTime stopped;
        std::ignore = stopped.note(true, 7, 100s);
        std::ignore = stopped.note(true, 7, 101s);
        QCOMPARE(stopped.note(false, 7, 102s), Nanos{});
        QCOMPARE(stopped.note(true, 7, 103s), Nanos{});
        QCOMPARE(stopped.note(true, 7, 104s), Nanos(1s));
    }
    /// Whoever slows it down stops it again and again.
    void whoRunsBetweenTwoLooksWasNotStoppedForLong() {
        StoppedTime stopped;
        for (int look = 0; look < 20; ++look)
            QCOMPARE(stopped.note(true, 7 + std::uint64_t(look), 100s + look * 1s), Nanos{});
        QCOMPARE(stopped.note(true, 26, 120s), Nanos(1s));
    }
    /// The session was stopped as a whole, with whoever looks.
    void aTimeWithoutLooksHardlyCounts() {
        StoppedTime stopped;
        std::ignore = stopped.note(true, 7, 100s);
        QCOMPARE(stopped.note(true, 7, 100s + 1h), Nanos(2s));
        QCOMPARE(stopped.note(true, 7, 101s + 1h), Nanos(3s));
    }
};

QTEST_GUILESS_MAIN(StoppedTimeTest)
#include "tst_stopped_time.moc"
