// SPDX-License-Identifier: GPL-3.0-or-later
// What wheel, mouse and keys do to the charts of a group.
#include <QAbstractButton>
#include <QtTest>
#include <cmath>

#include "tests/ui/charts/chart_page.h"
#include "ui/style/theme.h"

using namespace lockstep::ui;
using Page = lockstep::testsupport::ChartPage;

namespace {

constexpr int kDoubleClick = 50;  // milliseconds

/// Until no double click can follow any more.
void waitForClick() {
    QTest::qWait(3 * kDoubleClick);  // a pause: what must not happen then is looked for
}

}  // namespace

class TestChartGestures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        applyTheme(*qApp, ThemeMode::Light);
        QApplication::setDoubleClickInterval(kDoubleClick);
    }

    void theWheelZoomsAtThePointerAndStopsFollowing() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();

        page.wheel({plot.left() + plot.width() / 4, plot.center().y()}, 3);

        QVERIFY(!page.group.isFollowing());
        const AxisRange x = page.group.xRange();
        QVERIFY(std::abs(x.first + (x.last - x.first) / 4 - 253) < 4);
        QVERIFY(page.width() < 600);
        page.append(1001, 500);
        QCOMPARE(page.group.xRange(), x);
    }

    void theWheelOverAnAxisZoomsOnlyThatOne() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        const AxisRange x = page.group.xRange();
        const AxisRange y = page.loss->yRange();

        page.wheel({plot.left() - 10, plot.center().y()}, 2);
        QCOMPARE(page.group.xRange(), x);
        QVERIFY(page.loss->yRange().last - page.loss->yRange().first < (y.last - y.first) * 0.8);

        page.loss->fit();
        QTRY_VERIFY(page.loss->isUpToDate());
        page.wheel({plot.center().x(), plot.bottom() + 10}, 2);
        QVERIFY(page.width() < (x.last - x.first) * 0.8);
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(page.loss->yRange().last <= y.last);
    }

    void theWheelWithControlZoomsYAlone() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        const AxisRange x = page.group.xRange();
        const AxisRange y = page.loss->yRange();

        page.wheel(plot.center(), 2, Qt::ControlModifier);

        QCOMPARE(page.group.xRange(), x);
        QVERIFY(page.loss->yRange().last - page.loss->yRange().first < (y.last - y.first) * 0.8);
        QVERIFY(std::abs((page.loss->yRange().first + page.loss->yRange().last) / 2 -
                         (y.first + y.last) / 2) < 0.01);
    }

    void aDragSelectsARangeAndYFitsWhatIsThere() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        const AxisRange shown = page.group.xRange();

        // Hardly up or down, as one draws along an axis.
        page.drag(plot.center(), plot.center() + QPointF(plot.width() / 4, 2), Qt::LeftButton, {});

        QVERIFY(std::abs(page.group.xRange().first - shown.last / 2) < 5);
        QVERIFY(std::abs(page.group.xRange().last - shown.last * 3 / 4) < 5);
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(page.loss->yRange().first <= 0.5 && page.loss->yRange().last >= 1);
        QVERIFY(page.loss->yRange().last < 1.2);
    }

    void aDragWithSpaceHeldPans() {
        Page page;
        page.group.setXRange({400, 600});
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        page.surface()->setFocus();
        QTest::keyPress(page.surface(), Qt::Key_Space);
        page.drag(plot.center(), plot.center() + QPointF(plot.width() / 4, 0), Qt::LeftButton, {});
        QTest::keyRelease(page.surface(), Qt::Key_Space);
        QVERIFY(std::abs(page.group.xRange().first - 350) < 2);
        QVERIFY(std::abs(page.width() - 200) < 1e-6);

        page.drag(plot.center(), plot.center() + QPointF(plot.width() / 4, 0), Qt::LeftButton, {});
        QVERIFY(page.width() < 60);
    }

    void aDragWithControlZoomsIntoItsBox() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        const AxisRange y = page.loss->yRange();
        const AxisRange shown = page.group.xRange();

        page.drag(plot.center(), plot.bottomRight() - QPointF(0, 1), Qt::LeftButton,
                  Qt::ControlModifier);

        QVERIFY(std::abs(page.group.xRange().first - shown.last / 2) < 5);
        QVERIFY(std::abs(page.group.xRange().last - shown.last) < 5);
        QVERIFY(std::abs(page.loss->yRange().last - (y.first + y.last) / 2) < 0.03);
    }

    void aClickDoesNotZoom() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());

        QTest::mouseClick(page.viewport(), Qt::LeftButton, {},
                          page.loss->plotArea().center().toPoint());

        QVERIFY(page.group.isFollowing());
    }

    void aClickOnAMarkChoosesItAndThePointerSaysSo() {
        Page page;
        using Kind = AxisMark::Kind;
        const auto go = QStringLiteral("click: go there");
        page.group.setMarks({{500, Kind::Epoch, QStringLiteral("an epoch"), {}, 5, go},
                             {500, Kind::Checkpoint, QStringLiteral("a checkpoint"), {}, 5, go},
                             {700, Kind::Loss, QStringLiteral("a loss"), {}, 7, go},
                             {900, Kind::Best, QStringLiteral("the best")}});
        QTRY_VERIFY(page.loss->isUpToDate());
        QVector<AxisMark> chosen;
        connect(&page.group, &ChartGroup::markChosen, this,
                [&chosen](const AxisMark& mark) { chosen << mark; });
        const auto click = [&](QPointF at) {
            chosen.clear();
            QTest::mouseClick(page.viewport(), Qt::LeftButton, {}, at.toPoint());
            waitForClick();
            return chosen.size() == 1 ? chosen.first().kind : Kind::Count;
        };
        // Of a mark at the foot of the plot the rest of its column is free.
        QCOMPARE(click(page.placeOf(500, 2)), Kind::Checkpoint);
        QCOMPARE(click(page.placeOf(500, -3)), Kind::Checkpoint);
        QCOMPARE(click(page.placeOf(500, 100)), Kind::Count);
        QCOMPARE(click(page.placeOf(700, 100) + QPointF(4, 0)), Kind::Loss);
        QCOMPARE(chosen.first().wallTime, 7.0);
        QCOMPARE(click(page.placeOf(700, 100) + QPointF(9, 0)), Kind::Count);
        QCOMPARE(click(page.placeOf(900, 100)), Kind::Count);  // a click on it does nothing
        chosen.clear();
        page.drag(page.placeOf(500, 2), page.placeOf(650, 2), Qt::LeftButton, {});
        waitForClick();
        QVERIFY(chosen.isEmpty());

        page.loss->fit();
        QTRY_VERIFY(page.loss->isUpToDate());
        page.hover(page.placeOf(700, 100));
        QCOMPARE(page.surface()->cursor().shape(), Qt::PointingHandCursor);
        const auto* surface = page.loss->findChild<ChartSurface*>();
        QCOMPARE(surface->readout()->notes, (QStringList{QStringLiteral("a loss"), go}));
        page.hover(page.placeOf(900, 100));
        QCOMPARE(page.surface()->cursor().shape(), Qt::CrossCursor);
        QCOMPARE(surface->readout()->notes, (QStringList{QStringLiteral("the best")}));
    }

    void whatIsNoClickChoosesNoMark() {
        Page page;
        page.group.setMarks({{500,
                              AxisMark::Kind::Loss,
                              QStringLiteral("a loss"),
                              {},
                              5,
                              QStringLiteral("click: go there")}});
        QTRY_VERIFY(page.loss->isUpToDate());
        int chosen = 0;
        connect(&page.group, &ChartGroup::markChosen, this, [&chosen] { ++chosen; });
        const QPoint at = page.placeOf(500, 100).toPoint();
        const auto move = [&](QPointF to) {
            QMouseEvent event(QEvent::MouseMove, to, page.viewport()->mapToGlobal(to), Qt::NoButton,
                              Qt::LeftButton, {});
            QApplication::sendEvent(page.viewport(), &event);
        };

        // A double click, which shows all.
        QTest::mouseClick(page.viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(page.viewport(), Qt::LeftButton, {}, at);
        waitForClick();
        QCOMPARE(chosen, 0);
        QVERIFY(page.group.isFollowing());

        // A drag that is given up.
        QTest::mousePress(page.viewport(), Qt::LeftButton, {}, at);
        move(page.placeOf(600, 100));
        move(at);
        QTest::mouseRelease(page.viewport(), Qt::LeftButton, {}, at);
        waitForClick();
        QCOMPARE(chosen, 0);

        // Another button, while this one is held.
        QTest::mousePress(page.viewport(), Qt::LeftButton, {}, page.placeOf(500, 100).toPoint());
        QTest::mouseClick(page.viewport(), Qt::RightButton, {}, page.placeOf(500, 100).toPoint());
        waitForClick();
        QCOMPARE(chosen, 0);
        QTest::mouseRelease(page.viewport(), Qt::LeftButton, {}, page.placeOf(500, 100).toPoint());
        QTRY_COMPARE(chosen, 1);
    }

    void shiftDragAndMiddleDragPan_data() {
        QTest::addColumn<Qt::MouseButton>("button");
        QTest::addColumn<Qt::KeyboardModifiers>("keys");
        QTest::newRow("shift") << Qt::LeftButton << Qt::KeyboardModifiers(Qt::ShiftModifier);
        QTest::newRow("middle") << Qt::MiddleButton << Qt::KeyboardModifiers();
    }

    void shiftDragAndMiddleDragPan() {
        QFETCH(Qt::MouseButton, button);
        QFETCH(Qt::KeyboardModifiers, keys);
        Page page;
        page.group.setXRange({400, 600});
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();

        page.drag(plot.center(), plot.center() + QPointF(plot.width() / 4, 0), button, keys);

        QVERIFY(std::abs(page.group.xRange().first - 350) < 2);
        QVERIFY(std::abs(page.width() - 200) < 1e-6);
    }

    void keysZoomPanAndShowAll() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());

        QTest::keyClick(page.surface(), Qt::Key_Plus);
        QVERIFY(std::abs(page.width() - 1012 / 1.5) < 1);
        const double first = page.group.xRange().first;
        QTest::keyClick(page.surface(), Qt::Key_Right);
        QVERIFY(page.group.xRange().first > first);
        QTest::keyClick(page.surface(), Qt::Key_Left);
        QTest::keyClick(page.surface(), Qt::Key_Minus);
        QVERIFY(std::abs(page.width() - 1012) < 1);
        const AxisRange y = page.loss->yRange();
        QTest::keyClick(page.surface(), Qt::Key_Up);
        QVERIFY(page.loss->yRange().first > y.first);
        QTest::keyClick(page.surface(), Qt::Key_0);
        QVERIFY(page.group.isFollowing());
    }

    void doubleClickFollowsAgainAndNothingLiesOnTheCurves() {
        Page page;
        page.group.setXRange({100, 200});
        QVERIFY(page.loss->findChildren<QAbstractButton*>().isEmpty());
        QTest::mouseDClick(page.viewport(), Qt::LeftButton, {},
                           page.loss->plotArea().center().toPoint());
        QVERIFY(page.group.isFollowing());
    }

    void zoomingAnywhereShowsCurvesWithYFittedToThem() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        // The curves rise from the lower left to the upper right: here there is nothing.
        const QPointF nowhere(plot.left() + plot.width() * 0.8, plot.bottom() - 5);
        for (int i = 0; i < 12; ++i)
            page.wheel(nowhere, 1);
        QTRY_VERIFY(page.loss->isUpToDate());
        const AxisRange x = page.group.xRange();
        const AxisRange y = page.loss->yRange();
        QVERIFY(x.last - x.first < 100);
        QVERIFY(y.first <= x.first / 1000 + 0.01 && y.last >= x.last / 1000 - 0.01);
        QVERIFY(y.last - y.first < 0.6);  // of both replicas: one lies 0.25 higher
    }

    void noGestureLeavesTheDataBehind() {
        Page page;
        page.group.setXRange({400, 600});
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        for (int i = 0; i < 8; ++i)
            page.drag(plot.center(), plot.center() + QPointF(plot.width() * 0.45, 60),
                      Qt::MiddleButton, {});
        QCOMPARE(page.group.xRange().first, 0.0);
        QVERIFY(std::abs(page.width() - 200) < 1e-6);
        for (int i = 0; i < 16; ++i)
            page.drag(plot.center(), plot.center() - QPointF(plot.width() * 0.45, 0),
                      Qt::MiddleButton, {});
        QVERIFY(page.group.xRange().last >= 1000 && page.group.xRange().last < 1060);
        page.wheel(plot.center(), -20);
        QVERIFY(page.group.xRange().first >= 0 && page.group.xRange().last < 1060);
        // Over the y axis and with the keys too.
        QTRY_VERIFY(page.loss->isUpToDate());
        for (int i = 0; i < 20; ++i)
            QTest::keyClick(page.surface(), Qt::Key_Up);
        QVERIFY(page.loss->yRange().first < 1.25);
        page.wheel({plot.left() - 10, plot.top() + 2}, 20);
        QVERIFY(page.loss->yRange().first < 1.25);
    }

    /// The picture of a logarithm visits its decades.
    void nobodyZoomsOutBeyondWhatNumbersCanBe() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        for (int i = 0; i < 300; ++i)
            page.wheel({plot.left() - 10, plot.center().y()}, -1);
        QVERIFY(page.loss->yRange().last < 1e6);
        page.loss->setLogY(true);
        QTRY_VERIFY(page.loss->isUpToDate());
        for (int i = 0; i < 300; ++i)
            page.wheel({plot.left() - 10, plot.center().y()}, -1);
        QTRY_VERIFY(page.loss->isUpToDate());
        QVERIFY(std::isfinite(page.loss->yRange().last));
    }

    void panningLeavesTheYAxisAlone() {
        Page page;
        page.group.setXRange({400, 600});
        QTRY_VERIFY(page.loss->isUpToDate());
        const QRectF plot = page.loss->plotArea();
        page.wheel({plot.left() - 10, plot.center().y()}, 1);
        const AxisRange y = page.loss->yRange();
        page.drag(plot.center(), plot.center() + QPointF(30, 80), Qt::MiddleButton, {});
        QCOMPARE(page.loss->yRange(), y);
    }

    void eachChartHasALogScaleOfItsOwn() {
        Page page;
        QTRY_VERIFY(page.loss->isUpToDate());
        QTest::keyClick(page.surface(), Qt::Key_L);
        QVERIFY(page.loss->isLogY());
        QVERIFY(!page.time->isLogY());
        page.time->setOffersLogY(false);
        page.time->setLogY(true);
        QVERIFY(!page.time->isLogY());
    }
};

QTEST_MAIN(TestChartGestures)
#include "tst_chart_gestures.moc"
