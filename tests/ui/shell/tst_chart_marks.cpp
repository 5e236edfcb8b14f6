// SPDX-License-Identifier: GPL-3.0-or-later
// What a click on a mark of the Live page's charts opens.
#include <QPushButton>
#include <QStackedWidget>
#include <QtTest>

#include "tests/ui/shell/journal_desk.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/charts/surface/chart_surface.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/pages/evaluator/evaluator_desk.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/logs/logs_page.h"
#include "ui/shell/time_travel.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::JournalDesk;
using testsupport::JournalRun;
using testsupport::WindowFixture;

namespace {

constexpr int kSoon = 20'000;

/// At the foot of the loss chart.
void clickAt(const RunPages& pages, double step) {
    const LiveChart& chart = pages.live().chart(LiveFeed::Loss);
    const AxisRange x = chart.group().xRange();
    auto* surface = chart.findChild<ChartSurface*>();
    const QRectF plot = surface->plot();
    const QPointF at(plot.left() + (step - x.first) / (x.last - x.first) * plot.width(),
                     plot.bottom() - 3);
    QTest::mouseClick(surface->viewport(), Qt::LeftButton, {}, at.toPoint());
}

bool isDrawn(const RunPages& pages) {
    const LiveChart& chart = pages.live().chart(LiveFeed::Loss);
    return chart.isVisible() && chart.hasPicture() && chart.isUpToDate();
}

}  // namespace

class ChartMarksTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-chart-marks"));
    }
    void init() { QSettings().clear(); }

    void aCheckpointOpensItsScoreAndADeathItsMoment() {
        JournalRun run;
        const JournalRun::Shape shape;
        run.backdate(60);
        run.launch(shape);
        run.train(shape, 0);
        run.backdate(50);
        run.steps(shape, 1, 250);
        run.score(100, 0.9);
        run.score(200, 0.95);
        run.backdate(40);
        run.fail(1, "was killed by signal 9 (SIGKILL)", 250);
        run.backdate(30);
        run.end("failed");
        JournalDesk desk(run);
        MainWindow& window = desk.window();
        const TimeTravel& travel = window.travel();
        QTRY_VERIFY_WITH_TIMEOUT(travel.timeline() && travel.timeline()->marks.back().kind ==
                                                          job::TimelineMark::Kind::End,
                                 kSoon);
        desk.settle();
        QTRY_VERIFY_WITH_TIMEOUT(isDrawn(window.presentPages()), kSoon);
        const auto* pages = window.presentPages().pages()[0]->parentWidget();
        const auto shown = [&] {
            return static_cast<const QStackedWidget*>(pages)->currentIndex();
        };

        clickAt(window.presentPages(), 100);

        QTRY_COMPARE_WITH_TIMEOUT(shown(), int(MainWindow::Page::Evaluator), kSoon);
        const EvaluatorPage& scores = window.presentPages().evaluator().scores();
        const auto* table = scores.findChild<QTableView*>(QStringLiteral("evaluationTable"));
        const Evaluation chosen =
            window.presentPages().evaluations().at(table->currentIndex().row());
        QCOMPARE(chosen->step, std::int64_t(100));

        window.showPage(MainWindow::Page::Live);
        clickAt(window.presentPages(), 250);

        QTRY_VERIFY_WITH_TIMEOUT(travel.isInPast(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(travel.view() && travel.isSettled(), kSoon);
        QCOMPARE(travel.view()->failures.size(), std::size_t(1));
        QVERIFY(travel.view()->endedWallTime == 0);  // the end came later
        QCOMPARE(shown(), int(MainWindow::Page::Live));

        // There, too.
        QTRY_VERIFY_WITH_TIMEOUT(isDrawn(*window.pastPages()), kSoon);
        clickAt(*window.pastPages(), 200);
        QTRY_COMPARE_WITH_TIMEOUT(shown(), int(MainWindow::Page::Evaluator), kSoon);
        window.showPage(MainWindow::Page::Live);
    }

    /// There is nothing to be opened of the others.
    void onlyACheckpointThatWasScoredIsToBeClicked() {
        WindowFixture fixture;
        fixture.feed(600);
        job::RunView run = ExampleRun::view(600);  // scored: 250 and 500
        run.checkpoints = {{.step = 250, .path = {}, .error = {}},
                           {.step = 300, .path = {}, .error = {}}};
        QVERIFY(fixture.showLaunched(run));
        const ChartGroup& group = fixture.find<LiveChart>("lossChart")->group();
        const auto clicks = [&group] {
            QStringList words;
            for (const AxisMark& mark : group.marks())
                if (mark.kind == AxisMark::Kind::Checkpoint) words << mark.click;
            return words;
        };
        QTRY_COMPARE_WITH_TIMEOUT(clicks().size(), 2, kSoon);
        QVERIFY(!clicks()[0].isEmpty());
        QVERIFY(clicks()[1].isEmpty());

        job::EvaluationView late = *run.evaluations[0];
        late.step = 300;
        run.evaluations.push_back(std::make_shared<const job::EvaluationView>(late));
        fixture.script().publish(run);
        QTRY_COMPARE_WITH_TIMEOUT(clicks().value(1), clicks().value(0), kSoon);
    }

    void whoWasSilentStuckOrSlowIsAMark() {
        WindowFixture fixture;
        fixture.feed(600);
        job::RunView run = ExampleRun::view(600);
        const double start = ExampleRun::kStartWallTime;
        run.verdicts = {{100, 1, {1}, "process 1 sent no heartbeat for 2 s", start + 1},
                        {200, 2, {0}, "process 0 is stuck", start + 2},
                        {300, 4, {1}, "process 1 costs the others 18 %", start + 3}};
        QVERIFY(fixture.showLaunched(run));
        const ChartGroup& group = fixture.find<LiveChart>("lossChart")->group();
        const auto verdicts = [&group] {
            QVector<AxisMark> marks = group.marks();
            marks.removeIf(
                [](const AxisMark& mark) { return mark.kind != AxisMark::Kind::Verdict; });
            return marks;
        };
        QTRY_COMPARE_WITH_TIMEOUT(verdicts().size(), 3, kSoon);
        QCOMPARE(verdicts()[1].step, 200);
        QCOMPARE(verdicts()[1].words, QStringLiteral("process 0 is stuck"));
        QCOMPARE(verdicts()[1].wallTime, start + 2);
        QVERIFY(!verdicts()[1].click.isEmpty());
    }

    void withoutATimelineTheLogTellsOfTheMoment() {
        WindowFixture fixture;
        fixture.feed(600);
        QVERIFY(fixture.showLaunched(ExampleRun::failedView(600)));
        MainWindow& window = fixture.window();
        window.showPage(MainWindow::Page::Live);
        QTRY_VERIFY_WITH_TIMEOUT(isDrawn(window.presentPages()), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(window.presentPages().log().lineCount(),
                                  qint64(ExampleRun::logs().size()), kSoon);
        QVERIFY(!window.travel().timeline());

        clickAt(window.presentPages(), 600);

        QTRY_VERIFY_WITH_TIMEOUT(window.presentPages().logs().isVisible(), kSoon);
        QVERIFY(!window.travel().isInPast());
        const auto* table = fixture.find<QTableView>("logTable");
        // Nothing was written that late.
        QTRY_COMPARE(table->currentIndex().row(), table->model()->rowCount() - 1);
    }
};

QTEST_MAIN(ChartMarksTest)
#include "tst_chart_marks.moc"
