// SPDX-License-Identifier: GPL-3.0-or-later
// What x counts on Live and where runs are compared, over journals of real resumes.
// LOCKSTEP_PICTURES=FOLDER saves what the page looks like.
#include <QComboBox>
#include <QStandardItemModel>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "tests/ui/shell/journal_desk.h"
#include "ui/charts/surface/chart_surface.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/pages/runs/compare_page.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::JournalRun;
using Desk = testsupport::JournalDesk;
using Shape = JournalRun::Shape;

namespace {

constexpr int kSoon = 20'000;
constexpr double kPause = 7200;
constexpr double kWriting = 60;  // seconds: of all records, on a busy machine

/// Two hours ago it trained 150 steps and was stopped; now it has gone on from the checkpoint of
/// step 100, to step 250. A step takes 10 ms.
void writeResumed(JournalRun& run, const Shape& shape) {
    run.backdate(kPause);
    run.launch(shape);
    run.train(shape, 0);
    run.steps(shape, 1, 150);
    run.end("stopped");
    run.backdate(0);
    run.launch(shape);
    run.train(shape, 100);
    run.steps(shape, 101, 250);
    run.end("completed");
}

void choose(QComboBox& box, XAxis axis) {
    box.setFocus();
    box.setCurrentIndex(int(axis));
}

}  // namespace

class LiveAxesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-live-axes"));
    }
    void init() { QSettings().clear(); }

    void aResumedRunIsDrawnOnEveryAxis_data() {
        QTest::addColumn<int>("processes");
        for (const int count : {1, 2, 16, 64})
            QTest::newRow(qPrintable(QString::number(count))) << count;
    }

    void aResumedRunIsDrawnOnEveryAxis() {
        QFETCH(int, processes);
        const Shape shape{.processes = processes, .totalSteps = 250};
        JournalRun run;
        writeResumed(run, shape);
        Desk desk(run);
        auto& loss = desk.find<LiveChart>("lossChart");
        const qint64 points = qint64(processes) * 250 + (processes > 1 ? 250 : 0) + 2;
        QTRY_COMPARE_WITH_TIMEOUT(loss.pointCount(), points, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(loss.group().knowsEpochs(), kSoon);
        auto& axis = desk.find<QComboBox>("xAxisControl");
        ChartGroup& group = loss.group();
        const auto lasts = [&group] { return group.xRange().last; };
        const auto& surface = *loss.findChild<ChartSurface*>();

        choose(axis, XAxis::Epoch);
        QVERIFY2(lasts() >= 2.5 && lasts() < 2.7, qPrintable(QString::number(lasts())));
        group.setCrosshair(group.scaleOf(0).at(150));
        desk.settle();
        QVERIFY(surface.readout()->headline.startsWith(QStringLiteral("epoch 1.500 ")));
        desk.picture(QStringLiteral("epochs-%1").arg(processes));

        // What was trained and lost, and the pause, do not count; what writing took between the
        // epochs does.
        choose(axis, XAxis::Relative);
        QVERIFY2(lasts() > 2.3 && lasts() < kWriting, qPrintable(QString::number(lasts())));
        group.setCrosshair(group.scaleOf(0).at(150));
        desk.settle();
        QVERIFY2(surface.readout()->headline.contains(QStringLiteral("step 150 ")),
                 qPrintable(surface.readout()->headline));
        desk.picture(QStringLiteral("relative-%1").arg(processes));

        choose(axis, XAxis::Wall);
        QVERIFY2(lasts() > kPause - 60 && lasts() < kPause * 1.05,
                 qPrintable(QString::number(lasts())));
        const double before = group.scaleOf(0).at(100);
        const double after = group.scaleOf(0).at(101);
        QVERIFY2(after - before > kPause - 60, qPrintable(QString::number(after - before)));
        QVERIFY(!desk.find<QToolButton>("xAxisControlLog").isEnabled());
        desk.settle();
        desk.picture(QStringLiteral("time-of-day-%1").arg(processes));

        choose(axis, XAxis::Step);
        auto& log = desk.find<QToolButton>("xAxisControlLog");
        log.setFocus();
        QTest::keyClick(&log, Qt::Key_Space);
        QVERIFY(group.isLogX());
        QVERIFY(std::abs(group.xRange().first) < 0.01 && lasts() > std::log10(250));
        desk.settle();
        desk.picture(QStringLiteral("log-steps-%1").arg(processes));
    }

    void theChoiceIsRememberedAndTheSameWhereRunsAreCompared() {
        const Shape shape{.processes = 2, .totalSteps = 250};
        JournalRun run;
        writeResumed(run, shape);
        {
            Desk desk(run);
            QTRY_VERIFY_WITH_TIMEOUT(desk.find<LiveChart>("lossChart").pointCount() > 0, kSoon);
            choose(desk.find<QComboBox>("xAxisControl"), XAxis::Relative);
        }
        Desk again(run);
        QCOMPARE(again.find<QComboBox>("xAxisControl").currentIndex(), int(XAxis::Relative));
        QCOMPARE(again.find<LiveChart>("lossChart").group().xAxis(), XAxis::Relative);

        JournalRun other;
        other.launch(shape);
        other.train(shape, 0);
        other.steps(shape, 1, 250);
        other.end("completed");
        JobServices services;
        services.attach = [&](const std::filesystem::path& folder,
                              const job::ConnectOptions&) -> JobServices::OpenedSession {
            return folder == run.folder() ? run.follow() : other.follow();
        };
        ComparePage page(services);
        page.resize(1180, 760);
        page.show();
        std::vector<job::RunEntry> runs(2);
        runs[0].runDir = run.folder();
        runs[1].runDir = other.folder();
        page.compare(std::move(runs));
        auto* chart = page.findChild<LiveChart*>(QStringLiteral("comparedLoss"));
        QTRY_VERIFY_WITH_TIMEOUT(!page.isReading() && chart->pointCount() == 500, kSoon);
        ChartGroup& group = chart->group();
        QCOMPARE(group.xAxis(), XAxis::Relative);
        QTRY_VERIFY_WITH_TIMEOUT(group.xRange().last < kWriting, kSoon);
        QVERIFY(std::abs(group.scaleOf(0).at(250) - group.scaleOf(1).at(250)) < kWriting);
        auto* axis = page.findChild<QComboBox*>(QStringLiteral("comparedAxis"));
        axis->setCurrentIndex(int(XAxis::Wall));
        QVERIFY(group.xRange().last > kPause - 60);
        axis->setCurrentIndex(int(XAxis::Epoch));
        QVERIFY(group.xRange().last >= 2.5 && group.xRange().last < 2.7);
        QTRY_VERIFY_WITH_TIMEOUT(chart->isUpToDate() && chart->hasPicture(), kSoon);
    }

    void aProgramWithoutEpochsIsDrawnByItsSteps() {
        const Shape shape{.processes = 1, .evaluator = false, .program = true};
        JournalRun run;
        run.launch(shape);
        run.train(shape, 0);
        run.steps(shape, 1, 90);
        QSettings().setValue(QStringLiteral("charts/xAxis"), int(XAxis::Epoch));
        Desk desk(run);
        auto& loss = desk.find<LiveChart>("lossChart");
        QTRY_COMPARE_WITH_TIMEOUT(loss.pointCount(), qint64(90), kSoon);
        QCOMPARE(loss.group().xAxis(), XAxis::Step);
        QVERIFY(loss.group().xRange().last >= 90);
        auto& box = desk.find<QComboBox>("xAxisControl");
        const auto* item = static_cast<QStandardItemModel*>(box.model())->item(int(XAxis::Epoch));
        QVERIFY(item->toolTip().contains(QStringLiteral("epochs")));
        run.end("completed");
    }
};

QTEST_MAIN(LiveAxesTest)
#include "tst_live_axes.moc"
