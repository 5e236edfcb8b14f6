// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "ui/style/window_beat.h"

using namespace lockstep::ui;

namespace {

/// A window that goes from beat to beat, on clocks of its own.
struct Window {
    qint64 now = 1'000'000;
    double processor = 3;
    WindowBeat beat{{[this] { return now; }, [this] { return processor; }}};

    void showBeats(int count, double costSeconds) {
        for (int i = 0; i < count; ++i) {
            now += beat.untilNext();
            processor += costSeconds;
        }
    }
};

}  // namespace

class TestWindowBeat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allWhoAskWaitForTheSameMoment() {
        Window window;
        for (const qint64 later : {0, 1, 77, 199}) {
            window.now = 1'000'000 + later;
            QCOMPARE(window.now + window.beat.untilNext(), qint64(1'000'200));
        }
        window.now = 1'000'200;
        QCOMPARE(window.beat.untilNext(), 200);
    }

    void everythingIsShownOnceABeatHoweverLateItWasShownBefore() {
        Window window;
        for (const qint64 later : {0, 5, 60, 199}) {
            window.now = 1'000'200 + later;
            QCOMPARE(window.beat.untilAgain(later + 1), 0);  // before this beat
            QCOMPARE(window.beat.untilAgain(10'000), 0);
            QCOMPARE(window.beat.untilAgain(later), int(200 - later));  // since this beat
            QCOMPARE(window.beat.untilAgain(0), int(200 - later));
        }
    }

    void cheapBeatsComeFiveTimesASecond() {
        Window window;
        window.showBeats(100, 0.003);
        QCOMPARE(window.beat.interval(), WindowBeat::kLeastMilliseconds);
    }

    void dearBeatsTakeNoMoreThanTheirShareOfAProcessor() {
        Window window;
        for (const double cost : {0.005, 0.009, 0.015}) {
            window.showBeats(200, cost);
            const double share = cost / (double(window.beat.interval()) * 1e-3);
            QVERIFY2(share <= WindowBeat::kShare, qPrintable(QString::number(share)));
            QVERIFY2(share > WindowBeat::kShare / 2, "and come no less often than that asks for");
        }
    }

    void noBeatIsMoreThanASecondAway() {
        Window window;
        window.showBeats(200, 5.0);
        QCOMPARE(window.beat.interval(), WindowBeat::kLeastMilliseconds * WindowBeat::kMostTimes);
        QCOMPARE(WindowBeat::kLeastMilliseconds * WindowBeat::kMostTimes, qint64(1000));
    }

    void oneLongPaintingSlowsNothingDown() {
        Window window;
        window.showBeats(1, 3.0);
        window.showBeats(5, 0.001);
        QCOMPARE(window.beat.interval(), WindowBeat::kLeastMilliseconds);
    }

    void beatsThatHaveBecomeCheapComeSoonerAgain() {
        Window window;
        window.showBeats(100, 0.015);
        QVERIFY(window.beat.interval() > WindowBeat::kLeastMilliseconds);
        window.showBeats(100, 0.001);
        QCOMPARE(window.beat.interval(), WindowBeat::kLeastMilliseconds);
    }

    void theIntervalRestsWhereTheCostVariesALittle() {
        Window window;
        window.showBeats(100, 0.0078);
        const qint64 interval = window.beat.interval();
        for (int i = 0; i < 50; ++i) {
            window.showBeats(1, i % 2 == 0 ? 0.0070 : 0.0084);
            QCOMPARE(window.beat.interval(), interval);
        }
    }

    void whatOtherThreadsComputeCountsToo() {
        Window window;
        for (int i = 0; i < 100; ++i) {
            window.beat.add(0.007);
            window.showBeats(1, 0.0);
        }
        QCOMPARE(window.beat.interval(), 2 * WindowBeat::kLeastMilliseconds);
    }

    void aPauseIsNoBeat() {
        Window window;
        window.showBeats(100, 0.006);
        QCOMPARE(window.beat.interval(), 2 * WindowBeat::kLeastMilliseconds);
        window.now += 60'000;  // nothing grew for a minute
        (void)window.beat.untilNext();
        QCOMPARE(window.beat.interval(), 2 * WindowBeat::kLeastMilliseconds);
    }
};

QTEST_GUILESS_MAIN(TestWindowBeat)
#include "tst_window_beat.moc"
