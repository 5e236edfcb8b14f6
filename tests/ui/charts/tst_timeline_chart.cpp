// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>
#include <cmath>
#include <numeric>

#include "ui/charts/surface/timeline_chart.h"
#include "ui/style/theme.h"

using namespace lockstep::ui;

namespace {

constexpr qint64 kBegin = 1'790'000'000'000'000'000;
constexpr qint64 kMillisecond = 1'000'000;

/// How long the phases of a step take, in hundredths of it.
using Shares = std::array<int, StepLane::kPhases>;
constexpr Shares kUsual{10, 20, 30, 25, 10};  // and a rest of 5

QVector<TimelineChart::Name> processes(int count) {
    QVector<TimelineChart::Name> names;
    for (int process = 0; process < count; ++process)
        names.push_back({QStringLiteral("process %1").arg(process), QString::number(process)});
    return names;
}

/// Steps from number `first` on that follow each other from `begin` on.
std::vector<StepLane::Step> steps(qint64 first, int count, qint64 begin, qint64 each,
                                  const Shares& shares = kUsual) {
    std::vector<StepLane::Step> made;
    for (int i = 0; i < count; ++i) {
        StepLane::Step step{first + i, begin + i * each, begin + (i + 1) * each, {}};
        qint64 mark = step.begin;
        for (std::size_t phase = 0; phase < shares.size(); ++phase)
            step.phaseEnds[phase] = mark += each * shares[phase] / 100;
        made.push_back(step);
    }
    return made;
}

void press(QWidget& chart, Qt::Key key, int times) {
    for (int i = 0; i < times; ++i)
        QTest::keyClick(&chart, key);
}

/// What is painted at a time in a lane.
QColor colourAt(TimelineChart& chart, int lane, qint64 time) {
    const QImage picture = chart.grab().toImage();
    return picture.pixelColor(int(std::floor(chart.xAt(time))),
                              int(chart.track(lane).center().y()));
}

}  // namespace

class TestTimelineChart : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }

    void eachPhaseOfAStepIsASpanInItsColour() {
        TimelineChart chart;
        chart.resize(800, 100);
        chart.setLanes(processes(1));
        chart.addSteps(0, steps(1, 4, kBegin, 100 * kMillisecond));
        press(chart, Qt::Key_Minus, 1);  // all of them
        press(chart, Qt::Key_Plus, 1);
        QVERIFY(chart.isFollowing());
        QCOMPARE(chart.shownUntil(), kBegin + 400 * kMillisecond);
        const qint64 last = kBegin + 300 * kMillisecond;
        const std::array<qint64, StepLane::kPhases> middles{5, 20, 45, 72, 90};
        for (std::size_t phase = 0; phase < middles.size(); ++phase)
            QCOMPARE(colourAt(chart, 0, last + middles[phase] * kMillisecond),
                     Theme::light().phaseColour(int(phase)));
    }

    void replicasLieUnderEachOtherOnOneClock() {
        TimelineChart chart;
        chart.resize(800, 120);
        chart.setLanes(processes(2));
        chart.addSteps(0, steps(1, 4, kBegin, 100 * kMillisecond));
        chart.addSteps(1, steps(1, 3, kBegin + 50 * kMillisecond, 100 * kMillisecond));
        press(chart, Qt::Key_Minus, 1);
        const qint64 time = kBegin + 345 * kMillisecond;
        QCOMPARE(colourAt(chart, 0, time), Theme::light().phaseColour(2));
        // The second one was then at the very end of its last step but 5 ms.
        QVERIFY(colourAt(chart, 1, time) != Theme::light().phaseColour(2));
        QVERIFY(chart.describe({chart.xAt(time), chart.track(1).center().y()})
                    .contains(QStringLiteral("step 3")));
    }

    void zoomingKeepsTheTimeUnderTheMouse() {
        TimelineChart chart;
        chart.resize(800, 100);
        chart.setLanes(processes(1));
        chart.addSteps(0, steps(1, 1000, kBegin, 100 * kMillisecond));
        press(chart, Qt::Key_Minus, 20);
        QVERIFY(chart.shownFrom() <= kBegin);
        const qint64 before = chart.timeAt(400);
        const qint64 span = chart.shownUntil() - chart.shownFrom();
        for (int i = 0; i < 10; ++i) {
            QWheelEvent event({400, 30}, {400, 30}, {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&chart, &event);
        }
        QVERIFY(chart.shownUntil() - chart.shownFrom() < span / 8);
        QVERIFY(std::abs(chart.timeAt(400) - before) < 1000);  // nanoseconds
        QVERIFY(!chart.isFollowing());
        for (int i = 0; i < 200; ++i) {
            QWheelEvent event({400, 30}, {400, 30}, {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&chart, &event);
        }
        QCOMPARE(chart.shownUntil() - chart.shownFrom(), TimelineChart::kLeastSpan);
    }

    void whereStepsAreNarrowerThanAPixelWhatTakesMostIsDrawn() {
        TimelineChart chart;
        chart.resize(800, 100);
        chart.setLanes(processes(1));
        chart.addSteps(0, steps(1, 4000, kBegin, kMillisecond, {10, 20, 50, 10, 10}));
        const qint64 middle = kBegin + 4000 * kMillisecond;
        chart.addSteps(0, steps(4001, 2000, middle, kMillisecond, {80, 5, 5, 5, 5}));
        const qint64 end = middle + 2000 * kMillisecond;
        chart.addSteps(0, steps(6001, 4000, end, kMillisecond, {10, 20, 50, 10, 10}));
        press(chart, Qt::Key_Minus, 30);
        QCOMPARE(colourAt(chart, 0, middle - 1000 * kMillisecond), Theme::light().phaseColour(2));
        QCOMPARE(colourAt(chart, 0, middle + 1000 * kMillisecond), Theme::light().phaseColour(0));
        QCOMPARE(colourAt(chart, 0, end + 1000 * kMillisecond), Theme::light().phaseColour(2));
        chart.setKindNames(
            {QStringLiteral("data"), QStringLiteral("forward"), QStringLiteral("backward")});
        const QString words =
            chart.describe({chart.xAt(middle + 1000 * kMillisecond), chart.track(0).center().y()});
        QVERIFY2(words.contains(QStringLiteral("steps")) && words.contains(QStringLiteral("data")),
                 qPrintable(words));
    }

    void aStretchBetweenStepsIsBlank() {
        StepLane lane;
        for (const auto& step : steps(1, 2, kBegin, 10 * kMillisecond))
            lane.add(step);
        for (const auto& step : steps(3, 1, kBegin + 100 * kMillisecond, 10 * kMillisecond))
            lane.add(step);
        const auto most = [&lane](qint64 from, qint64 to) {
            return StepLane::mostOf(lane.takenBefore(kBegin + from * kMillisecond),
                                    lane.takenBefore(kBegin + to * kMillisecond));
        };
        QCOMPARE(most(30, 90), StepLane::kNothing);
        QCOMPARE(most(-50, 0), StepLane::kNothing);
        QCOMPARE(most(0, 1), 0);
        QCOMPARE(most(0, 200), 2);
        // Clocks may tell that a step began before the one before it had ended.
        for (const auto& step : steps(4, 1, kBegin + 105 * kMillisecond, 10 * kMillisecond))
            lane.add(step);
        QCOMPARE(lane.at(3).begin, kBegin + 110 * kMillisecond);
        QCOMPARE(lane.at(3).end, kBegin + 115 * kMillisecond);
    }

    /// As a picture asks: from one column of pixels to the next.
    void goingForwardFindsWhatSearchingDoes() {
        StepLane lane;
        for (const auto& step : steps(1, 50, kBegin, 7 * kMillisecond))
            lane.add(step);
        for (const auto& step : steps(51, 50, kBegin + 500 * kMillisecond, 3 * kMillisecond))
            lane.add(step);
        for (const qint64 wide : {kMillisecond / 3, 20 * kMillisecond}) {
            std::size_t index = 0;
            for (qint64 time = kBegin - wide; time < kBegin + 700 * kMillisecond; time += wide) {
                QCOMPARE(lane.takenBefore(time, index), lane.takenBefore(time));
                QCOMPARE(index, lane.firstEndingAfter(time));
            }
        }
    }

    void aPartIsPaintedAsItIsInTheWhole() {
        TimelineChart chart;
        chart.setLanes(processes(200));
        chart.resize(600, chart.minimumSizeHint().height());
        for (int lane = 0; lane < 200; ++lane)
            chart.addSteps(lane, steps(1, 40, kBegin + lane * kMillisecond, 10 * kMillisecond));
        const QImage whole = chart.grab().toImage();
        const QRect part(0, chart.height() / 2, 600, 60);
        QCOMPARE(chart.grab(part).toImage(), whole.copy(part));
    }

    void keysZoomAndPanAndZeroFollowsAgain() {
        TimelineChart chart;
        chart.resize(800, 100);
        chart.setLanes(processes(1));
        chart.addSteps(0, steps(1, 1000, kBegin, 10 * kMillisecond));
        QSignalSpy changed(&chart, &TimelineChart::followChanged);
        const qint64 span = chart.shownUntil() - chart.shownFrom();
        press(chart, Qt::Key_W, 1);
        QVERIFY(chart.shownUntil() - chart.shownFrom() < span);
        QVERIFY(chart.isFollowing());
        press(chart, Qt::Key_A, 1);
        QVERIFY(!chart.isFollowing());
        const qint64 until = chart.shownUntil();
        press(chart, Qt::Key_D, 1);
        QVERIFY(chart.shownUntil() > until);
        press(chart, Qt::Key_A, 200);
        QCOMPARE(chart.shownFrom(), kBegin);  // there is nothing before
        press(chart, Qt::Key_0, 1);
        QVERIFY(chart.isFollowing());
        QCOMPARE(chart.shownUntil(), kBegin + 10'000 * kMillisecond);
        QCOMPARE(changed.count(), 2);
        chart.addSteps(0, steps(1001, 1, kBegin + 10'000 * kMillisecond, 10 * kMillisecond));
        QCOMPARE(chart.shownUntil(), kBegin + 10'010 * kMillisecond);
    }

    /// A last validation, or a loss that is found late, is longer than many quick steps.
    void followingShowsTheNewestStepsWhateverCameBehindThem() {
        TimelineChart chart;
        chart.resize(800, 120);
        chart.setLanes(processes(1));
        chart.addSteps(0, steps(1, 1000, kBegin, 3 * kMillisecond));
        const qint64 end = kBegin + 3000 * kMillisecond;
        chart.setLosses(0, {{end + 900 * kMillisecond, QStringLiteral("killed")}});
        chart.setCheckpoints({{end + 300 * kMillisecond, end + 500 * kMillisecond, 1000}});
        QVERIFY(chart.isFollowing());
        QCOMPARE(chart.shownUntil(), end);
        QCOMPARE(colourAt(chart, 0, end - 17 * kMillisecond / 10), Theme::light().phaseColour(2));
        press(chart, Qt::Key_D, 200);  // what came behind is there, too
        QCOMPARE(chart.shownUntil(), end + 900 * kMillisecond);
        press(chart, Qt::Key_0, 1);
        QCOMPARE(chart.shownUntil(), end);
    }

    void aClockThatRanAheadFreezesNoLane() {
        TimelineChart chart;
        chart.setLanes(processes(2));
        chart.addSteps(0, steps(1, 10, kBegin, 10 * kMillisecond));
        chart.addSteps(1, steps(1, 10, kBegin, 10 * kMillisecond));
        constexpr qint64 kHour = 3'600'000 * kMillisecond;
        chart.addSteps(0, steps(11, 5, kBegin + kHour, 10 * kMillisecond));
        QCOMPARE(chart.shownUntil(), kBegin + kHour + 50 * kMillisecond);
        chart.addSteps(0, steps(16, 5, kBegin + 150 * kMillisecond, 10 * kMillisecond));
        const StepLane& lane = chart.lane(0);
        QCOMPARE(lane.size(), std::size_t(15));
        QCOMPARE(lane.at(9).number, 10);
        QCOMPARE(lane.at(10).number, 16);
        QCOMPARE(lane.at(10).begin, kBegin + 150 * kMillisecond);
        QCOMPARE(lane.end(), kBegin + 200 * kMillisecond);
        QCOMPARE(chart.shownUntil(), lane.end());
        StepLane::Taken all = lane.takenBefore(lane.end());
        QCOMPARE(std::accumulate(all.begin(), all.end(), qint64(0)), 150 * kMillisecond);
    }

    void aStepsPhaseIsSaidUnderTheMouse() {
        TimelineChart chart;
        chart.resize(800, 100);
        chart.setLanes(processes(1));
        chart.setKindNames({QStringLiteral("data"), QStringLiteral("forward"),
                            QStringLiteral("backward"), QStringLiteral("all-reduce")});
        chart.addSteps(0, steps(41, 4, kBegin, 100 * kMillisecond));
        press(chart, Qt::Key_Minus, 1);
        chart.setLosses(0, {{kBegin + 400 * kMillisecond, QStringLiteral("killed")}});
        const double y = chart.track(0).center().y();
        const QString step = chart.describe({chart.xAt(kBegin + 172 * kMillisecond), y});
        QVERIFY2(step.startsWith(QStringLiteral("process 0, step 42: all-reduce for 25.0")),
                 qPrintable(step));
        const QString loss = chart.describe({chart.xAt(kBegin + 400 * kMillisecond), y});
        QCOMPARE(loss, QStringLiteral("process 0 was lost: killed"));
    }

    void writesOfCheckpointsHaveALaneBeneath() {
        TimelineChart chart;
        chart.resize(800, 140);
        chart.setLanes(processes(2));
        const int height = chart.minimumSizeHint().height();
        chart.addSteps(0, steps(1, 4, kBegin, 100 * kMillisecond));
        chart.setCheckpoints({{kBegin + 200 * kMillisecond, kBegin + 300 * kMillisecond, 2}});
        QVERIFY(chart.minimumSizeHint().height() > height);
        press(chart, Qt::Key_Minus, 1);
        const qint64 time = kBegin + 250 * kMillisecond;
        QCOMPARE(colourAt(chart, 2, time), Theme::light().phaseColour(6));
        QVERIFY(chart.describe({chart.xAt(time), chart.track(2).center().y()})
                    .startsWith(QStringLiteral("checkpoint of step 2")));
    }

    void whereOlderStepsAreNotKeptThatIsSaid() {
        TimelineChart chart;
        chart.resize(800, 100);
        chart.setLanes(processes(1));
        constexpr int kMany = int(TimelineChart::kMostStepsPerLane);
        chart.addSteps(0, steps(1, kMany, kBegin, kMillisecond));
        press(chart, Qt::Key_Minus, 40);
        QCOMPARE(chart.olderWords(), QString());
        chart.addSteps(0, steps(kMany + 1, 10, kBegin + kMany * kMillisecond, kMillisecond));
        QCOMPARE(chart.lane(0).size(), std::size_t(kMany));
        press(chart, Qt::Key_Minus, 1);
        QVERIFY(chart.olderWords().contains(QStringLiteral("slider below")));
        press(chart, Qt::Key_Plus, 3);
        QCOMPARE(chart.olderWords(), QString());  // all that is shown is kept
        chart.clear();
        QCOMPARE(chart.olderWords(), QString());
    }

    void ofManyReplicasFewerStepsAreKept() {
        TimelineChart chart;
        chart.setLanes(processes(1000));
        QVERIFY(chart.stepsPerLane() * 1000 <= TimelineChart::kMostSteps);
        chart.addSteps(3, steps(1, 5000, kBegin, kMillisecond));
        QCOMPARE(chart.lane(3).size(), chart.stepsPerLane());
    }

    void lanesThatStayKeepTheirSteps() {
        TimelineChart chart;
        chart.setLanes(processes(3));
        chart.addSteps(1, steps(1, 10, kBegin, kMillisecond));
        chart.setLanes(processes(2));
        QCOMPARE(chart.lane(1).size(), std::size_t(10));
    }
};

QTEST_MAIN(TestTimelineChart)
#include "tst_timeline_chart.moc"
