// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of a group at their limits: without series, zoomed where others look elsewhere, with
// many values at once.
#include <QCategoryAxis>
#include <QChart>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>

#include "ui/charts/surface/chart_surface.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/charts/surface/readout.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

using namespace lockstep::ui;

namespace {

QVector<SeriesInfo> replicas(int count) {
    QVector<SeriesInfo> series;
    for (int i = 0; i < count; ++i)
        series.push_back({QStringLiteral("replica %1").arg(i), {}, false, -1});
    return series;
}

/// Two charts with curves that rise from 0 to 1 over 1000 steps, shown.
struct Page {
    ChartGroup group;
    QWidget window;
    LiveChart* loss = new LiveChart(&group, &window);
    LiveChart* time = new LiveChart(&group, &window);

    explicit Page(int series = 1) {
        loss->setGeometry(0, 0, 600, 300);
        time->setGeometry(0, 300, 600, 300);
        window.resize(600, 600);
        group.setSeries(replicas(series));
        std::vector<float> values(1000);
        for (int i = 0; i < 1000; ++i)
            values[std::size_t(i)] = float(i) / 1000;
        loss->appendSteps(0, 1, values);
        time->appendSteps(0, 1, values);
        window.show();
    }
    bool isUpToDate() const { return loss->isUpToDate() && time->isUpToDate(); }
};

bool showsCurve(const LiveChart& chart) {
    const AxisRange x = chart.group().xRange();
    const AxisRange y = chart.yRange();
    return y.first < x.last / 1000 && y.last > x.first / 1000;
}

}  // namespace

class TestChartGroup : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatHappenedIsToldInTwoLinesWhereOneIsTooShort() {
        const auto heightOf = [](const QString& note) {
            QImage image(400, 200, QImage::Format_ARGB32_Premultiplied);
            image.fill(Qt::transparent);
            QPainter painter(&image);
            Readout readout;
            readout.headline = QStringLiteral("step 1");
            readout.notes = {note};
            paintReadout(painter, image.rect(), readout);
            painter.end();
            int rows = 0;
            for (int y = 0; y < image.height(); ++y)
                if (qAlpha(image.pixel(30, y)) > 0) ++rows;
            return rows;
        };
        const QString cause =
            QStringLiteral("process 1 was lost: was killed by signal 9 (SIGKILL)");
        const int one = heightOf(QStringLiteral("end of epoch 2"));
        const int two = heightOf(cause);
        QVERIFY2(two > one + 8, qPrintable(QStringLiteral("%1, %2").arg(one).arg(two)));
        QCOMPARE(heightOf(cause + cause + cause), two);
        QCOMPARE(heightOf(QString(200, QLatin1Char('x'))), one);  // one word that is cut
    }
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }

    void aLowChartOfSharesBelowTheirCeilingHasThreeLabels() {
        ChartGroup group;
        group.setSeries(replicas(1));
        LiveChart chart(&group);
        chart.setYBounds({}, 1.0);
        chart.setYFormat(units::shortPercent);
        chart.resize(600, 140);
        chart.appendSteps(0, 1, std::vector<float>{0, 0.4F, 0.85F});
        chart.show();
        QTRY_VERIFY(chart.isUpToDate() && chart.hasPicture());
        QVERIFY(chart.yRange().last < 1);
        const auto axes = chart.findChild<ChartSurface*>()->chart()->axes(Qt::Vertical);
        auto* axis = qobject_cast<QCategoryAxis*>(axes.value(0));
        QVERIFY(axis != nullptr);
        QVERIFY2(axis->count() >= 3 && axis->count() <= 6,
                 qPrintable(axis->categoriesLabels().join(QLatin1Char(' '))));
    }

    void theTimeAxisWithoutAnySeriesIsEmpty() {
        Page page;
        page.group.setXAxis(XAxis::Relative);
        page.group.setMarks({{5, AxisMark::Kind::Epoch, QStringLiteral("end of epoch 1")}});
        page.group.setCrosshair(0.5);
        QTRY_VERIFY(page.isUpToDate());

        page.group.setSeries({});  // as between two runs, with the crosshair where it was
        page.group.setMarks({{7, AxisMark::Kind::Restart, QStringLiteral("started again")}});
        page.group.setCrosshair(0.4);

        QTRY_VERIFY(page.isUpToDate());
        QVERIFY(!page.loss->findChild<ChartSurface*>()->readout());
    }

    void whatIsChosenOfYGoesWithTheCurvesOfTheOthersGestures() {
        Page page;
        QTRY_VERIFY(page.isUpToDate());
        page.group.setXRange({700, 900});
        QTRY_VERIFY(page.isUpToDate());
        auto* surface = page.time->findChild<ChartSurface*>();
        Q_EMIT surface->zoomed({0.5, 0.5}, 1, 4);  // y alone
        QVERIFY(showsCurve(*page.time));
        const AxisRange y = page.time->yRange();

        page.group.setXRange({100, 200});  // as by a gesture in the other chart

        QVERIFY(showsCurve(*page.time));
        QVERIFY(std::abs((page.time->yRange().last - page.time->yRange().first) -
                         (y.last - y.first)) < 1e-9);
        QTRY_VERIFY(page.isUpToDate());
        QVERIFY(showsCurve(*page.time));
    }

    void panningOutOfABoxKeepsTheCurveInView() {
        Page page;
        QTRY_VERIFY(page.isUpToDate());
        auto* surface = page.loss->findChild<ChartSurface*>();
        Q_EMIT surface->boxed({0.8, 0.8, 0.1, 0.1});
        QVERIFY(showsCurve(*page.loss));
        for (int i = 0; i < 20; ++i) {
            Q_EMIT surface->panned(-0.5, 0);
            QVERIFY(showsCurve(*page.loss));
        }
        QCOMPARE(page.group.xRange().first, 0.0);
    }

    void manyValuesAtOnceAreToldOnce() {
        Page page;
        QSignalSpy grown(&page.group, &ChartGroup::grown);
        std::vector<qint64> steps;
        std::vector<double> times;
        for (qint64 step = 1000; steps.size() < 500; step += 1 + step % 3) {
            steps.push_back(step);
            times.push_back(1.7e9 + double(step));
        }
        const std::vector<float> values(steps.size(), 0.5F);

        page.group.addTimes(0, steps, times);
        page.loss->appendPoints(0, steps, values);

        QCOMPARE(grown.count(), 1);
        QCOMPARE(page.loss->pointCount(), 999 + 500);  // the step that both have is replaced
        QVERIFY(page.group.xRange().last > double(steps.back()));
        page.group.setXAxis(XAxis::Relative);
        QVERIFY(page.group.xRange().last >= times.back() - times.front());
    }

    void aReplicaThatDivergedIsNotSaidToBeTheLowest() {
        Page page(10);
        for (int replica = 0; replica < 10; ++replica) {
            const float value = replica == 3 ? NAN : float(replica + 1);
            page.loss->appendSteps(replica, 1, std::vector<float>(1000, value));
        }
        QTRY_VERIFY(page.isUpToDate());

        page.group.setCrosshair(500);

        QStringList names;
        for (const Readout::Row& row : page.loss->findChild<ChartSurface*>()->readout()->rows)
            names << row.name;
        QCOMPARE(names.join(QLatin1Char('|')),
                 QStringLiteral("Mean|Highest: replica 9|Lowest: replica 0|replica 3"));
    }
};

QTEST_MAIN(TestChartGroup)
#include "tst_chart_group.moc"
