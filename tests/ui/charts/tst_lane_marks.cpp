// SPDX-License-Identifier: GPL-3.0-or-later
// The signs on the lanes of heartbeats and of steps: where they are painted, and which is under the
// mouse.
#include <QtTest>
#include <array>

#include "ui/charts/paint/lane_marks.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

using namespace lockstep::ui;

namespace {

constexpr QSize kPicture(100, 40);
constexpr double kBegin = 1'790'000'000;  // seconds since 1970
constexpr qint64 kSecond = 1'000'000'000;
constexpr qint64 kBeginNanoseconds = qint64(kBegin) * kSecond;

/// What `paint` does to a picture of the colour of beats.
template <typename Paint>
QImage painted(const Paint& paint) {
    QImage picture(kPicture, QImage::Format_RGB32);
    picture.fill(Theme::light().phaseColour(0));
    QPainter painter(&picture);
    paint(painter);
    return picture;
}

/// The smallest rectangle with all pixels of a colour, or of all that are not.
QRect extentOf(const QImage& picture, const QColor& colour, bool isOfIt = true) {
    QRect extent;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            if ((picture.pixelColor(x, y) == colour) == isOfIt) extent |= QRect(x, y, 1, 1);
    return extent;
}

QImage lossAt(const QRectF& lane, double x) {
    return painted([&](QPainter& painter) { paintLossOnLane(painter, lane, x, Theme::light()); });
}

/// A process that beats every second of a minute, which fills the chart, and was lost at times.
struct Heartbeats {
    HeartbeatChart chart;
    explicit Heartbeats(std::vector<HeartbeatChart::Loss> losses) {
        chart.resize(800, 80);
        chart.setLanes({{QStringLiteral("process 0"), {}}, {QStringLiteral("process 1"), {}}});
        chart.setPhaseNames({QStringLiteral("data")});
        for (int lane = 0; lane < 2; ++lane)
            for (int i = 0; i <= 120; ++i)
                chart.addBeat(lane, kBegin + i, 0);
        chart.setMoment(kBegin + 120);  // not the clock's: the last minute until then is shown
        chart.setLosses(1, std::move(losses));
    }
    [[nodiscard]] QString at(double x, int lane = 1) const {
        return chart.describe({x, chart.track(lane).center().y()});
    }
};

/// Likewise, with a step a second.
struct Steps {
    TimelineChart chart;
    explicit Steps(std::vector<TimelineChart::Mark> losses) {
        chart.resize(800, 100);
        chart.setLanes({{QStringLiteral("process 0"), {}}, {QStringLiteral("process 1"), {}}});
        chart.setKindNames({QStringLiteral("data")});
        for (int lane = 0; lane < 2; ++lane) {
            for (int i = 0; i < 120; ++i) {
                const qint64 begin = kBeginNanoseconds + i * kSecond;
                StepLane::Step step{i + 1, begin, begin + kSecond, {}};
                step.phaseEnds.fill(step.end);
                chart.addSteps(lane, std::array{step});
            }
        }
        chart.setLosses(1, std::move(losses));
    }
    [[nodiscard]] QString at(double x, int lane = 1) const {
        return chart.describe({x, chart.track(lane).center().y()});
    }
};

}  // namespace

class TestLaneMarks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }

    void aLossIsACrossInTheMiddleOfItsLaneOnAGroundOfItsOwn() {
        const QImage picture = lossAt({10, 10, 80, 20}, 50);
        const QRect cross = extentOf(picture, Theme::light().bad);
        QVERIFY2(cross.contains(50, 20), "the arms meet in the middle");
        QVERIFY(cross.width() >= 7 && cross.width() <= 11);
        QCOMPARE(cross.height(), cross.width());
        // Beats end before the cross does.
        const QRect ground = extentOf(picture, Theme::light().phaseColour(0), false);
        QVERIFY(ground.adjusted(2, 2, -2, -2).contains(cross));
        QVERIFY(cross.adjusted(-4, -4, 4, 4).contains(ground));
    }

    void aLossInTheLowestLaneIsSeenBeyondIt() {
        const QRect cross = extentOf(lossAt({10, 18, 80, 4}, 50), Theme::light().bad);
        QVERIFY(cross.top() < 18 && cross.bottom() > 21);
        QCOMPARE(cross.height(), cross.width());
    }

    void noLossLiesOnTheNameOfItsLane() {
        const QRectF lane(30, 10, 60, 20);
        for (const double x : {-100.0, 30.0, 33.0})
            QVERIFY(extentOf(lossAt(lane, x), Theme::light().bad).left() >= 29);
        QCOMPARE(middleOfLoss(lane, 30), QPointF(34, 20));
        QCOMPARE(middleOfLoss(lane, 60), QPointF(60, 20));
        QCOMPARE(middleOfLoss(lane, 1000), QPointF(90, 20));
        // A window can be made narrower than the names are.
        QCOMPARE(middleOfLoss({30, 10, 2, 20}, 31), QPointF(34, 20));
        QCOMPARE(middleOfLoss({30, 10, -5, 20}, 31), QPointF(34, 20));
    }

    void whatIsPaintedBehindALossLooksAsBefore() {
        const QImage picture = painted([](QPainter& painter) {
            painter.setPen(Theme::light().good);
            paintLossOnLane(painter, {10, 10, 80, 20}, 20, Theme::light());
            QVERIFY(!painter.testRenderHint(QPainter::Antialiasing));
            painter.drawLine(60, 5, 60, 35);
        });
        QCOMPARE(extentOf(picture, Theme::light().good), QRect(60, 5, 1, 31));
    }

    void aStartIsADashedLineThroughAllLanes() {
        const QColor ground = Theme::light().phaseColour(0);
        const QImage picture = painted(
            [](QPainter& painter) { paintStartAcrossLanes(painter, 49.7, 4, 36, Theme::light()); });
        const QRect line = extentOf(picture, Theme::light().accent);
        QCOMPARE(line.left(), 50);
        QCOMPARE(line.width(), 1);
        QVERIFY(line.top() <= 5 && line.bottom() >= 31);
        QCOMPARE(extentOf(picture, ground, false), line);  // sharp: in no other colour
        int gaps = 0;
        for (int y = line.top(); y <= line.bottom(); ++y)
            gaps += picture.pixelColor(50, y) == ground;
        QVERIFY(gaps > 2);
    }

    void theNearestMarkIsTheOneUnderTheMouse() {
        NearestMark nearest(50);
        QVERIFY(!nearest.takes(44.9));
        QVERIFY(nearest.takes(45));
        QVERIFY(nearest.takes(48));
        QVERIFY(!nearest.takes(53));
        QVERIFY(nearest.takes(52));  // as near, and painted over the other one
        QVERIFY(!nearest.takes(55));
    }

    void ofLossesSideBySideTheOneUnderTheMouseIsTold() {
        // 60 s on some 700 pixels: two of them are within reach of each other.
        Heartbeats beats(
            {{kBegin + 90, QStringLiteral("first")}, {kBegin + 90.3, QStringLiteral("second")}});
        QCOMPARE(beats.at(beats.chart.xAt(kBegin + 90)),
                 QStringLiteral("process 1 was lost: first"));
        QCOMPARE(beats.at(beats.chart.xAt(kBegin + 90.3)),
                 QStringLiteral("process 1 was lost: second"));
        QVERIFY(!beats.at(beats.chart.xAt(kBegin + 90), 0).contains(QStringLiteral("lost")));

        const qint64 first = kBeginNanoseconds + 119 * kSecond;
        Steps steps({{first, QStringLiteral("first")}, {first, QStringLiteral("second")}});
        const qint64 second = steps.chart.timeAt(steps.chart.xAt(first) + 4);
        steps.chart.setLosses(
            1, {{first, QStringLiteral("first")}, {second, QStringLiteral("second")}});
        QCOMPARE(steps.at(steps.chart.xAt(first)), QStringLiteral("process 1 was lost: first"));
        QCOMPARE(steps.at(steps.chart.xAt(second)), QStringLiteral("process 1 was lost: second"));
        QVERIFY(!steps.at(steps.chart.xAt(first), 0).contains(QStringLiteral("lost")));
    }

    void aCrossAtTheEdgeIsHitWhereItIsPainted() {
        Heartbeats beats({{kBegin + 60, QStringLiteral("killed")}});
        const double edge = beats.chart.track(1).left();
        QCOMPARE(beats.at(edge + 7), QStringLiteral("process 1 was lost: killed"));
        QVERIFY(beats.at(edge + 12).startsWith(QStringLiteral("process 1 at ")));

        Steps steps({});
        steps.chart.setLosses(1, {{steps.chart.shownFrom(), QStringLiteral("killed")}});
        QCOMPARE(steps.at(steps.chart.track(1).left() + 7),
                 QStringLiteral("process 1 was lost: killed"));
    }

    void aMarkThatIsOutOfSightIsNotTold() {
        Heartbeats beats({});
        const double before = kBegin + 60 - 0.2;  // two pixels left of the lane
        beats.chart.setLosses(1, {{before, QStringLiteral("killed")}});
        beats.chart.setStarts({kBegin, before});
        const double edge = beats.chart.track(1).left() + 0.5;
        QVERIFY2(beats.at(edge).startsWith(QStringLiteral("process 1 at ")),
                 qPrintable(beats.at(edge)));

        Steps steps({});
        const qint64 earlier = steps.chart.timeAt(steps.chart.track(1).left() - 2);
        steps.chart.setLosses(1, {{earlier, QStringLiteral("killed")}});
        steps.chart.setStarts({kBeginNanoseconds, earlier});
        const QString words = steps.at(steps.chart.track(1).left() + 0.5);
        QVERIFY2(words.startsWith(QStringLiteral("process 1, step")), qPrintable(words));
    }

    void aStartIsToldInEveryLaneButTheFirstOneIsNone() {
        Heartbeats beats({});
        beats.chart.setStarts({kBegin + 70, kBegin + 90});
        const QString told =
            QStringLiteral("the run was started again at %1").arg(units::timeOfDay(kBegin + 90));
        for (int lane = 0; lane < 2; ++lane) {
            QCOMPARE(beats.at(beats.chart.xAt(kBegin + 90), lane), told);
            QVERIFY(beats.at(beats.chart.xAt(kBegin + 70), lane)
                        .startsWith(QStringLiteral("process %1 at ").arg(lane)));
        }
        // Who was lost at the same time says more.
        beats.chart.setLosses(1, {{kBegin + 90, QStringLiteral("killed")}});
        QCOMPARE(beats.at(beats.chart.xAt(kBegin + 90), 0), told);
        QCOMPARE(beats.at(beats.chart.xAt(kBegin + 90), 1),
                 QStringLiteral("process 1 was lost: killed"));
    }
};

QTEST_MAIN(TestLaneMarks)
#include "tst_lane_marks.moc"
