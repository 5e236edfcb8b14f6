// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes of Live in the real window over made journals: steps, and what the hosts are loaded
// with, on one clock. LOCKSTEP_PICTURES=FOLDER saves what the page looks like.
#include <QAbstractButton>
#include <QPushButton>
#include <QToolButton>
#include <QtTest>
#include <optional>

#include "tests/ui/shell/journal_desk.h"
#include "ui/charts/store/load_curve.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/replicas/replica_map.h"
#include "ui/pages/replicas/replicas_page.h"
#include "ui/shell/time_travel.h"
#include "ui/widgets/time_slider.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::JournalDesk;
using testsupport::JournalRun;
using Shape = JournalRun::Shape;

namespace {

constexpr int kSoon = 30'000;
constexpr qint64 kSecond = LoadCurve::kSecond;

/// All that the load lanes say a moment before the newest step.
QStringList saidOf(const TimelineChart& chart) {
    const double x = chart.xAt(chart.shownUntil() - kSecond / 10);
    QStringList words;
    for (int lane = 0; lane < chart.loadLaneCount(); ++lane)
        words << chart.describe({x, chart.loadTrack(lane).center().y()});
    return words;
}

bool says(const QStringList& words, const char* pattern) {
    return !words.filter(QRegularExpression(QLatin1String(pattern))).isEmpty();
}

std::optional<double> valueAt(const LoadCurve& curve, qint64 time) {
    std::size_t index = curve.indexAt(time);
    return curve.within(time, time + 1, index);
}

/// Trains for some seconds and tells what it uses meanwhile.
void train(JournalRun& run, const Shape& shape, bool gpus) {
    run.launch(shape);
    run.train(shape, 0);
    run.steps(shape, 1, 400);
    run.figures(shape, 6, gpus);
}

TimelineChart& stepsOf(JournalDesk& desk) {
    desk.find<QToolButton>("stepsToggle").setChecked(true);
    return desk.find<TimelineChart>("timelineChart");
}

}  // namespace

class LiveLanesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-live-lanes"));
        QSettings().clear();
    }

    void aHostUsesWhatItsProcessesUse() {
        const Shape shape{.processes = 4, .evaluator = false, .hosts = 2};
        JournalRun run;
        train(run, shape, true);
        JournalDesk desk(run);
        TimelineChart& chart = stepsOf(desk);
        QTRY_COMPARE_WITH_TIMEOUT(chart.loadLaneCount(), 6, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(chart.lane(3).size() == 400, kSoon);
        desk.settle();
        const QStringList said = saidOf(chart);
        const QString all = said.join(QLatin1Char('|'));
        QVERIFY2(says(said, "^node-0, processors at .*: 110.%"), qPrintable(all));  // 50 + 60
        QVERIFY2(says(said, "^node-1, processors at .*: 150.%"), qPrintable(all));  // 70 + 80
        QVERIFY2(says(said, "^node-1, memory at .*: 2(\\.\\d+)?.GiB"), qPrintable(all));
        QVERIFY2(says(said, "^node-0, GPUs at .*: 90.%"), qPrintable(all));
        desk.picture(QStringLiteral("lanes-2"));
    }

    void linesLieWhereTheStepsOfThatTimeDo() {
        const Shape shape{.processes = 1, .evaluator = false};
        JournalRun run;
        train(run, shape, false);
        JournalDesk desk(run);
        TimelineChart& chart = stepsOf(desk);
        QTRY_COMPARE_WITH_TIMEOUT(chart.loadLaneCount(), 2, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(chart.lane(0).size() == 400, kSoon);
        desk.settle();
        const QRectF area = chart.loadTrack(0);
        QVERIFY(area.top() >= chart.track(0).bottom());
        QCOMPARE(area.left(), chart.track(0).left());
        QCOMPARE(area.right(), chart.track(0).right());
        // 50 percent of a processor, where the lane is as high as one: its lower half is filled.
        const QImage picture = chart.grab().toImage();
        const int x = int(chart.xAt(chart.shownUntil() - kSecond / 10));
        const auto colour = [&](double share) {
            return picture.pixelColor(x, int(area.bottom() - share * area.height()));
        };
        QCOMPARE(colour(0.2), colour(0.35));
        QCOMPARE(colour(0.65), colour(0.8));
        QVERIFY2(colour(0.2) != colour(0.8), qPrintable(colour(0.2).name()));
    }

    void ofManyHostsALaneHasALineEach() {
        const Shape shape{.processes = 12, .evaluator = false, .hosts = 6};
        JournalRun run;
        train(run, shape, true);
        JournalDesk desk(run);
        TimelineChart& chart = stepsOf(desk);
        QTRY_VERIFY_WITH_TIMEOUT(
            says(saidOf(chart), "^processors at .*: from 110.% \\(node-0\\) to 310.% \\(node-5\\)"),
            kSoon);
        QCOMPARE(chart.loadLaneCount(), 3);
        desk.settle();
        desk.picture(QStringLiteral("lanes-6"));
    }

    void ofAThousandHostsNoMoreIsKeptThanOfAFew() {
        constexpr int kHosts = 1000;
        constexpr int kSeconds = 600;
        TimelineChart chart;
        chart.resize(1280, 240);
        chart.setLanes({{QStringLiteral("process 0"), QStringLiteral("0")}});
        const StepLane::Step step{1, kSecond, kSeconds * kSecond, {}};
        chart.addSteps(0, {&step, 1});
        for (int second = 1; second <= kSeconds; ++second)
            for (int host = 0; host < (second < 10 ? 4 : kHosts); ++host)
                for (const auto load : {TimelineChart::Load::Processors,
                                        TimelineChart::Load::Memory, TimelineChart::Load::Gpus})
                    chart.addLoad(QString::number(host), load, 0, second * kSecond, 50);
        QCOMPARE(chart.loadLaneCount(), 3);
        QCOMPARE(chart.loadsPerCurve(), TimelineChart::kMostLoads / (3 * kHosts));
        QCOMPARE(chart.loadCount(), TimelineChart::kMostLoads);
        // All their lines are one here, between nothing above and nothing below.
        const QRectF area = chart.loadTrack(0);
        const QImage picture = chart.grab().toImage();
        const int x = int(chart.xAt(chart.shownUntil() - kSecond));
        const auto colour = [&](double share) {
            return picture.pixelColor(x, int(area.bottom() - share * area.height()));
        };
        QCOMPARE(colour(0.25), colour(0.75));
        QSet<QRgb> seen;
        for (double share = 0.25; share < 0.75; share += 0.02)
            seen << colour(share).rgb();
        QVERIFY(seen.size() > 1);
        chart.clear();
        QCOMPARE(chart.loadCount(), std::size_t{0});
    }

    void theLanesCanHaveThePage() {
        const Shape shape{.processes = 2, .evaluator = false};
        JournalRun run;
        train(run, shape, false);
        run.beats(shape, 3, 400, wire::PHASE_FORWARD);
        JournalDesk desk(run);
        TimelineChart& chart = stepsOf(desk);
        QTRY_VERIFY_WITH_TIMEOUT(chart.loadLaneCount() == 2 && chart.isVisible(), kSoon);
        desk.settle();
        auto& loss = desk.find<LiveChart>("lossChart");
        const double lane = chart.track(0).height();
        const double load = chart.loadTrack(0).height();
        desk.find<QAbstractButton>("maximizeLanes").click();
        QVERIFY(!loss.isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(chart.track(0).height() > 2 * lane, kSoon);
        QVERIFY(chart.loadTrack(0).height() > 2 * load);
        QVERIFY(chart.loadTrack(1).bottom() < chart.height());
        desk.settle();
        desk.picture(QStringLiteral("lanes-alone"));
        // So have the heartbeats in their place.
        desk.find<QToolButton>("stepsToggle").setChecked(false);
        QVERIFY(desk.find<HeartbeatChart>("heartbeatChart").isVisible() && !loss.isVisible());
        desk.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&desk.window()));
        QTest::keyClick(&desk.window(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(loss.isVisible(), kSoon);
        // Folded, they give the page back.
        desk.find<QAbstractButton>("maximizeLanes").click();
        QVERIFY(!loss.isVisible());
        desk.find<QAbstractButton>("heartbeatFold").click();
        QVERIFY(loss.isVisible() && !desk.find<HeartbeatChart>("heartbeatChart").isVisible());
    }

    void howTheyAreShownGoesIntoThePastAndComesBack() {
        const Shape shape{.processes = 2, .evaluator = false};
        JournalRun run;
        run.backdate(60);
        run.launch(shape);
        run.train(shape, 0);
        run.backdate(50);
        run.steps(shape, 1, 200);
        run.backdate(20);
        run.steps(shape, 201, 400);
        run.end("completed");
        JournalDesk desk(run);
        MainWindow& window = desk.window();
        const TimeTravel& travel = window.travel();
        auto& slider = desk.find<TimeSlider>("timeSlider");
        // Without the pauses.
        QTRY_VERIFY_WITH_TIMEOUT(travel.timeline() && slider.seconds() > 5, kSoon);
        desk.settle();
        desk.find<QAbstractButton>("maximizeLanes").click();
        window.presentPages().replicas().map().choose(int(ReplicaMap::Accuracy));

        Q_EMIT slider.wanted(slider.seconds() / 2);
        QTRY_VERIFY_WITH_TIMEOUT(travel.view() && travel.isSettled(), kSoon);
        const LivePage& then = window.pastPages()->live();
        QTRY_VERIFY_WITH_TIMEOUT(then.isVisible(), kSoon);
        QVERIFY(!then.chart(LiveFeed::Loss).isVisible());
        ReplicaMap& map = window.pastPages()->replicas().map();
        QCOMPARE(map.chosen().toInt(), int(ReplicaMap::Accuracy));
        map.choose(int(ReplicaMap::Loss));
        then.findChild<QAbstractButton*>(QStringLiteral("heartbeatFold"))->click();
        QVERIFY(then.chart(LiveFeed::Loss).isVisible());

        QTest::mouseClick(&desk.find<QPushButton>("backToNow"), Qt::LeftButton);
        QVERIFY(!travel.isInPast());
        const LivePage& now = window.presentPages().live();
        QTRY_VERIFY_WITH_TIMEOUT(now.chart(LiveFeed::Loss).isVisible(), kSoon);
        QVERIFY(!now.findChild<HeartbeatChart*>()->isVisible());
        QVERIFY(!now.findChild<TimelineChart*>()->isVisible());
        QCOMPARE(window.presentPages().replicas().map().chosen().toInt(), int(ReplicaMap::Loss));
    }

    void whoHasSaidNothingForAWhileUsesNothing() {
        LoadCurve sum(LoadCurve::Together::Sum);
        for (int second = 1; second <= 20; ++second) {
            sum.add(0, second * kSecond, 100);
            if (second <= 10) sum.add(1, second * kSecond + kSecond / 2, 40);
        }
        QCOMPARE(valueAt(sum, 9 * kSecond + kSecond / 4), 140.0);
        QCOMPARE(valueAt(sum, 20 * kSecond), 100.0);
        QVERIFY(!valueAt(sum, 24 * kSecond));  // nor is anything said of later
        QCOMPARE(sum.highest(), 140.0);
        LoadCurve mean(LoadCurve::Together::Mean);
        mean.add(0, kSecond, 100);
        mean.add(1, kSecond, 40);
        QCOMPARE(valueAt(mean, kSecond), 70.0);
    }

    void aClockThatRanAheadDoesNotHideWhatComesNow() {
        LoadCurve curve(LoadCurve::Together::Sum);
        curve.add(0, 10 * kSecond, 1);
        curve.add(0, 500 * kSecond, 20);
        curve.add(0, 11 * kSecond, 3);
        QCOMPARE(curve.end(), 11 * kSecond);
        QCOMPARE(valueAt(curve, 10 * kSecond), 1.0);
        QCOMPARE(valueAt(curve, 11 * kSecond), 3.0);
        QCOMPARE(curve.highest(), 3.0);
    }

    /// Nor does whose clock ran ahead for ever, when others alone go on.
    void whoIsLateTakesNothingFromTheOthers() {
        LoadCurve curve(LoadCurve::Together::Sum);
        for (int second = 1; second <= 20; ++second)
            curve.add(0, second * kSecond, 100);
        curve.add(1, 10 * kSecond, 40);
        QCOMPARE(curve.end(), 20 * kSecond);
        QCOMPARE(valueAt(curve, 15 * kSecond), 100.0);
        curve.add(1, 20 * kSecond, 40);
        QCOMPARE(valueAt(curve, 20 * kSecond), 140.0);
        curve.add(1, 18 * kSecond, 40);  // a little late, then more: it does not go back itself
        curve.add(0, 23 * kSecond, 100);
        curve.add(1, 19 * kSecond, 40);
        QCOMPARE(curve.end(), 23 * kSecond);
        QCOMPARE(valueAt(curve, 20 * kSecond), 140.0);
        curve.add(0, 5000 * kSecond, 900);
        for (int second = 21; second < 21 + LoadCurve::kMostLate; ++second)
            curve.add(1, second * kSecond, 40);
        const qint64 newest = (20 + LoadCurve::kMostLate) * kSecond;
        QCOMPARE(curve.end(), newest);
        QCOMPARE(valueAt(curve, newest), 40.0);
        QCOMPARE(curve.highest(), 140.0);
    }

    void theNewestPointsAreKeptAndHighOnesAreSeenInAnyStretch() {
        LoadCurve curve(LoadCurve::Together::Sum);
        const auto count = qint64(LoadCurve::kMostPoints) + 100;
        for (qint64 second = 1; second <= count; ++second)
            curve.add(0, second * kSecond, second == count - 50 ? 90 : 10);
        QVERIFY(!valueAt(curve, 50 * kSecond));
        QCOMPARE(valueAt(curve, count * kSecond), 10.0);
        std::size_t index = curve.indexAt(0);
        QCOMPARE(curve.within(0, (count + 1) * kSecond, index), 90.0);
    }
};

QTEST_MAIN(LiveLanesTest)
#include "tst_live_lanes.moc"
