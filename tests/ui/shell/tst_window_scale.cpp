// SPDX-License-Identifier: GPL-3.0-or-later
// The real window over journals of 1 to 1,024 processes, written by the product's own writer and
// folded by its own session: what fits is seen, nothing lies on anything else, nothing false is
// said. LOCKSTEP_PICTURES=FOLDER saves what the pages look like.
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QtTest>

#include "tests/ui/shell/journal_desk.h"
#include "tests/ui/support/journal_run.h"
#include "tests/ui/support/overlaps.h"
#include "tests/ui/support/settle.h"
#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/replica_table_model.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/figure_label.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/sample_grid.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/state_pill.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::JournalRun;
using testsupport::overlaps;
using Desk = testsupport::JournalDesk;
using Shape = JournalRun::Shape;

namespace {

constexpr int kSoon = 20'000;
constexpr int kLeastChart = 140;

QString joined(const QStringList& words) {
    return words.join(QStringLiteral(" | "));
}

bool says(const QStringList& words, const char* pattern) {
    const QRegularExpression wanted{QLatin1String(pattern)};
    return std::ranges::any_of(words, [&](const QString& each) { return each.contains(wanted); });
}

}  // namespace

class WindowScaleTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-window-scale"));
    }

    void everyCountIsReadableFromStartToEnd_data() {
        QTest::addColumn<int>("processes");
        for (const int count : {1, 2, 16, 64, 256, 1024})
            QTest::newRow(qPrintable(QString::number(count))) << count;
    }
    void everyCountIsReadableFromStartToEnd();
    void aResumeWithFewerKeepsTheCurvesAndCountsOn_data() {
        QTest::addColumn<bool>("later");
        QTest::newRow("looked at while it happens") << false;
        QTest::newRow("looked at when all is written") << true;
    }
    void aResumeWithFewerKeepsTheCurvesAndCountsOn();
    void aSecondFailureHasItsOwnCause();
    void aReplicaWithoutSamplesIsNoAlarm();
    void aProgramThatReportsNothingIsSaidToHave();
    void theEvaluatorSaysWhichCheckpointsAreGoneAndWhatACellHolds();

private:
    static void checkReplicas(Desk& desk, int rows);
    static void checkLive(Desk& desk);
};

void WindowScaleTest::checkReplicas(Desk& desk, int rows) {
    desk.window().showPage(MainWindow::Page::Replicas);
    desk.settle();
    QTableView& table = desk.table();
    QCOMPARE(table.model()->rowCount(), rows);
    if (rows > 13) {
        desk.find<SegmentedControl>("replicaForm").setCurrent(0);
        desk.settle();
    }
    const QRect viewport = table.viewport()->rect();
    int visible = 0;
    for (int row = 0; row < rows; ++row)
        visible += viewport.contains(table.visualRect(table.model()->index(row, 0))) ? 1 : 0;
    // All of them, or as many as the page holds between its margins and the line of hints.
    const int room =
        table.window()->height() - table.viewport()->mapTo(table.window(), QPoint()).y() - 110;
    const int fit = room / table.rowHeight(0);
    QVERIFY2(
        visible >= std::min(rows, fit),
        qPrintable(QStringLiteral("%1 of %2 rows, %3 would fit").arg(visible).arg(rows).arg(fit)));
    if (rows <= 17) QCOMPARE(visible, rows);
    const QStringList covered = overlaps(desk.window());
    QVERIFY2(covered.isEmpty(), qPrintable(joined(covered)));
}

void WindowScaleTest::checkLive(Desk& desk) {
    desk.window().showPage(MainWindow::Page::Live);
    desk.settle();
    for (const char* name : {"lossChart", "accuracyChart", "throughputChart", "stepTimeChart"}) {
        const int height = desk.find<LiveChart>(name).height();
        QVERIFY2(height >= kLeastChart,
                 qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(name)).arg(height)));
    }
    auto& beats = desk.find<HeartbeatChart>("heartbeatChart");
    const auto labels = beats.labels();
    QVERIFY(!labels.isEmpty());
    for (qsizetype i = 1; i < labels.size(); ++i) {
        QVERIFY(!labels[i].place.intersects(labels[i - 1].place));
        QVERIFY2(!labels[i].text.contains(QChar(0x2026)), qPrintable(labels[i].text));
    }
    QVERIFY(desk.find<QWidget>("heartbeatLegend").isVisible());
    auto& scroll = desk.find<QScrollArea>("liveScroll");
    for (const int place : {0, scroll.verticalScrollBar()->maximum()}) {
        scroll.verticalScrollBar()->setValue(place);
        const QStringList covered = overlaps(desk.window());
        QVERIFY2(covered.isEmpty(), qPrintable(joined(covered)));
    }
    for (const QSize& size : {QSize(1024, 640), QSize(1280, 800)}) {
        desk.window().resize(size);
        desk.settle();
        QCOMPARE(scroll.horizontalScrollBar()->maximum(), 0);
    }
    scroll.verticalScrollBar()->setValue(0);
    desk.settle();
    for (const char* name : {"lossChart", "accuracyChart", "throughputChart", "stepTimeChart"}) {
        auto& chart = desk.find<LiveChart>(name);
        const QRect place(chart.mapTo(scroll.viewport(), QPoint()), chart.size());
        QVERIFY2(scroll.viewport()->rect().contains(place), name);
    }
}

void WindowScaleTest::everyCountIsReadableFromStartToEnd() {
    QFETCH(int, processes);
    const Shape shape{.processes = processes};
    JournalRun run;
    run.launch(shape);
    Desk desk(run);
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->state == job::RunState::Launching, kSoon);
    // a pause: some looks of the window at processes that register
    QTest::qWait(100);
    QStringList said = desk.said();
    QVERIFY2(!says(said, "of 0 |alive|lost|Silent|again"), qPrintable(joined(said)));

    run.train(shape, 0);
    run.steps(shape, 1, 210);
    run.beats(shape, 70, 210, wire::PHASE_FORWARD);
    auto& loss = desk.find<LiveChart>("lossChart");
    const qint64 points = qint64(processes) * 210 + (processes > 1 ? 210 : 0) + 2;
    QTRY_COMPARE_WITH_TIMEOUT(loss.pointCount(), points, kSoon);  // their mean, and two epochs
    QTRY_VERIFY_WITH_TIMEOUT(desk.view()->replicasAlive == processes, kSoon);
    said = desk.said();
    QVERIFY2(!says(said, "of 0 |lost|Silent|again|no heartbeat|none yet ago"),
             qPrintable(joined(said)));
    checkReplicas(desk, processes + 1);
    if (QTest::currentTestFailed()) return;
    desk.picture(QStringLiteral("replicas-%1").arg(processes));
    checkLive(desk);
    if (QTest::currentTestFailed()) return;
    loss.group().setCrosshair(200);
    desk.picture(QStringLiteral("live-%1").arg(processes));

    run.state(wire::RUN_STATE_STOPPING, "stopping after the step in flight");
    QTRY_COMPARE_WITH_TIMEOUT(desk.find<StatePill>("statePill").word(), QStringLiteral("Stopping"),
                              kSoon);
    (void)desk.said();
    // a pause: longer than a silence that would be late
    QTest::qWait(3500);
    said = desk.said();
    QVERIFY2(!says(said, "alive|lost|Silent|no heartbeat"), qPrintable(joined(said)));
    run.end("stopped");
    QTRY_COMPARE_WITH_TIMEOUT(desk.find<StatePill>("statePill").word(), QStringLiteral("Stopped"),
                              kSoon);
    // a pause: some looks of the window at the run's end, of which the first may still say "ago"
    QTest::qWait(300);
    (void)desk.said();
    said = desk.said();
    QVERIFY2(!says(said, "ago|alive|lost|no heartbeat|none yet"), qPrintable(joined(said)));
    for (int lane = 0; lane <= processes; ++lane)
        for (const auto& gap : desk.find<HeartbeatChart>("heartbeatChart").gaps(lane))
            QFAIL(qPrintable(QStringLiteral("lane %1 is silent for %2 s, lasting: %3")
                                 .arg(lane)
                                 .arg(gap.to - gap.from)
                                 .arg(gap.lasting)));
}

void WindowScaleTest::aResumeWithFewerKeepsTheCurvesAndCountsOn() {
    Shape shape{.processes = 4};
    JournalRun run;
    run.launch(shape);
    run.train(shape, 0);
    run.steps(shape, 1, 150);
    run.beats(shape, 20, 150, wire::PHASE_FORWARD);
    run.end("stopped");
    shape.processes = 2;
    run.launch(shape);
    QFETCH(bool, later);
    std::unique_ptr<Desk> window;
    if (!later) {
        window = std::make_unique<Desk>(run);
        QTRY_VERIFY_WITH_TIMEOUT(
            window->view() && window->view()->state == job::RunState::Launching, kSoon);
        // a pause: some looks of the window at fewer processes than it knows
        QTest::qWait(200);
    }
    run.train(shape, 150);
    run.steps(shape, 151, 250);
    run.beats(shape, 0, 250, wire::PHASE_FORWARD);
    if (later) window = std::make_unique<Desk>(run);
    Desk& desk = *window;
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->step == 250, kSoon);
    QCOMPARE(desk.table().model()->rowCount(), 3);
    // Four curves and their mean to 150, two and their mean from there on, two epochs.
    QTRY_COMPARE_WITH_TIMEOUT(desk.find<LiveChart>("lossChart").pointCount(), 5 * 150 + 3 * 100 + 2,
                              kSoon);
    QVERIFY(desk.view()->replicaCount == 2);
    const auto& beats = desk.find<HeartbeatChart>("heartbeatChart");
    // Since the last beat a slow machine may have been silent for real.
    QVERIFY(std::ranges::all_of(beats.gaps(0), &HeartbeatChart::Gap::lasting));
    const QStringList said = desk.said();
    QVERIFY2(!says(said, "lost|Silent|of 4 replicas"), qPrintable(joined(said)));
    desk.picture(QStringLiteral("resumed"));
}

void WindowScaleTest::aSecondFailureHasItsOwnCause() {
    const Shape shape{.processes = 2};
    JournalRun run;
    run.launch(shape);
    run.train(shape, 0);
    run.steps(shape, 1, 120);
    run.beats(shape, 60, 120, wire::PHASE_FORWARD);
    run.fail(1, "was killed by signal 9 (SIGKILL)", 120);
    run.end("failed");
    run.launch(shape);
    run.train(shape, 100);
    run.steps(shape, 101, 180);
    run.beats(shape, 2, 180, wire::PHASE_FORWARD);
    run.fail(0, "sent no heartbeat for 10 s", 180);
    Desk desk(run);
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->failures.size() == 2, kSoon);
    run.end("failed");
    auto& notice = desk.find<NoticeBar>("noticeBar");
    QTRY_VERIFY_WITH_TIMEOUT(notice.isVisible(), kSoon);
    QVERIFY2(notice.notice().sentence.contains(QStringLiteral("Process 0")) &&
                 notice.notice().sentence.contains(QStringLiteral("sent no heartbeat")),
             qPrintable(notice.notice().sentence));
    QVERIFY(notice.notice().details.contains(QStringLiteral("in a former start: process 1")));
    desk.find<LiveChart>("lossChart").group().setCrosshair(120);
    desk.picture(QStringLiteral("failed"));
}

void WindowScaleTest::aReplicaWithoutSamplesIsNoAlarm() {
    const Shape shape{.processes = 8, .idle = 3};
    JournalRun run;
    run.launch(shape);
    run.train(shape, 0);
    run.steps(shape, 1, 150);
    Desk desk(run);
    auto& loss = desk.find<LiveChart>("lossChart");
    // Eight curves and their mean, but for three at step 100; and an epoch's validation.
    QTRY_COMPARE_WITH_TIMEOUT(loss.pointCount(), 9 * 150 - 3 + 1, kSoon);
    desk.settle();
    const QImage picture = loss.grab().toImage();
    int alarms = 0;
    for (int x = 0; x < picture.width(); ++x) {
        for (int y = 0; y < int(loss.plotArea().top()) + 8; ++y)
            alarms += picture.pixelColor(x, y) == Theme::light().bad ? 1 : 0;
    }
    QCOMPARE(alarms, 0);
}

void WindowScaleTest::aProgramThatReportsNothingIsSaidToHave() {
    const Shape shape{.processes = 2, .evaluator = false, .program = true};
    JournalRun run;
    run.launch(shape);
    run.train(shape, 0);
    run.beats(shape, 5, 0, wire::PHASE_PROGRAM);
    Desk desk(run);
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->replicasAlive == 2, kSoon);
    const auto words = [&desk] {
        return desk.find<LiveChart>("lossChart").accessibleDescription();
    };
    QTRY_COMPARE_WITH_TIMEOUT(
        words(), QStringLiteral("Points appear when the program reports its first step"), kSoon);
    desk.picture(QStringLiteral("silent-program"));
    run.end("completed");
    QTRY_COMPARE_WITH_TIMEOUT(words(), QStringLiteral("No step was reported"), kSoon);
    desk.window().showPage(MainWindow::Page::Evaluator);
    desk.settle();
    QStringList said;
    for (const QLabel* label : desk.find<QWidget>("evaluatorEmpty").findChildren<QLabel*>())
        said << label->text();
    QVERIFY2(says(said, "This job has no evaluator") && !says(said, "Its first score"),
             qPrintable(joined(said)));
    desk.picture(QStringLiteral("no-evaluator"));
}

void WindowScaleTest::theEvaluatorSaysWhichCheckpointsAreGoneAndWhatACellHolds() {
    const Shape shape{.processes = 2};
    JournalRun run;
    run.launch(shape);
    run.train(shape, 0);
    run.steps(shape, 1, 300);
    for (const auto& [step, accuracy] : {std::pair(100, 0.97), {200, 0.93}, {300, 0.95}})
        run.score(step, accuracy);
    Desk desk(run);
    desk.window().showPage(MainWindow::Page::Evaluator);
    auto& note = desk.find<QLabel>("bestNote");
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->evaluations.size() == 3, kSoon);
    QVERIFY(note.isHidden());
    QVERIFY(QDir(QString::fromStdString((run.folder() / "checkpoints" / "step-100").string()))
                .removeRecursively());
    QTRY_VERIFY_WITH_TIMEOUT(note.isVisible(), kSoon);
    QVERIFY2(note.text().contains(QStringLiteral("step 100")) &&
                 note.text().contains(QStringLiteral("keep_best = true")),
             qPrintable(note.text()));
    desk.settle();
    const auto& marks = desk.find<LiveChart>("scoreChart").group().marks();
    QCOMPARE(marks.size(), 2);
    QCOMPARE(marks[0].kind, AxisMark::Kind::Best);
    QCOMPARE(marks[1].step, 300);

    auto& samples = desk.find<SampleGrid>("sampleGrid");
    QCOMPARE(samples.sampleCount(), 24);
    desk.picture(QStringLiteral("evaluator"));
    Q_EMIT desk.find<ConfusionMatrix>("confusionMatrix").cellActivated(4, 9);
    QCOMPARE(samples.sampleCount(), 3);
    QVERIFY(desk.find<QAbstractButton>("unfilterSamples").isVisible());
    desk.picture(QStringLiteral("evaluator-cell"));
    Q_EMIT desk.find<ConfusionMatrix>("confusionMatrix").cellActivated(4, 9);
    QCOMPARE(samples.sampleCount(), 24);

    auto& scroll = desk.find<QScrollArea>("sampleScroll");
    const int before = scroll.height();
    QTest::mouseClick(&desk.find<QAbstractButton>("showAllSamples"), Qt::LeftButton);
    desk.settle();
    QVERIFY2(scroll.height() > 2 * before, qPrintable(QString::number(scroll.height())));
    QVERIFY(scroll.viewport()->height() >= samples.heightForWidth(samples.width()));  // all 24
    desk.picture(QStringLiteral("evaluator-samples"));
}

QTEST_MAIN(WindowScaleTest)
#include "tst_window_scale.moc"
