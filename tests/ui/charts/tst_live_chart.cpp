// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/ui/charts/chart_page.h"
#include "ui/charts/surface/chart_card.h"
#include "ui/style/theme.h"
#include "ui/widgets/figure_label.h"

using namespace lockstep::ui;
using Page = lockstep::testsupport::ChartPage;

class TestLiveChart : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }

    void theAxesFollowEverySizeOfTheCard() {
        Page page;
        for (const int height : {300, 187, 174, 240}) {
            page.loss->resize(600, height);
            QApplication::processEvents();
            const QRectF plot = page.loss->plotArea();
            const QImage picture = page.loss->grab().toImage();
            const auto isLine = [&](double y) {
                // Right of the newest step, where only the lines of the axes are.
                const int x = int(plot.right()) + 1 - int(plot.width() * 0.005);
                return picture.pixelColor(x, int(y)) != picture.pixelColor(x, int(plot.top()) + 3);
            };
            QCOMPARE(int(plot.bottom()), height - 24);
            QVERIFY2(isLine(plot.bottom()) || isLine(plot.bottom() - 1),
                     qPrintable(QString::number(height)));
        }
    }

    void aPictureIsNotStretchedIntoABlockWhileAnotherIsMade() {
        ChartSurface surface(nullptr);
        surface.resize(500, 300);
        surface.show();
        QApplication::processEvents();
        const auto colourAtTheCentre = [&surface](const QSizeF& size) {
            RenderedLayer layer;
            layer.size = size;
            layer.image = QImage(size.toSize(), QImage::Format_ARGB32_Premultiplied);
            layer.image.fill(Qt::magenta);
            surface.setLayer(layer);
            return surface.grab().toImage().pixelColor(surface.plot().center().toPoint());
        };
        const QSizeF plot = surface.plot().size();
        QCOMPARE(colourAtTheCentre({plot.width(), plot.height() * 0.75}), QColor(Qt::magenta));
        QVERIFY(colourAtTheCentre({plot.width(), 1}) != QColor(Qt::magenta));
        QVERIFY(colourAtTheCentre({1, plot.height()}) != QColor(Qt::magenta));
    }

    void noPictureIsAskedForBeforeThereIsRoomForOne() {
        Page page;
        QTRY_VERIFY(page.time->hasPicture());
        LiveChart* chart = new LiveChart(&page.group, &page.window);
        chart->setGeometry(0, 0, 600, 20);
        chart->appendPoint(0, 1, 0.5F);
        chart->show();
        // A picture of the other chart that is asked for later has come: so would this one's.
        QTRY_VERIFY(chart->isUpToDate());
        page.append(1001, 10);
        QTRY_VERIFY(page.time->isUpToDate());
        QVERIFY(!chart->hasPicture());
        chart->resize(600, 300);
        QTRY_VERIFY(chart->hasPicture());
    }

    void newPointsWidenTheChartWhileItFollows() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(page.group.xRange().last >= 1000 && page.group.xRange().last < 1020);

        page.append(1001, 500);

        const double last = page.group.xRange().last;
        QVERIFY(last > 1500 && last < 1570);

        // It leaps ahead, so that not every step moves the axis.
        page.append(1501, 20);
        QCOMPARE(page.group.xRange().last, last);
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(page.loss->yRange().last >= 1.75);
    }

    void theNewestStepsAreFollowedAndADoubleClickShowsAll() {
        Page page;
        page.group.setNewest(500);
        const auto showsNewest = [&page](double last) {
            const AxisRange x = page.group.xRange();
            return x.last >= last && x.last < last + 25 && x.first <= last - 500 &&
                   x.first > last - 530;
        };
        QVERIFY(page.group.isFollowing() && showsNewest(1000));
        page.append(1001, 300);
        QVERIFY(showsNewest(1300));
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(page.loss->yRange().first > 0.5);  // fitted to what is shown

        page.wheel(page.loss->plotArea().center(), 2);
        QVERIFY(!page.group.isFollowing());
        page.group.setFollow(true);
        QVERIFY(showsNewest(1300));
        QTest::mouseDClick(page.viewport(), Qt::LeftButton, {},
                           page.loss->plotArea().center().toPoint());
        QCOMPARE(page.group.newest(), 0);
        QCOMPARE(page.group.xRange().first, 0.0);
    }

    void theNewestStepsAreShownOnTheTimeAxisToo() {
        Page page;
        std::vector<double> times;
        for (int i = 0; i < 1000; ++i)
            times.push_back(1.7e9 + i * 0.1);
        for (int replica = 0; replica < 2; ++replica)
            page.group.appendTimes(replica, 1, times);
        page.group.setXAxis(XAxis::Relative);
        page.group.setNewest(500);
        const AxisRange x = page.group.xRange();
        QVERIFY(x.last >= 99.9 && x.last < 101.5);
        QVERIFY(x.first < 50 && x.first > 46);
    }

    void aHeadSaysTheMeanOfTheNewestStepsOnceASecond() {
        ChartGroup group;
        auto* chart = new LiveChart(&group);
        chart->setTitle(QStringLiteral("Loss"));
        chart->setHeadlineSteps(4);
        group.setSeries({{QStringLiteral("replica 0"), {}, false, -1}});
        ChartCard card(chart);
        card.resize(500, 300);
        card.show();
        QStringList said;
        auto* value = card.findChild<FigureLabel*>();
        chart->appendSteps(0, 1, std::vector<float>{9, 9, 1, 3, 1, 3});
        QTRY_COMPARE(value->text(), chart->formatted(2));
        for (int step = 7; step < 27; ++step) {
            chart->appendPoint(0, step, step % 2 == 0 ? 30.0F : 10.0F);
            QTRY_VERIFY(chart->isUpToDate());
            if (said.isEmpty() || said.last() != value->text()) said << value->text();
        }
        QVERIFY2(said.size() <= 8, qPrintable(said.join(QLatin1Char(' '))));
        QTRY_COMPARE(value->text(), chart->formatted(20));  // what came last is said, too
        chart->appendPoint(0, 27, std::numeric_limits<float>::quiet_NaN());
        QVERIFY(std::isnan(chart->headline()));
    }

    void marksAreDrawnAndToldByTheCrosshair() {
        Page page;
        page.group.setMarks({{500, AxisMark::Kind::Checkpoint, QStringLiteral("checkpoint of 500")},
                             {500, AxisMark::Kind::Epoch, QStringLiteral("end of epoch 1")}});
        QTRY_VERIFY(page.loss->isUpToDate());
        const auto accents = [&page] {
            const QImage picture = page.loss->grab().toImage();
            int count = 0;
            for (int x = 0; x < picture.width(); ++x) {
                for (int y = int(page.loss->plotArea().bottom()) - 6; y < picture.height(); ++y)
                    count += picture.pixelColor(x, y) == Theme::light().accent;
            }
            return count;
        };
        const int marked = accents();
        // Of many at one place what was lost comes first.
        using Kind = AxisMark::Kind;
        page.group.setMarks({{500, Kind::Checkpoint, QStringLiteral("a checkpoint")},
                             {500, Kind::Epoch, QStringLiteral("an epoch")},
                             {500, Kind::Checkpoint, QStringLiteral("another checkpoint")},
                             {500, Kind::Verdict, QStringLiteral("somebody slow")},
                             {500, Kind::Loss, QStringLiteral("somebody lost")}});
        page.group.setCrosshair(500.0);
        const auto& told = page.loss->findChild<ChartSurface*>()->readout();
        QVERIFY(told.has_value());
        QCOMPARE(told->notes,
                 (QStringList{QStringLiteral("somebody lost"), QStringLiteral("somebody slow"),
                              QStringLiteral("an epoch"), QStringLiteral("and 2 more")}));
        page.group.setMarks({});
        QVERIFY(marked > accents() + 5);
    }

    void marksOfEveryKindAreDrawnTheLastOnesToo() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        const auto picture = [&page] { return page.loss->grab().toImage(); };
        const QImage without = picture();
        for (int kind = 0; kind < int(AxisMark::Kind::Count); ++kind) {
            page.group.setMarks({{300, AxisMark::Kind(kind), QStringLiteral("one")}});
            const QImage one = picture();
            QVERIFY2(one != without, qPrintable(QString::number(kind)));
            page.group.setMarks({{300, AxisMark::Kind(kind), QStringLiteral("one")},
                                 {600, AxisMark::Kind(kind), QStringLiteral("another")}});
            QVERIFY2(picture() != one, qPrintable(QString::number(kind)));
        }
    }

    void aChartWithNothingToSeeSaysWhereItsCurveIsAndAClickGoesThere() {
        Page page;
        auto* surface = page.time->findChild<ChartSurface*>();
        const auto show = [&page](qint64 firstStep) {
            page.time->clear();
            page.time->appendSteps(0, firstStep, std::vector<float>(50, 0.5F));
            page.group.setXRange({400, 600});
            return QTest::qWaitFor([&page] { return page.time->isUpToDate(); });
        };
        const auto click = [&] {
            QTest::mouseClick(surface->viewport(), Qt::LeftButton, {},
                              surface->elsewhereArea().center().toPoint());
        };
        QVERIFY(show(1));
        QCOMPARE(surface->elsewhere(), QStringLiteral("\u2190 newest at step 50"));
        QVERIFY(page.time->accessibleDescription().contains(surface->elsewhere()));
        QVERIFY(surface->elsewhereArea().right() < surface->plot().center().x());
        QVERIFY(page.loss->findChild<ChartSurface*>()->elsewhere().isEmpty());
        click();
        QVERIFY(page.group.xRange().first <= 50 && page.group.xRange().last >= 50);
        QTRY_VERIFY(page.time->isUpToDate());
        QVERIFY(surface->elsewhere().isEmpty());

        QVERIFY(show(900));
        QCOMPARE(surface->elsewhere(), QStringLiteral("first at step 900 \u2192"));
        QVERIFY(surface->elsewhereArea().left() > surface->plot().center().x());
        click();
        QVERIFY(page.group.xRange().first <= 900 && page.group.xRange().last >= 900);

        // A line from one point to the next is no nothing.
        QVERIFY(show(1));
        page.time->appendPoint(0, 900, 0.5F);
        QTRY_VERIFY(page.time->isUpToDate());
        QVERIFY(surface->elsewhere().isEmpty());
    }

    void aSpikeThatLeavesTheAxisIsMarkedAtTheTop() {
        Page page;
        page.group.setSmoothing(0.9);
        page.append(1001, 10);
        const auto marked = [&page] {
            const QRectF plot = page.loss->plotArea();
            const QImage picture = page.loss->grab().toImage();
            int count = 0;
            for (int y = int(plot.top()); y < int(plot.top()) + 6; ++y)
                for (int x = int(plot.left()); x < int(plot.right()); ++x)
                    count += picture.pixelColor(x, y) == Theme::light().textSecondary;
            return count;
        };
        QTRY_VERIFY(page.loss->isUpToDate());
        QCOMPARE(marked(), 0);
        page.loss->appendPoint(0, 1011, 80);
        page.append(1012, 10);
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY2(page.loss->yRange().last < 20,
                 qPrintable(QString::number(page.loss->yRange().last)));
        QVERIFY(marked() > 8);
    }

    void theCrosshairTellsOneKindOfValueOfAllCurvesAndWhich() {
        Page page;
        page.loss->clear();
        for (int step = 1; step <= 1000; ++step)
            for (int replica = 0; replica < 2; ++replica)
                page.loss->appendPoint(replica, step, float((step + 1) % 2));
        const auto* surface = page.loss->findChild<ChartSurface*>();
        const auto told = [&] {
            page.group.setCrosshair(500);  // where the values are 1
            const Readout readout = surface->readout().value_or(Readout());
            QStringList words{readout.headline};
            for (const Readout::Row& row : readout.rows)
                words << row.value;
            return words;
        };
        const QString one = page.loss->formatted(1);
        QTRY_COMPARE(told(), QStringList({QStringLiteral("step 500"), one, one}));
        page.group.setSmoothing(0.9);
        QTRY_COMPARE(told().value(0), QStringLiteral("step 500 · smoothed"));
        QVERIFY2(!told().contains(one), qPrintable(told().join(u'|')));
        QCOMPARE(told().value(1), told().value(2));
        // One of many usual ones is not smoothed: neither is what stands out beside it.
        page.group.setOutstanding(QVector<int>{0});
        QTRY_COMPARE(told(), QStringList({QStringLiteral("step 500 · as reported"), one, one}));
    }

    void whatLeavesTheAxisAcrossItsWholeWidthIsSaidAsANumber() {
        Page page;
        page.loss->setIgnoresOutliers(true);
        page.loss->clear();
        std::vector<float> values(3000, 0.5F);
        for (std::size_t i = 10; i < values.size(); i += 60)
            values[i] = 30;
        page.loss->appendSteps(0, 1, values);
        const auto* surface = page.loss->findChild<ChartSurface*>();
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY2(surface->note().endsWith(QStringLiteral("points above this axis: 50")),
                 qPrintable(surface->note()));
        QVERIFY(page.loss->accessibleDescription().contains(surface->note()));
        // It has a ground of its own, also beside marks.
        const auto corner = [&page, surface] {
            const QPoint place = surface->plot().topLeft().toPoint();
            return page.loss->grab().toImage().copy(place.x() + 8, place.y() + 1, 120, 14);
        };
        const QImage alone = corner();
        page.group.setMarks({{2500, AxisMark::Kind::Checkpoint, QStringLiteral("a checkpoint")}});
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(corner() == alone);

        page.loss->clear();
        QVERIFY(surface->note().isEmpty());
    }

    void seriesThatComeLaterLeaveTheOthersTheirPoints() {
        Page page;
        page.group.addSeries(
            {{.name = QStringLiteral("validation"), .colour = {}, .timesOf = 0, .exact = true}});
        QCOMPARE(page.loss->pointCount(), 2000);
        page.loss->appendPoint(2, 500, 0.5F);
        QCOMPARE(page.loss->pointCount(), 2001);
        QVERIFY(std::abs(page.loss->newestValue() - 1.125f) < 1e-6f);  // of the replicas
        QTRY_VERIFY(page.loss->isUpToDate());
    }

    void aPointFarFromTheCrosshairIsToldWithItsStep() {
        Page page;
        page.group.addSeries(
            {{.name = QStringLiteral("test"), .colour = {}, .timesOf = 0, .exact = true}});
        page.loss->appendPoint(2, 500, 0.5F);
        QTRY_VERIFY(page.loss->isUpToDate());
        const auto tells = [&page](double step, const QString& name) {
            page.group.setCrosshair(step);
            const auto& told = page.loss->findChild<ChartSurface*>()->readout();
            return told && std::ranges::count(told->rows, name, &Readout::Row::name) == 1;
        };
        QVERIFY(tells(500, QStringLiteral("test")));
        QVERIFY(tells(900, QStringLiteral("test, step 500")));
    }

    void chartsOfAGroupShareRangeAndCrosshair() {
        Page page;
        QTRY_VERIFY(page.time->isUpToDate());
        QSignalSpy moved(&page.group, &ChartGroup::crosshairChanged);

        const QPointF middle = page.loss->plotArea().center();
        QMouseEvent move(QEvent::MouseMove, middle, page.viewport()->mapToGlobal(middle),
                         Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(page.viewport(), &move);

        QCOMPARE(moved.count(), 1);
        QVERIFY(std::abs(*page.group.crosshair() - 506) < 5);
    }

    void theTimeAxisShowsSecondsSinceTheStart() {
        Page page;
        std::vector<double> times;
        for (int i = 0; i < 1000; ++i)
            times.push_back(1.7e9 + i * 0.1);
        for (int replica = 0; replica < 2; ++replica)
            page.group.appendTimes(replica, 1, times);

        page.group.setXAxis(XAxis::Relative);

        QVERIFY(std::abs(page.group.xRange().last - 99.9 * 1.012) < 1e-3);
        QTRY_VERIFY(page.loss->isUpToDate());
    }

    void theAxisKeepsItsLabelsWhateverWasShownBefore() {
        Page page;
        const std::vector<AxisRange> ranges{{0, 1000},  {500'000, 900'000}, {452, 4548}, {-50, 20},
                                            {100, 300}, {0, 4e6},           {452, 4548}};
        for (const AxisRange& range : ranges) {
            page.group.setXRange(range);
            QTRY_VERIFY(page.loss->isUpToDate());
            const QRectF plot = page.loss->plotArea();
            const QImage image = page.loss->grab().toImage();
            int inked = 0;
            for (int x = int(plot.left()); x < image.width(); ++x) {
                for (int y = int(plot.bottom()) + 4; y < image.height(); ++y) {
                    inked += qGray(image.pixel(x, y)) < 160;
                }
            }
            QVERIFY2(inked > 30, qPrintable(QStringLiteral("%1: %2").arg(range.first).arg(inked)));
        }
    }

    void theNewestValueIsTheMeanOfTheVisibleReplicas() {
        Page page;
        QVERIFY(std::abs(page.loss->newestValue() - 1.125f) < 1e-6f);
        page.group.setVisible(1, false);
        QVERIFY(std::abs(page.loss->newestValue() - 1.f) < 1e-6f);
        page.loss->clear();
        QVERIFY(std::isnan(page.loss->newestValue()));
    }

    void aDivergedRunStillHasAnAxis() {
        Page page;
        page.loss->clear();
        page.loss->appendSteps(0, 1,
                               std::vector<float>(100, std::numeric_limits<float>::quiet_NaN()));
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(page.loss->yRange().last > page.loss->yRange().first);
        page.loss->setLogY(true);
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(page.loss->yRange().first > 0);
    }

    void appendingAMillionPointsLeavesTheEventLoopResponsive() {
        Page page;
        page.group.setSmoothing(0.9);
        std::vector<float> values(50'000, 0.5f);
        QElapsedTimer timer;
        qint64 longest = 0;
        for (int i = 0; i < 20; ++i) {
            timer.start();
            page.loss->appendSteps(0, 1001 + i * 50'000, values);
            QCoreApplication::processEvents();
            longest = std::max(longest, timer.elapsed());
        }
        QTRY_VERIFY_WITH_TIMEOUT(page.loss->isUpToDate(), 30'000);
        QVERIFY2(longest < 150, qPrintable(QString::number(longest)));
    }

    void aChartMayOutliveItsGroupDuringDestruction() {
        auto* page = new QWidget;
        auto* group = new ChartGroup(page);
        auto* chart = new LiveChart(group, page);
        group->setSeries({{QStringLiteral("a"), {}, false, -1}});
        chart->appendPoint(0, 1, 1);
        page->show();
        QTRY_VERIFY(chart->isUpToDate());
        delete group;
        page->resize(300, 300);
        QTest::mouseMove(chart, {50, 50});
        QTest::keyClick(chart->findChild<ChartSurface*>(), Qt::Key_Plus);
        QTRY_VERIFY(chart->isUpToDate());  // the refresh that the resize asked for has come
        delete page;
    }
};

QTEST_MAIN(TestLiveChart)
#include "tst_live_chart.moc"
