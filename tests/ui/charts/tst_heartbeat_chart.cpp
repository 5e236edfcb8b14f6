// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/style/theme.h"

using namespace lockstep::ui;

namespace {

QVector<HeartbeatChart::Name> processes(int count) {
    QVector<HeartbeatChart::Name> names;
    for (int process = 0; process < count; ++process)
        names.push_back({QStringLiteral("process %1").arg(process), QString::number(process)});
    return names;
}

}  // namespace

class TestHeartbeatChart : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }

    void aSilenceOfMoreThanThreeIntervalsIsAGap() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        for (const double time : {100.0, 101.0, 104.0, 107.5})
            chart.addBeat(0, time, 1);
        chart.setNow(108);

        const auto gaps = chart.gaps(0);

        QCOMPARE(gaps.size(), std::size_t(1));
        QCOMPARE(gaps[0].from, 104.0);
        QCOMPARE(gaps[0].to, 107.5);
        QVERIFY(!gaps[0].lasting);
    }

    void aProcessThatFellSilentIsMarkedUntilItEnds() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        chart.addBeat(0, 100, 1);
        chart.setNow(110);
        QCOMPARE(chart.gaps(0).size(), std::size_t(1));
        QVERIFY(chart.gaps(0)[0].lasting);

        chart.setEnded(0, true);

        QVERIFY(chart.gaps(0).empty());
    }

    void anEndedRunFillsTheAxisAndALiveOneShowsTheLastMinute() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        QCOMPARE(chart.spanSeconds(), 60.0);
        for (const double time : {100.0, 101.0, 104.0})
            chart.addBeat(0, time, 1);

        chart.setNow(105);

        QVERIFY(chart.spanSeconds() > 5 && chart.spanSeconds() < 6);
    }

    void panningStopsFollowingAndZeroFollowsAgain() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        chart.setNow(1000);
        chart.resize(600, 80);
        chart.show();
        QSignalSpy changed(&chart, &HeartbeatChart::followChanged);

        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY(!chart.isFollowing());
        QTest::keyClick(&chart, Qt::Key_0);
        QVERIFY(chart.isFollowing());
        QTest::mousePress(&chart, Qt::LeftButton, {}, {300, 20});
        QMouseEvent move(QEvent::MouseMove, QPointF(350, 20), chart.mapToGlobal(QPointF(350, 20)),
                         Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&chart, &move);
        QVERIFY(!chart.isFollowing());
        QTest::mouseDClick(&chart, Qt::LeftButton, {}, {300, 20});
        QVERIFY(chart.isFollowing());
        QCOMPARE(changed.count(), 4);
    }

    void panningStopsAtTheFirstBeat() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        for (int i = 0; i < 200; ++i)
            chart.addBeat(0, 1000 + i, 1);
        chart.setNow(1200);
        chart.resize(600, 80);
        for (int i = 0; i < 5; ++i)
            QTest::keyClick(&chart, Qt::Key_Plus);
        for (int i = 0; i < 100; ++i)
            QTest::keyClick(&chart, Qt::Key_Left);
        QCOMPARE(chart.shownUntil(), 1000 + chart.spanSeconds());

        QTest::keyClick(&chart, Qt::Key_Minus);
        QVERIFY(chart.shownUntil() >= 1000 + chart.spanSeconds());
    }

    void anotherRunIsFollowedAlthoughTheFormerOneWasPanned() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        for (int i = 0; i < 200; ++i)
            chart.addBeat(0, 1000 + i, 1);
        chart.setNow(1200);
        chart.resize(600, 80);
        QTest::keyClick(&chart, Qt::Key_Plus);
        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY(!chart.isFollowing());
        QSignalSpy changed(&chart, &HeartbeatChart::followChanged);

        chart.clear();
        chart.setLanes(processes(2));
        chart.setNow(9000);

        QCOMPARE(changed.count(), 1);
        QVERIFY(chart.isFollowing());
        QCOMPARE(chart.shownUntil(), 9000.0);
        chart.setNow(std::nullopt);
        QCOMPARE(chart.spanSeconds(), 60.0);
    }

    void theWheelChangesHowMuchTimeIsShownWithinLimits() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        const double before = chart.spanSeconds();
        for (int i = 0; i < 100; ++i) {
            QWheelEvent event({100, 10}, {100, 10}, {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&chart, &event);
        }
        QVERIFY(chart.spanSeconds() < before);
        QVERIFY(chart.spanSeconds() >= 1);
    }

    void aGapIsPaintedInItsColour() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        chart.setNow(160);
        chart.resize(800, 80);
        for (int i = 0; i < 30; ++i)
            chart.addBeat(0, 100 + i, 1);

        const QImage picture = chart.grab().toImage();

        int bad = 0;
        for (int x = 0; x < picture.width(); ++x) {
            for (int y = 0; y < picture.height(); ++y) {
                bad += picture.pixelColor(x, y) == Theme::light().bad;
            }
        }
        QVERIFY(bad > 300);
    }

    void namesNeverLieOnEachOther_data() {
        QTest::addColumn<int>("processes");
        for (const int count : {1, 2, 8, 9, 16, 33, 64, 200})
            QTest::newRow(qPrintable(QString::number(count))) << count;
    }
    void namesNeverLieOnEachOther() {
        QFETCH(int, processes);
        HeartbeatChart chart;
        chart.setLanes(::processes(processes));
        for (const QSize& size : {chart.minimumSizeHint(), chart.sizeHint()}) {
            chart.resize(QSize(900, size.height()));
            const auto labels = chart.labels();
            QVERIFY(labels.size() >= std::min(processes, 16));
            for (qsizetype i = 0; i < labels.size(); ++i) {
                QVERIFY2(!labels[i].text.contains(QChar(0x2026)), qPrintable(labels[i].text));
                QVERIFY(labels[i].place.width() > 0 && labels[i].place.top() >= 0 &&
                        labels[i].place.bottom() < chart.height());
                for (qsizetype j = i + 1; j < labels.size(); ++j)
                    QVERIFY(!labels[i].place.intersects(labels[j].place));
            }
        }
    }

    void thePauseBeforeAResumeIsNoSilence() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        for (const double time : {100.0, 101.0, 256.0, 257.0, 264.0})
            chart.addBeat(0, time, 1);
        chart.setNow(265);
        chart.setStarts({99, 254});
        const auto gaps = chart.gaps(0);
        QCOMPARE(gaps.size(), std::size_t(1));
        QCOMPARE(gaps[0].from, 257.0);
    }

    void aLossEndsTheSilenceAndIsMarkedInItsLane() {
        HeartbeatChart chart;
        chart.setLanes(processes(2));
        chart.setNow(160);
        chart.resize(800, 80);
        for (int i = 0; i < 30; ++i) {
            chart.addBeat(0, 100 + i, 1);
            chart.addBeat(1, 100 + i, 1);
        }
        chart.setEnded(0, true);
        chart.setLosses(1, {{129.5, QStringLiteral("was killed by signal 9")}});
        QVERIFY(chart.gaps(1).empty());  // it was killed: nobody waits for it
        const auto countBad = [&chart](int from, int to) {
            const QImage picture = chart.grab().toImage();
            int bad = 0;
            for (int x = 0; x < picture.width(); ++x) {
                for (int y = from; y < to; ++y)
                    bad += picture.pixelColor(x, y) == Theme::light().bad;
            }
            return bad;
        };
        QCOMPARE(countBad(0, 24), 0);
        QVERIFY(countBad(26, 52) > 8);

        chart.setLosses(1, {{139, QStringLiteral("sent no heartbeat for 10 s")}});
        QCOMPARE(chart.gaps(1).size(), std::size_t(1));
        QCOMPARE(chart.gaps(1)[0].to, 139.0);
        QVERIFY(chart.gaps(1)[0].lasting);
    }

    /// A process beats once a second.
    void aRunThatEndedBeforeABeatSaysSoInFewLines() {
        HeartbeatChart chart;
        chart.setLanes(processes(64));
        const int tall = chart.minimumSizeHint().height();
        QCOMPARE(chart.emptyWords(), QString());  // they may still beat
        chart.setNow(100.4);
        QVERIFY(chart.emptyWords().contains(QStringLiteral("before the first heartbeat")));
        QVERIFY(chart.minimumSizeHint().height() < tall / 4);
        // What comes late, and a loss, are shown.
        chart.setLosses(3, {{100.2, QStringLiteral("killed")}});
        QCOMPARE(chart.emptyWords(), QString());
        chart.setLosses(3, {});
        QVERIFY(!chart.emptyWords().isEmpty());
        chart.addBeat(0, 100.1, 1);
        QCOMPARE(chart.emptyWords(), QString());
        QCOMPARE(chart.minimumSizeHint().height(), tall);
    }

    void lanesThatStayKeepTheirBeats() {
        HeartbeatChart chart;
        chart.setLanes(processes(3));
        for (int i = 0; i < 3; ++i)
            chart.addBeat(0, 100 + 10 * i, 1);
        chart.setNow(121);
        chart.setLanes(processes(2));
        QCOMPARE(chart.gaps(0).size(), std::size_t(2));
    }

    void onlyTheNewestBeatsAreKept() {
        HeartbeatChart chart;
        chart.setLanes(processes(1));
        for (std::size_t i = 0; i < HeartbeatChart::kBeatsPerLane; ++i) {
            chart.addBeat(0, i == 0 ? 0 : 10 + double(i), 1);
        }
        chart.setNow(10 + double(HeartbeatChart::kBeatsPerLane));
        QCOMPARE(chart.gaps(0).size(), std::size_t(1));

        chart.addBeat(0, 10 + double(HeartbeatChart::kBeatsPerLane), 1);

        QVERIFY(chart.gaps(0).empty());  // the beat before the gap was dropped
    }
    void whereOlderBeatsAreNotKeptThatIsSaid() {
        HeartbeatChart chart;
        chart.setLanes(processes(2));
        for (std::size_t i = 0; i < HeartbeatChart::kBeatsPerLane; ++i)
            chart.addBeat(0, 10 + double(i), 1);
        chart.setNow(10 + double(HeartbeatChart::kBeatsPerLane));
        QCOMPARE(chart.olderWords(), QString());
        chart.addBeat(0, 10 + double(HeartbeatChart::kBeatsPerLane), 1);
        QVERIFY(chart.olderWords().contains("slider below"));
        chart.resize(800, 120);
        QTest::keyClick(&chart, Qt::Key_Plus);
        QCOMPARE(chart.olderWords(), QString());  // all that is shown is kept
        chart.setLanes({});
        QCOMPARE(chart.olderWords(), QString());
    }
};

QTEST_MAIN(TestHeartbeatChart)
#include "tst_heartbeat_chart.moc"
