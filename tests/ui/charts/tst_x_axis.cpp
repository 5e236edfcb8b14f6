// SPDX-License-Identifier: GPL-3.0-or-later
// What the x axis counts: steps, epochs, the time for which a run has run, the time of day; linear
// and logarithmic, after a resume too.
#include <QSet>
#include <QSignalSpy>
#include <QtTest>
#include <array>
#include <cmath>

#include "tests/ui/bench/chart_exactness.h"
#include "tests/ui/charts/chart_page.h"
#include "tests/ui/charts/layer_request.h"
#include "ui/charts/paint/ticks.h"
#include "ui/style/theme.h"

using namespace lockstep::ui;
using Page = lockstep::testsupport::ChartPage;

namespace {

constexpr double kStart = 1.7e9;
constexpr double kPause = 3600;
constexpr int kResumedAt = 601;  // of 1,000 steps, a quarter of a second each
constexpr double kResumed = kStart + 150 + kPause;

/// When the steps of a run ended that was resumed an hour later.
std::vector<double> resumedTimes(int count = 1000) {
    std::vector<double> times;
    for (int step = 1; step <= count; ++step)
        times.push_back(kStart + 0.25 * step + (step >= kResumedAt ? kPause : 0));
    return times;
}

/// A chart of so many replicas with all that is known of a run.
struct Charts {
    ChartGroup group;
    LiveChart chart{&group};

    explicit Charts(int replicas) {
        chart.resize(600, 300);
        QVector<SeriesInfo> series;
        for (int i = 0; i < replicas; ++i)
            series.append({QStringLiteral("Replica %1").arg(i), {}, false, -1});
        group.setSeries(series);
        std::vector<float> values(1000);
        for (int i = 0; i < 1000; ++i)
            values[std::size_t(i)] = float(i + 1) / 1000;
        for (int i = 0; i < replicas; ++i) {
            group.appendTimes(i, 1, resumedTimes());
            group.setStarts(i, {{kResumedAt, kResumed}});
            group.setStepsPerEpoch(i, 250);
            chart.appendSteps(i, 1, values);
        }
        chart.show();
    }
    ChartSurface& surface() const { return *chart.findChild<ChartSurface*>(); }
};

/// Where steps 1 and 1,000 lie.
struct Ends {
    double first;
    double last;
};

Ends endsOf(XAxis axis) {
    switch (axis) {
        case XAxis::Step:
            break;
        case XAxis::Epoch:
            return {1.0 / 250, 4};
        case XAxis::Relative:
            return {0, 0.25 * 999};
        case XAxis::Wall:
            return {0, 0.25 * 999 + kPause};
    }
    return {1, 1000};
}

}  // namespace

class TestXAxis : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }

    void aLogarithmicXAxisHasTicksBetweenItsLabels() {
        Charts page(1);
        // Just inside the lower edge of the plot, in the colour of the minor ticks.
        const auto marksAlongTheEdge = [&page] {
            const QRectF plot = page.surface().plot();
            const QImage picture = page.surface().grab().toImage();
            QSet<int> found;
            for (int x = int(plot.left()) + 2; x < int(plot.right()) - 2; ++x)
                if (picture.pixelColor(x, int(plot.bottom()) - 3) == Theme::light().hairline)
                    found.insert(x);
            return found;
        };
        QTRY_VERIFY(page.chart.isUpToDate());
        const qsizetype linear = marksAlongTheEdge().size();
        page.group.setXAxis(XAxis::Step, true);
        QTRY_VERIFY(page.chart.isUpToDate());
        QTRY_VERIFY(marksAlongTheEdge().size() >= linear + 8);
    }

    void everyAxisFollowsZoomsAndSaysWhereItIs_data() {
        QTest::addColumn<int>("axis");
        QTest::addColumn<bool>("log");
        QTest::addColumn<int>("replicas");
        const std::array names{"step", "epoch", "relative", "wall"};
        for (int axis = 0; axis < 4; ++axis)
            for (const bool log : {false, true})
                for (const int replicas : {1, 2, 16, 64})
                    QTest::addRow("%s %s %d", names[std::size_t(axis)], log ? "log" : "linear",
                                  replicas)
                        << axis << log << replicas;
    }

    void everyAxisFollowsZoomsAndSaysWhereItIs() {
        QFETCH(int, axis);
        QFETCH(bool, log);
        QFETCH(int, replicas);
        Charts page(replicas);
        page.group.setXAxis(XAxis(axis), log);
        const bool isLog = log && XAxis(axis) != XAxis::Wall;
        QCOMPARE(page.group.isLogX(), isLog);
        const auto drawn = [isLog](double place) { return XScale::drawn(place, isLog); };
        const Ends ends = endsOf(XAxis(axis));
        const AxisRange whole = page.group.xRange();
        QTRY_VERIFY(page.chart.isUpToDate());
        QVERIFY(whole.last >= drawn(ends.last));
        QVERIFY(whole.last - drawn(ends.last) < 0.05 * (whole.last - whole.first));
        if (!isLog) QCOMPARE(whole.first, 0.0);
        // All curves are on the screen, to their ends.
        const QImage picture = page.chart.grab().toImage();
        const QRectF plot = page.chart.plotArea();
        const auto column = [&](double x) {
            return int(plot.left() + (x - whole.first) / (whole.last - whole.first) * plot.width());
        };
        int inked = 0;
        for (int y = int(plot.top()); y < int(plot.bottom()); ++y)
            inked += picture.pixelColor(column(drawn(ends.last)) - 2, y).saturation() > 60;
        QVERIFY(inked > 0);

        // The crosshair finds a step where it lies.
        const double at = page.group.scaleOf(0).at(700);
        page.group.setCrosshair(at);
        QVERIFY(page.surface().readout().has_value());
        QVERIFY2(page.surface().readout()->headline.endsWith(QStringLiteral("step 700")),
                 qPrintable(page.surface().readout()->headline));
        QVERIFY(std::abs(page.group.scaleOf(0).stepAt(at) - 700) < 0.6);

        // A part is chosen, zoomed and moved, and never further than there is something.
        Q_EMIT page.surface().ranged(0.6, 0.9);
        const AxisRange part = page.group.xRange();
        QVERIFY(std::abs(part.first - (whole.first + 0.6 * (whole.last - whole.first))) < 1e-6);
        QVERIFY(!page.group.isFollowing());
        for (int i = 0; i < 60; ++i)
            Q_EMIT page.surface().zoomed({0.5, 0.5}, 1.5, 1);
        const AxisRange least = page.group.xRange();
        QVERIFY(least.last > least.first);
        for (int i = 0; i < 200; ++i)
            Q_EMIT page.surface().panned(0.9, 0);
        QVERIFY(page.group.xRange().last <= whole.last + 1e-9);
        for (int i = 0; i < 80; ++i)
            Q_EMIT page.surface().zoomed({0.5, 0.5}, 1 / 1.5, 1);
        QVERIFY(std::abs(page.group.xRange().first - whole.first) < 1e-9);
        QVERIFY(std::abs(page.group.xRange().last - whole.last) < 1e-9);

        page.chart.fit();
        QVERIFY(page.group.isFollowing());
        page.group.setNewest(100);
        const AxisRange newest = page.group.xRange();
        QVERIFY(newest.last >= drawn(ends.last) && newest.first > whole.first);
        const double from = page.group.scaleOf(0).stepAt(newest.first);
        QVERIFY2(from > 880 && from < 905, qPrintable(QString::number(from)));
    }

    void pausesAreLeftOutOfTheRelativeTimeAlone() {
        Charts page(2);
        page.group.setXAxis(XAxis::Relative);
        QVERIFY(std::abs(page.group.scaleOf(1).at(1000) - 249.75) < 0.01);
        QVERIFY(std::abs(page.group.scaleOf(1).at(601) - page.group.scaleOf(1).at(600) - 0.25) <
                0.01);
        QVERIFY(page.group.xRange().last < 260);
        page.group.setXAxis(XAxis::Wall);
        QVERIFY(std::abs(page.group.scaleOf(1).at(1000) - (249.75 + kPause)) < 0.01);
        QVERIFY(page.group.xRange().last > kPause);
    }

    void stepsThatAreRepeatedFromACheckpointCountOnce() {
        Charts page(1);
        // A third start, from the checkpoint of step 800, two hours later.
        std::vector<double> times;
        for (int step = 801; step <= 900; ++step)
            times.push_back(kStart + 0.25 * step + kPause + 7200);
        page.group.appendTimes(0, 801, times);
        page.chart.appendSteps(0, 801, std::vector<float>(100, 0.5F));
        page.group.setStarts(0, {{kResumedAt, kResumed}, {801, kResumed + 7200}});
        page.group.setXAxis(XAxis::Relative);
        QVERIFY(std::abs(page.group.scaleOf(0).at(900) - 0.25 * 899) < 0.01);
        QVERIFY2(page.group.xRange().last < 0.25 * 899 * 1.05,
                 qPrintable(QString::number(page.group.xRange().last)));
        page.group.setXAxis(XAxis::Wall);
        QVERIFY(std::abs(page.group.scaleOf(0).at(900) - (0.25 * 899 + kPause + 7200)) < 0.01);
    }

    /// A replica that is there from a resume on, and one that was not there for one start.
    void pausesAreTheRunsWhoeverWasThere() {
        Charts page(3);
        page.group.setSeries(page.group.series());
        page.group.setXAxis(XAxis::Relative);
        const std::vector<double> times = resumedTimes();
        const auto from = [&times](int step) {
            return std::span(times).subspan(std::size_t(step - 1));
        };
        for (int i = 0; i < 3; ++i)
            page.group.setStarts(i, {{401, kStart + 100}, {kResumedAt, kResumed}});
        page.group.appendTimes(1, kResumedAt, from(kResumedAt));  // who is heard first is chance
        page.group.appendTimes(2, 1, from(1).first(400));
        page.group.appendTimes(2, kResumedAt, from(kResumedAt));
        page.group.appendTimes(0, 1, times);
        for (int i = 0; i < 3; ++i)
            QVERIFY2(std::abs(page.group.scaleOf(i).at(1000) - 249.75) < 1e-3,
                     qPrintable(QString::number(page.group.scaleOf(i).at(1000))));
        QVERIFY(page.group.xRange().last < 260);
        page.group.addSeries({{QStringLiteral("Replica 3"), {}, false, -1}});
        page.group.setStarts(3, {{401, kStart + 100}, {kResumedAt, kResumed}});
        page.group.appendTimes(3, 801, from(801));
        QVERIFY(std::abs(page.group.scaleOf(3).at(1000) - 249.75) < 1e-3);
    }

    /// Programs report figures, whose steps a restart repeats.
    void ofStepsThatAFigureRepeatsTheNewestStartCounts() {
        Charts page(1);
        page.group.setSeries(page.group.series());
        page.group.setXAxis(XAxis::Wall);
        const auto add = [&page](qint64 first, qint64 last, double at) {
            std::vector<qint64> steps;
            std::vector<double> times;
            for (qint64 step = first; step <= last; ++step) {
                steps.push_back(step);
                times.push_back(at + double(step));
            }
            page.group.addTimes(0, steps, times);
        };
        const auto at = [&page](qint64 step) { return page.group.scaleOf(0).at(step); };
        add(1, 100, kStart);
        page.group.setStarts(0, {{51, kStart + 5000}});
        add(51, 60, kStart + 5000);
        add(53, 90, kStart + 6000);  // another figure, later: what is known of a step stays
        add(51, 100, kStart);        // late news of the lost attempt
        QVERIFY(std::abs(at(50) - 49) < 1e-3);
        QVERIFY2(std::abs(at(51) - 5050) < 1e-3, qPrintable(QString::number(at(51))));
        QVERIFY2(std::abs(at(60) - 5059) < 1e-3, qPrintable(QString::number(at(60))));
        QVERIFY2(std::abs(at(90) - 6089) < 1e-3, qPrintable(QString::number(at(90))));
        QCOMPARE(at(100), at(90));  // not known any more
    }

    void timesBehindALongPauseAreAsFineAsBefore() {
        TimeColumn times;
        constexpr double kMonth = 30 * 86400.0;
        times.append(1, std::vector<double>{kStart});
        times.append(2, std::vector<double>{kStart + kMonth, kStart + kMonth + 1e-3});
        QVERIFY(std::abs(times.current().at(2) - times.current().at(1) - 1e-3) < 1e-5);
    }

    void startsThatBecomeKnownBeforeTheirStepsCountFromThem() {
        TimeColumn times;
        times.setStarts({601});
        for (int step = 1; step <= 1000; ++step) {
            const double end = resumedTimes()[std::size_t(step - 1)];
            times.append(step, std::span(&end, 1));
        }
        const TimeView& view = times.current();
        using enum TimeView::Clock;
        QVERIFY(std::abs(view.atStep(1000, Running) - (kStart + 250)) < 1e-3);
        QVERIFY(std::abs(view.stepAtTime(kStart + 175.125, Running) - 700.5) < 0.01);
        qint64 hint = 0;
        for (double time = kStart - 5; time < kStart + 260; time += 0.37)
            QCOMPARE(view.stepAtTime(time, hint, Running), view.stepAtTime(time, Running));
        times.append(401, std::vector<double>{kStart + 9000});  // rewound behind the pause
        QVERIFY(std::abs(times.current().at(400, Running) - (kStart + 9000)) < 1e-3);
    }

    void withoutEpochsStepsStandForThem() {
        Page page;
        page.group.setXAxis(XAxis::Epoch);
        QCOMPARE(page.group.xAxis(), XAxis::Step);
        QVERIFY(page.group.xRange().last > 1000);
        QSignalSpy known(&page.group, &ChartGroup::epochsChanged);
        page.group.setStepsPerEpoch(0, 500);
        QCOMPARE(known.count(), 1);
        QCOMPARE(page.group.xAxis(), XAxis::Epoch);
        QVERIFY(page.group.xRange().last > 2 && page.group.xRange().last < 2.1);
        // A curve without epochs has no place among the others.
        QVERIFY(!page.group.scaleOf(1).isKnown());
        page.group.setCrosshair(1.5);
        QTRY_VERIFY(page.loss->isUpToDate());
        const auto& readout = page.loss->findChild<ChartSurface*>()->readout();
        QVERIFY(readout.has_value());
        QCOMPARE(readout->rows.size(), 1);
        QVERIFY(page.loss->findChild<ChartSurface*>()->note().endsWith(QStringLiteral("axis: 1")));
    }

    void runsBesideEachOtherBeginTogether() {
        Charts page(2);
        page.group.setOwnOrigins(true);
        page.group.setSeries(page.group.series());
        for (int run = 0; run < 2; ++run) {
            page.group.appendTimes(
                run, 1, std::vector<double>{kStart + run * 1e6, kStart + run * 1e6 + 10});
            page.chart.appendSteps(run, 1, std::vector<float>{1, 2});
        }
        page.group.setXAxis(XAxis::Relative);
        QCOMPARE(page.group.scaleOf(1).at(2), 10.0);
        QVERIFY(page.group.xRange().last < 11);
        page.group.setXAxis(XAxis::Wall);
        QVERIFY(std::abs(page.group.scaleOf(1).at(1) - 1e6) < 0.1);
    }

    void columnsAreExactOnALogarithmicScaleToo() {
        std::vector<float> values = noise(50'000);
        for (std::size_t spike = 99; spike < values.size(); spike += 3'919)
            values[spike] = 1;
        Column column;
        column.append(1, values);
        for (const AxisRange x : {AxisRange{0, 4.7}, {2, 4.5}, {4.2, 4.3}}) {
            LayerRequest request = requestFor(column, x, {0, 1});
            request.series[0].scale.logarithmic = true;
            QCOMPARE(lockstep::bench::differingColumns(request, {400, 200}), 0);
        }
    }

    void ticksOfTheClockAreRoundAndUnlike_data() {
        QTest::addColumn<double>("span");
        for (const double span : {0.5, 7.0, 90.0, 4000.0, 30'000.0, 2e5, 3e6})
            QTest::newRow(qPrintable(QString::number(span))) << span;
    }

    void ticksOfTheClockAreRoundAndUnlike() {
        QFETCH(double, span);
        const QVector<Tick> ticks = clockTicks({3, 3 + span}, kStart, 8);
        QVERIFY2(ticks.size() >= 2 && ticks.size() <= 20,
                 qPrintable(QString::number(ticks.size())));
        QSet<QString> labels;
        for (const Tick& tick : ticks) {
            labels.insert(tick.label);
            QVERIFY(tick.position >= 3 - 1e-6 && tick.position <= 3 + span + 1e-6);
        }
        QCOMPARE(labels.size(), ticks.size());
        const QDateTime shown =
            QDateTime::fromMSecsSinceEpoch(std::llround((kStart + ticks[0].position) * 1e3));
        if (span >= 4000 && span < 2e5)
            QVERIFY2(ticks[0].label.endsWith(shown.toString(QStringLiteral("HH:mm"))),
                     qPrintable(ticks[0].label));
        if (span >= 4000) QCOMPARE(shown.time().second(), 0);
    }
};

QTEST_MAIN(TestXAxis)
#include "tst_x_axis.moc"
