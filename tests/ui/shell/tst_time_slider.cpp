// SPDX-License-Identifier: GPL-3.0-or-later
// The slider itself, and what it does with runs that are long, that failed, or that lie elsewhere.
#include <QMouseEvent>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <cmath>
#include <random>

#include "core/job/journal_session.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/ui/shell/journal_desk.h"
#include "tests/ui/support/long_run.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/pages/live/live_page.h"
#include "ui/shell/time_travel.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/time_slider.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr int kSoon = 20'000;

/// How long the thread of the window does not come to other things, at most.
class StallWatch final : public QObject {
public:
    StallWatch() {
        time_.start();
        timer_.setTimerType(Qt::PreciseTimer);
        timer_.callOnTimeout(this, [this] { longest_ = std::max(longest_, time_.restart()); });
        timer_.start(1);
    }
    [[nodiscard]] qint64 take() {
        time_.restart();
        return std::exchange(longest_, 0);
    }

private:
    QElapsedTimer time_;
    QTimer timer_;
    qint64 longest_ = 0;
};

/// The window over a run folder that nobody writes.
std::unique_ptr<MainWindow> windowOver(const QString& runDir, const QTemporaryDir& place) {
    QSettings().setValue(QStringLiteral("theme"), int(ThemeMode::Light));
    JobServices services;
    services.attach = [](const std::filesystem::path& folder,
                         const job::ConnectOptions&) -> JobServices::OpenedSession {
        return job::openJournalSession(folder);
    };
    services.listRuns = [](const std::filesystem::path&) { return std::vector<job::RunEntry>(); };
    MainWindow::Options options;
    options.stateFolder = place.filePath(QStringLiteral("state"));
    options.attachRunDir = runDir;
    options.startPage = QStringLiteral("live");
    auto window = std::make_unique<MainWindow>(services, options);
    window->resize(1280, 900);
    window->show();
    return window;
}

}  // namespace

class TimeSliderTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void aDragAClickAndKeysSayWhatIsWanted() {
        TimeSlider slider;
        slider.resize(420, slider.sizeHint().height());
        slider.setSeconds(100);
        slider.setMarks({{20, TimeSlider::Shape::Ring, Tone::Neutral, QStringLiteral("ring")},
                         {20.1, TimeSlider::Shape::Cross, Tone::Bad, QStringLiteral("cross")},
                         {60, TimeSlider::Shape::Dot, Tone::Good, QStringLiteral("dot")}});
        slider.show();
        QSignalSpy wanted(&slider, &TimeSlider::wanted);
        QSignalSpy end(&slider, &TimeSlider::endWanted);
        QSignalSpy step(&slider, &TimeSlider::stepWanted);
        QSignalSpy mark(&slider, &TimeSlider::markChosen);
        QCOMPARE(slider.place(), 100.0);
        const int low = slider.height() - 8;
        QTest::mousePress(&slider, Qt::LeftButton, {}, {qRound(slider.xAt(50)), low});
        QTest::mouseMove(&slider, {qRound(slider.xAt(30)), low});
        QTest::mouseRelease(&slider, Qt::LeftButton, {}, {qRound(slider.xAt(30)), low});
        QCOMPARE(wanted.count(), 2);
        QVERIFY(std::abs(wanted[1][0].toDouble() - 30) < 0.5);
        QTest::mouseClick(&slider, Qt::LeftButton, {}, {qRound(slider.xAt(20)), 6});
        QCOMPARE(mark.count(), 1);
        // Of two in one place the graver one.
        QCOMPARE(slider.marks()[mark[0][0].toInt()].words, QStringLiteral("cross"));
        QTest::keyClick(&slider, Qt::Key_Left);
        QTest::keyClick(&slider, Qt::Key_Right);
        QCOMPARE(step.count(), 2);
        QCOMPARE(step[0][0].toInt(), -1);
        QTest::keyClick(&slider, Qt::Key_PageUp);
        QVERIFY(std::abs(slider.place() - 25) < 0.5);
        QTest::keyClick(&slider, Qt::Key_Home);
        QCOMPARE(slider.place(), 0.0);
        QCOMPARE(end.count(), 0);
        QTest::keyClick(&slider, Qt::Key_End);
        QCOMPARE(end.count(), 1);
        // Who is in the present stays there while the run grows; who is not stays in the past.
        slider.setSeconds(200);
        QCOMPARE(slider.place(), 200.0);
        slider.setPlace(50);
        slider.setSeconds(300);
        QCOMPARE(slider.place(), 50.0);
    }

    void aDragThatLosesItsReleaseIsOver() {
        TimeSlider slider;
        slider.resize(420, slider.sizeHint().height());
        slider.setSeconds(100);
        slider.show();
        const int low = slider.height() - 8;
        QTest::mousePress(&slider, Qt::LeftButton, {}, {qRound(slider.xAt(50)), low});
        slider.setEnabled(false);  // the run that was followed is gone
        slider.setEnabled(true);
        slider.setPlace(100);
        QCOMPARE(slider.place(), 100.0);
        QSignalSpy wanted(&slider, &TimeSlider::wanted);
        QMouseEvent move(QEvent::MouseMove, QPointF(slider.xAt(30), low), QPointF(), Qt::NoButton,
                         Qt::NoButton, {});
        QCoreApplication::sendEvent(&slider, &move);
        QCOMPARE(wanted.count(), 0);
    }

    void aLongRunIsShownAtAnyMomentWithoutAStall() {
        const QTemporaryDir folder;
        constexpr int kReplicas = 4;
        constexpr int kSteps = 100'000;
        testsupport::writeLongRun(folder.path(), kReplicas, kSteps);
        const auto window = windowOver(folder.path(), folder);
        QTRY_VERIFY_WITH_TIMEOUT(window->travel().timeline() != nullptr, kSoon);
        auto& slider = *window->findChild<TimeSlider*>(QStringLiteral("timeSlider"));
        testsupport::settle(*window);
        std::mt19937 random(3);
        std::uniform_real_distribution<double> anywhere(0, slider.seconds());
        std::vector<qint64> took;
        qint64 longestStall = 0;
        StallWatch stalls;
        for (int i = 0; i < 30; ++i) {
            std::ignore = stalls.take();
            QElapsedTimer time;
            time.start();
            slider.setPlace(anywhere(random));
            Q_EMIT slider.wanted(slider.place());
            QVERIFY(QTest::qWaitFor([&] { return window->travel().isSettled(); }, kSoon));
            took.push_back(time.elapsed());
            testsupport::settle(*window);
            longestStall = std::max(longestStall, stalls.take());
            const View view = window->travel().view();
            const qint64 points =
                window->pastPages()->live().chart(LiveFeed::StepTime).pointCount();
            // Of each replica, and of their mean.
            QCOMPARE(points, (kReplicas + 1) * view->step);
            QVERIFY(std::abs(double(view->step) - slider.place() * 100) < 30);
        }
        std::ranges::sort(took);
        qInfo(
            "a moment of %d x %d steps is shown after %lld ms (median), %lld ms (longest); the "
            "window was busy for %lld ms at most",
            kReplicas, kSteps, took[took.size() / 2], took.back(), longestStall);
        QVERIFY(took.back() < 5000);
        QVERIFY(longestStall < 10'000);  // of a busy machine; what it is stands above
    }

    void aRunWhoseJournalIsNotHereSaysSo() {
        testsupport::JournalRun run;
        const testsupport::JournalRun::Shape shape;
        run.launch(shape);
        run.train(shape, 0);
        run.steps(shape, 1, 100);
        bool isMoved = false;  // it reads on in the file it has opened
        testsupport::JournalDesk desk(run, [&] {
            isMoved = QFile::rename(QString::fromStdString((run.folder() / "journal").string()),
                                    QString::fromStdString((run.folder() / "moved").string()));
        });
        QTRY_VERIFY(desk.window().bridge().hasSession());
        QVERIFY(isMoved);
        auto& bar = desk.find<QWidget>("timeBar");
        auto& place = desk.find<ElidedLabel>("timePlace");
        QTRY_VERIFY_WITH_TIMEOUT(place.text().startsWith(QLatin1String("No timeline: ")), kSoon);
        QVERIFY(bar.isVisible());
        QVERIFY(!bar.isEnabled());
    }

    void theNoticeOfAFailureReplaysWhatLedToIt() {
        testsupport::JournalRun run;
        const testsupport::JournalRun::Shape shape;
        run.backdate(60);
        run.launch(shape);
        run.train(shape, 0);
        run.backdate(50);
        run.steps(shape, 1, 100);
        run.backdate(20);
        run.beats(shape, 25, 100, wire::PHASE_FORWARD);
        run.steps(shape, 101, 200);
        testsupport::JournalDesk desk(run);
        QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->caughtUp, kSoon);
        run.backdate(5);
        run.fail(1, "was killed by signal 9 (SIGKILL)", 200);
        run.backdate(4);
        run.end("failed");
        auto* notice = &desk.find<NoticeBar>("noticeBar");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(notice->findChild<QPushButton*>(QStringLiteral("noticeReplay")),
                                 kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(desk.window().travel().timeline() &&
                                     desk.window().travel().timeline()->marks.back().kind ==
                                         job::TimelineMark::Kind::End,
                                 kSoon);
        QTest::mouseClick(notice->findChild<QPushButton*>(QStringLiteral("noticeReplay")),
                          Qt::LeftButton);
        const TimeTravel& travel = desk.window().travel();
        QVERIFY(travel.isInPast());
        QVERIFY(travel.isPlaying());
        QVERIFY(!notice->isVisible());  // it is of now
        QVERIFY(QTest::qWaitFor([&] { return travel.view() != nullptr; }, kSoon));
        const double failedAt = desk.view()->failures.back().wallTime;
        QVERIFY(travel.place()->wallTime < failedAt - 10);
        QVERIFY(travel.view()->failures.empty());
        QTest::mouseClick(&desk.find<QPushButton>("backToNow"), Qt::LeftButton);
        QVERIFY(!travel.isInPast());
        QVERIFY(!travel.isPlaying());
        QVERIFY(notice->isVisible());
    }
};

QTEST_MAIN(TimeSliderTest)
#include "tst_time_slider.moc"
