// SPDX-License-Identifier: GPL-3.0-or-later
// The Live page in the window: a card for every figure, controls in their order.
#include <QAbstractButton>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QToolButton>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/job/fold/step_places.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/live/step_timeline.h"
#include "ui/style/theme.h"
#include "ui/widgets/card.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::WindowFixture;

namespace {

/// What Tab reaches of `page`, in its order, from `first` on.
QStringList tabOrder(const QWidget* page, QWidget* first) {
    QStringList names;
    QWidget* each = first;
    do {
        if (page->isAncestorOf(each) && each->isVisible() && (each->focusPolicy() & Qt::TabFocus))
            names << each->objectName() + QLatin1Char('/') + each->accessibleName();
        each = each->nextInFocusChain();
    } while (each != first);
    return names;
}

}  // namespace

class LivePageTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-live-page"));
        QSettings().clear();
    }

    void everyNamedFigureIsAChartOfItsOwn() {
        WindowFixture fixture;
        fixture.feed(600);
        fixture.feedScalars(ExampleRun::scalars(12, 600));
        QVERIFY(fixture.showLaunched(ExampleRun::view(600)));
        fixture.window().showPage(MainWindow::Page::Live);

        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<LiveChart>("scalarChart train/f1") != nullptr, kWait);
        auto* f1 = fixture.find<LiveChart>("scalarChart train/f1");
        QCOMPARE(f1->pointCount(), 3 * 60);  // two replicas and their mean
        QCOMPARE(f1->title(), QStringLiteral("F1, training"));
        QVERIFY(f1->parentWidget()->toolTip().contains(QStringLiteral("train/f1")));
        QVERIFY(f1->newestValue() == (f1->newestValue(0) + f1->newestValue(1)) / 2);
        QVector<LiveChart*> shown;
        for (LiveChart* chart : fixture.window().findChildren<LiveChart*>())
            if (chart->isVisible()) shown += chart;
        QCOMPARE(shown.size(), 4 + 12);
        for (LiveChart* chart : shown) {
            // The page was shown, and the cards were added, in this turn of the event loop.
            QTRY_VERIFY2_WITH_TIMEOUT(chart->height() >= 120, qPrintable(chart->title()), kWait);
            QVERIFY2(chart->width() >= 220, qPrintable(chart->title()));
        }

        fixture.window().bridge().release();
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<LiveChart>("scalarChart train/f1") == nullptr, kWait);
    }
    /// What is said between the look at the run and that at its figures, as its first words.
    void figuresThatComeBeforeTheReplicasAreKnownAreKept() {
        WindowFixture fixture;
        job::RunView before = ExampleRun::view(0);
        before.replicaCount = 0;
        before.replicas.clear();
        before.starts.clear();
        fixture.feedScalars(ExampleRun::scalars(1, 600));
        QVERIFY(fixture.showLaunched(before));
        const auto isTaken = [&script = fixture.script()] {
            const std::lock_guard lock(script.mutex);
            return script.scalars.empty();
        };
        QTRY_VERIFY_WITH_TIMEOUT(isTaken(), kWait);

        fixture.script().publish(ExampleRun::view(600));

        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<LiveChart>("scalarChart train/f1") != nullptr, kWait);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.find<LiveChart>("scalarChart train/f1")->pointCount(),
                                  3 * 60, kWait);
    }
    void aProgramThatReportsNothingIsToldWhatToPaste() {
        WindowFixture fixture;
        job::RunView run = ExampleRun::view(0);
        run.backend = "program";
        run.globalBatchSize = 0;
        QVERIFY(fixture.showLaunched(run));
        fixture.window().showPage(MainWindow::Page::Live);

        auto* hint = fixture.find<QWidget>("reportHint");
        auto* loss = fixture.find<LiveChart>("lossChart");
        QTRY_VERIFY_WITH_TIMEOUT(hint->isVisible(), kWait);
        QVERIFY(!loss->isVisible());
        QTest::mouseClick(fixture.find<QPushButton>("copyReportLines"), Qt::LeftButton);
        const QString pasted = QGuiApplication::clipboard()->text();
        QVERIFY(pasted.contains(QStringLiteral("import lockstep_report\n")));
        QVERIFY(pasted.contains(QStringLiteral("report.step(loss=")));
        const auto* copy = fixture.find<QPushButton>("copyReportLines");
        QCOMPARE(copy->text(), QStringLiteral("Copied"));
        QTRY_COMPARE_WITH_TIMEOUT(copy->text(), QStringLiteral("Copy the lines"), kWait);

        {  // it speaks: of its loss alone
            const std::lock_guard lock(fixture.script().mutex);
            fixture.script().steps = ExampleRun::steps(1, 5);
            for (job::StepColumns& columns : fixture.script().steps)
                std::ranges::fill(columns.accuracy, NAN);
        }
        QTRY_VERIFY_WITH_TIMEOUT(loss->isVisible(), kWait);
        QVERIFY(hint->isHidden());
        QVERIFY(!fixture.find<LiveChart>("accuracyChart")->isVisible());
        QVERIFY(!fixture.find<LiveChart>("throughputChart")->isVisible());
        QVERIFY(fixture.find<LiveChart>("stepTimeChart")->isVisible());
    }
    void samplesASecondAreThoseOfAReplicasShare_data() {
        QTest::addColumn<QString>("job");
        QTest::addColumn<float>("rate");
        QTest::newRow("two replicas") << QString() << 2.5F;
        QTest::newRow("the two members of a mesh's row")
            << QStringLiteral("[distribution]\nmesh = { model = 2 }\n") << 5.0F;
    }
    void samplesASecondAreThoseOfAReplicasShare() {
        QFETCH(const QString, job);
        QFETCH(const float, rate);
        WindowFixture fixture;
        job::RunView run = ExampleRun::view(5);
        run.globalBatchSize = 5;
        run.jobToml = job.toStdString();
        run.starts = {{.firstStep = 0, .replicas = 2}};
        QVERIFY(fixture.showLaunched(run));
        fixture.window().showPage(MainWindow::Page::Live);
        {
            const std::lock_guard lock(fixture.script().mutex);
            fixture.script().steps = ExampleRun::steps(1, 5);
            for (job::StepColumns& columns : fixture.script().steps)
                std::ranges::fill(columns.stepMicroseconds, 1e6F);
        }
        auto* throughput = fixture.find<LiveChart>("throughputChart");
        QTRY_VERIFY_WITH_TIMEOUT(throughput->pointCount() > 0, kWait);
        QTRY_VERIFY_WITH_TIMEOUT(throughput->isUpToDate(), kWait);
        const auto& series = throughput->picture().curves.series;
        QVERIFY(!series.empty());
        QCOMPARE(series[0].values.at(0), rate);
    }
    void escapeLeavesAMaximisedChart() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        QVERIFY(fixture.openExample());
        fixture.script().publish(ExampleRun::view(1000));
        QVERIFY(fixture.launch());
        auto* loss = fixture.find<LiveChart>("lossChart");
        auto* accuracy = fixture.find<LiveChart>("accuracyChart");
        QTRY_VERIFY_WITH_TIMEOUT(accuracy->isVisible(), kWait);
        loss->parentWidget()->findChild<QAbstractButton*>(QStringLiteral("maximize"))->click();
        QVERIFY(!accuracy->isVisible());

        QTest::keyClick(&fixture.window(), Qt::Key_Escape);

        QTRY_VERIFY_WITH_TIMEOUT(accuracy->isVisible(), kWait);
        QVERIFY(loss->isVisible());
    }
    void theHeartbeatsAreSeenWithoutScrollingWhateverFiguresThereAre() {
        WindowFixture fixture;
        fixture.window().resize(1280, 800);
        fixture.feed(600);
        fixture.feedScalars(ExampleRun::scalars(6, 600));
        QVERIFY(fixture.showLaunched(ExampleRun::view(600)));
        fixture.window().showPage(MainWindow::Page::Live);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<LiveChart>("scalarChart train/f1") != nullptr, kWait);
        auto* scroll = fixture.find<QScrollArea>("liveScroll");
        auto* beats = fixture.find<HeartbeatChart>("heartbeatChart");
        const auto isSeen = [&](QWidget* widget) {
            const QRect place(widget->mapTo(scroll->viewport(), QPoint()), widget->size());
            return widget->isVisible() && scroll->viewport()->rect().contains(place);
        };
        QTRY_VERIFY_WITH_TIMEOUT(isSeen(beats), kWait);
        QVERIFY(isSeen(fixture.find<LiveChart>("lossChart")));
        QVERIFY(isSeen(fixture.find<LiveChart>("stepTimeChart")));

        // A figure that has the page has it alone.
        auto* f1 = fixture.find<LiveChart>("scalarChart train/f1");
        f1->parentWidget()->findChild<QAbstractButton*>(QStringLiteral("maximize"))->click();
        QVERIFY(!fixture.find<LiveChart>("lossChart")->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(f1->height() > 250, kWait);
        QTest::keyClick(&fixture.window(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<LiveChart>("lossChart")->isVisible(), kWait);
    }
    void followGoesBackToThePresentOfTheHeartbeatsToo() {
        WindowFixture fixture;
        fixture.feed(600);
        QVERIFY(fixture.showLaunched(ExampleRun::view(600)));
        fixture.window().showPage(MainWindow::Page::Live);
        auto* beats = fixture.find<HeartbeatChart>("heartbeatChart");
        auto* follow = fixture.find<QPushButton>("followButton");
        QTRY_VERIFY_WITH_TIMEOUT(beats->phasesSeen() != 0, kWait);
        QVERIFY(!follow->isEnabled());
        QTest::keyClick(beats, Qt::Key_Left);
        QVERIFY(follow->isEnabled());

        follow->click();

        QVERIFY(beats->isFollowing());
        QVERIFY(!follow->isEnabled());
    }
    /// They take the heartbeats' place, and know the steps that came before anybody asked.
    void stepsAreALaneAReplicaOnOneClock() {
        WindowFixture fixture;
        fixture.window().resize(1280, 800);
        fixture.feed(600);
        QVERIFY(fixture.showLaunched(ExampleRun::view(600)));
        fixture.window().showPage(MainWindow::Page::Live);
        auto* beats = fixture.find<HeartbeatChart>("heartbeatChart");
        auto* timeline = fixture.find<TimelineChart>("timelineChart");
        QTRY_VERIFY_WITH_TIMEOUT(beats->isVisible(), kWait);
        QVERIFY(!timeline->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(timeline->laneCount(), 2, kWait);
        auto* loss = fixture.find<LiveChart>("lossChart");
        QTRY_VERIFY_WITH_TIMEOUT(loss->pointCount() >= 1200, kWait);
        QCOMPARE(timeline->lane(0).size(), std::size_t(0));  // nobody has asked for them

        fixture.find<QToolButton>("stepsToggle")->setChecked(true);

        QVERIFY(timeline->isVisible() && !beats->isVisible());
        QCOMPARE(timeline->lane(0).size(), std::size_t(600));
        QCOMPARE(timeline->lane(1).at(599).number, 600);
        // Follow is of what is seen.
        auto* follow = fixture.find<QPushButton>("followButton");
        QVERIFY(!follow->isEnabled());
        QTest::keyClick(timeline, Qt::Key_A);
        QVERIFY(follow->isEnabled());
        follow->click();
        QVERIFY(timeline->isFollowing());
        auto* fold = fixture.find<QToolButton>("heartbeatFold");
        fold->click();
        QVERIFY(!timeline->isVisible() && !beats->isVisible());
        fixture.find<QToolButton>("stepsToggle")->setChecked(false);
        fold->click();
        QVERIFY(!timeline->isVisible() && beats->isVisible());
    }
    /// A long run that is opened while steps are shown holds nobody up.
    void manyStepsAreTakenOverSomeAtATimeAndTheNewestAlone() {
        QWidget place;
        auto* steps = new StepTimeline(&place);
        const TimelineChart& chart = *steps->chart();
        steps->toggle()->setChecked(true);
        steps->showView(ExampleRun::view(50'000));
        const auto all = ExampleRun::steps(1, 50'000);
        steps->addSteps(all);
        const std::size_t kept = chart.stepsPerLane();
        QCOMPARE(chart.lane(0).size(), kept);
        QCOMPARE(chart.lane(1).size(), std::size_t(0));
        QTRY_COMPARE_WITH_TIMEOUT(chart.lane(1).size(), kept, kWait);
        QCOMPARE(chart.lane(1).at(kept - 1).number, 50'000);
        // They lie where all of them would have put them.
        qint64 end = 0;
        job::placeSteps(all[1], [&end](const job::PlacedStep& placed) { end = placed.end; });
        QVERIFY(std::abs(chart.lane(1).end() - end) < 100'000);  // nanoseconds
    }
    /// As of the run's past and of its present.
    void pagesShowStepsOrHeartbeatsAlike() {
        LivePage one;
        LivePage other;
        const auto toggle = [](const LivePage& page) {
            return page.findChild<QToolButton*>(QStringLiteral("stepsToggle"));
        };
        QVERIFY(!toggle(one)->isChecked());
        toggle(other)->click();
        one.show();
        QVERIFY(toggle(one)->isChecked());
        one.hide();
        toggle(other)->click();
        one.show();
        QVERIFY(!toggle(one)->isChecked());
    }
    void scoresOfCheckpointsAndOfTheTestAreSeriesOfTheirOwn() {
        WindowFixture fixture;
        fixture.feed(600);
        job::RunView run = ExampleRun::view(600);
        const auto scored = std::exchange(run.evaluations, {});
        QCOMPARE(scored.size(), std::size_t(2));
        QVERIFY(fixture.showLaunched(run));
        auto* loss = fixture.find<LiveChart>("lossChart");
        auto* accuracy = fixture.find<LiveChart>("accuracyChart");
        QTRY_COMPARE_WITH_TIMEOUT(loss->pointCount(), 3 * 600, kWait);
        const auto names = [loss] {
            QStringList all;
            for (const SeriesInfo& info : loss->group().series())
                if (info.exact) all << info.name;
            return all.join(QLatin1Char(' '));
        };
        QVERIFY(names().isEmpty());

        // The test first, and of the checkpoints the later one first.
        job::EvaluationView test = *scored[1];
        test.split = "test";
        test.loss = 0.75;
        test.accuracy = NAN;
        run.evaluations = {std::make_shared<const job::EvaluationView>(test), scored[1]};
        fixture.script().publish(run);
        QTRY_COMPARE_WITH_TIMEOUT(loss->pointCount(), 3 * 600 + 2, kWait);
        run.evaluations.push_back(scored[0]);
        job::EpochView epoch;
        epoch.epoch = 1;
        epoch.step = 600;
        epoch.validationLoss = 0.5;
        run.epochResults = {epoch};
        fixture.script().publish(run);
        QTRY_COMPARE_WITH_TIMEOUT(loss->pointCount(), 3 * 600 + 4, kWait);

        QCOMPARE(names(), QStringLiteral("Evaluator Test Validation"));  // as they came
        const int first = int(loss->group().series().size()) - 3;
        QCOMPARE(loss->newestValue(first), float(scored[1]->loss));
        QCOMPARE(accuracy->newestValue(first), float(scored[1]->accuracy));
        QCOMPARE(loss->newestValue(first + 1), 0.75F);
        QVERIFY(std::isnan(accuracy->newestValue(first + 1)));
        QCOMPARE(accuracy->pointCount(), 3 * 600 + 2);
        // Legends have them in one order, in colours of their own.
        fixture.window().showPage(MainWindow::Page::Live);
        QTRY_VERIFY_WITH_TIMEOUT(loss->isUpToDate() && loss->hasPicture(), kWait);
        const QStringList legend = loss->picture().seriesNames;
        QCOMPARE(legend.mid(legend.size() - 3).join(QLatin1Char(' ')),
                 QStringLiteral("Validation Evaluator Test"));
        const auto colour = [&](int series) {
            return colourOf(loss->group().series()[series], series, Theme::light()).rgb();
        };
        QVERIFY(colour(first) != colour(first + 1) && colour(first) != colour(first + 2) &&
                colour(first + 1) != colour(first + 2));
    }
    void longNamesOfFiguresKeepTheirEnds() {
        WindowFixture fixture;
        auto scalars = ExampleRun::scalars(1, 600);
        for (job::ScalarColumns& columns : scalars)
            columns.name = "train/encoder/layer12/attention/entropy";
        fixture.feedScalars(scalars);
        QVERIFY(fixture.showLaunched(ExampleRun::view(600)));
        const char* name = "scalarChart train/encoder/layer12/attention/entropy";
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<LiveChart>(name) != nullptr, kWait);
        const auto* card = qobject_cast<Card*>(fixture.find<LiveChart>(name)->parentWidget());
        QVERIFY(card != nullptr);
        QVERIFY2(card->title().startsWith(QStringLiteral("train/")) &&
                     card->title().endsWith(QStringLiteral("entropy")),
                 qPrintable(card->title()));
        QCOMPARE(fixture.find<LiveChart>(name)->pointCount(), 3 * 60);
    }
    /// Cards and chips come with the run, long after the page was built.
    void tabGoesThroughCardsAndChipsWhereTheyStand() {
        WindowFixture fixture;
        fixture.feed(600);
        fixture.feedScalars(ExampleRun::scalars(3, 600));
        QVERIFY(fixture.showLaunched(ExampleRun::view(600)));
        fixture.window().showPage(MainWindow::Page::Live);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<LiveChart>("scalarChart train/f1") != nullptr, kWait);
        auto* page = fixture.find<QWidget>("liveScroll");
        const auto chip = [page] { return page->findChild<QWidget*>(QStringLiteral("chip1")); };
        QTRY_VERIFY_WITH_TIMEOUT(chip() && chip()->isVisible(), kWait);

        const QStringList order = tabOrder(page, fixture.find<QWidget>("xAxisControl"));
        const auto placeOf = [&order](const QString& pattern) {
            return order.indexOf(QRegularExpression(pattern + QStringLiteral(".*")));
        };
        const QList<qsizetype> places{placeOf(QStringLiteral("^followButton")),
                                      placeOf(QStringLiteral("^chip")),
                                      placeOf(QStringLiteral("^maximize/Loss")),
                                      placeOf(QStringLiteral("^maximize/Step time")),
                                      placeOf(QStringLiteral("^heartbeatFold")),
                                      placeOf(QStringLiteral("^maximize/F1, training"))};
        const QString said = order.join(QStringLiteral(" | "));
        QVERIFY2(places.front() >= 0, qPrintable(said));
        QVERIFY2(std::ranges::is_sorted(places), qPrintable(said));
    }
};

QTEST_MAIN(LivePageTest)
#include "tst_live_page.moc"
