// SPDX-License-Identifier: GPL-3.0-or-later
// Runs beside each other: their curves on the same charts, and what differs in their jobs.
#include <QCheckBox>
#include <QDir>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include <map>

#include "tests/ui/support/journal_run.h"
#include "tests/ui/support/long_run.h"
#include "tests/ui/support/real_services.h"
#include "tests/ui/support/scripted_session.h"
#include "tests/ui/support/settle.h"
#include "ui/bridge/job_services.h"
#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/runs_model.h"
#include "ui/pages/runs/compare_page.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::Script;
using testsupport::ScriptedSession;

namespace {

constexpr int kWait = 5000;

/// What is found in the runs' folders.
struct Folders {
    std::map<std::filesystem::path, std::shared_ptr<Script>> scripts;
    std::map<std::filesystem::path, Error> refused;
};

/// The page over a script for each run of the example.
struct Desk {
    std::vector<job::RunEntry> runs = ExampleRun::entries("/runs");
    /// Runs are opened on a thread of its own, which may go on when the page has gone.
    std::shared_ptr<Folders> folders = std::make_shared<Folders>();
    std::map<std::filesystem::path, std::shared_ptr<Script>>& scripts = folders->scripts;
    std::map<std::filesystem::path, Error>& refused = folders->refused;
    std::unique_ptr<ComparePage> page;

    Desk() {
        for (const job::RunEntry& run : runs)
            scripts[run.runDir] = std::make_shared<Script>();
        JobServices services;
        services.attach = [known = folders](
                              const std::filesystem::path& runDir,
                              const job::ConnectOptions&) -> JobServices::OpenedSession {
            if (const auto why = known->refused.find(runDir); why != known->refused.end())
                return fail(why->second);
            return std::make_unique<ScriptedSession>(known->scripts.at(runDir));
        };
        page = std::make_unique<ComparePage>(services);
        page->resize(1180, 760);
        page->show();
    }

    /// The run trains `last` steps, validated after each 100, and stands as `state`.
    void play(int run, int last, job::RunState state = job::RunState::Completed) {
        Script& script = *scripts.at(runs[std::size_t(run)].runDir);
        job::RunView view = ExampleRun::view(last, state);
        view.caughtUp = true;
        view.epochResults.clear();
        for (int step = 100; step <= last; step += 100) {
            job::EpochView epoch;
            epoch.epoch = step / 100;
            epoch.step = step;
            epoch.validationLoss = 1.0 / step;
            epoch.validationAccuracy = 1 - 1.0 / step;
            view.epochResults.push_back(epoch);
        }
        {
            const std::lock_guard lock(script.mutex);
            script.steps = ExampleRun::steps(1, last);
        }
        script.publish(view);
    }
    void compare(std::initializer_list<int> which) {
        std::vector<job::RunEntry> chosen;
        for (const int run : which)
            chosen.push_back(runs[std::size_t(run)]);
        page->compare(std::move(chosen));
    }
    [[nodiscard]] LiveChart& chart(const char* name) const {
        return *page->findChild<LiveChart*>(QLatin1String(name));
    }
    [[nodiscard]] QTableView& table() const {
        return *page->findChild<QTableView*>(QStringLiteral("comparedTable"));
    }
    [[nodiscard]] QStringList headers() const {
        QStringList words;
        const QHeaderView* header = table().horizontalHeader();
        for (int i = 0; i < header->count(); ++i)
            if (!header->isSectionHidden(header->logicalIndex(i)))
                words << table()
                             .model()
                             ->headerData(header->logicalIndex(i), Qt::Horizontal)
                             .toString();
        return words;
    }
};

}  // namespace

class ComparePageTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }
    void init() { QSettings().clear(); }

    void theCurvesOfAllRunsAreOnTheSameCharts() {
        Desk desk;
        desk.play(1, 400);
        desk.play(3, 1000);
        desk.compare({1, 3});
        QTRY_VERIFY_WITH_TIMEOUT(!desk.page->isReading(), kWait);

        LiveChart& loss = desk.chart("comparedLoss");
        QCOMPARE(loss.pointCount(), 1400);  // the mean of the replicas of each
        QCOMPARE(desk.chart("comparedValidationLoss").pointCount(), 14);
        QVERIFY(std::abs(desk.chart("comparedValidationLoss").newestValue(2) - 1.0F / 400) < 1e-6F);
        QVERIFY(std::abs(desk.chart("comparedValidationAccuracy").newestValue(3) - 0.999F) < 1e-6F);
        QVERIFY(loss.group().xRange().last >= 1000);
        const auto colour = [&loss](int series) {
            return colourOf(loss.group().series()[series], series, Theme::light());
        };
        QCOMPARE(colour(2), colour(0));  // a run and its validation
        QCOMPARE(colour(3), colour(1));
        QVERIFY(colour(0) != colour(1));
        QTRY_VERIFY_WITH_TIMEOUT(loss.hasPicture() && loss.isUpToDate(), kWait);
    }
    void theTimeAxisBeginsWithEachRun() {
        Desk desk;
        desk.play(1, 400);
        desk.play(3, 1000);
        {
            Script& later = *desk.scripts.at(desk.runs[3].runDir);
            const std::lock_guard lock(later.mutex);
            for (job::StepColumns& columns : later.steps)
                columns.firstEndWallTime += 86'400;
        }
        desk.compare({1, 3});
        QTRY_VERIFY_WITH_TIMEOUT(!desk.page->isReading(), kWait);
        ChartGroup& group = desk.chart("comparedLoss").group();
        group.setXAxis(XAxis::Relative);
        QVERIFY2(group.xRange().last < 10, qPrintable(QString::number(group.xRange().last)));
    }
    void theDifferenceOfTheJobsIsAColumnEach() {
        Desk desk;
        desk.compare({0, 1});
        QCOMPARE(desk.headers(),
                 QStringList({QStringLiteral("Run folder"), QStringLiteral("Global batch"),
                              QStringLiteral("Learning rate"), QStringLiteral("Status"),
                              QStringLiteral("Took"), QStringLiteral("Best validation"),
                              QStringLiteral("Test score")}));
        desk.page->findChild<QCheckBox*>(QStringLiteral("allSettings"))->setChecked(true);
        QVERIFY(desk.headers().contains(QStringLiteral("Optimizer")));
    }
    void aRunThatGoesOnGrowsWhileItIsCompared() {
        Desk desk;
        desk.play(1, 400);
        desk.play(0, 100, job::RunState::Training);
        desk.compare({0, 1});
        QTRY_VERIFY_WITH_TIMEOUT(!desk.page->isReading(), kWait);
        QCOMPARE(desk.chart("comparedLoss").pointCount(), 500);
        Script& script = *desk.scripts.at(desk.runs[0].runDir);
        {
            const std::lock_guard lock(script.mutex);
            script.steps = ExampleRun::steps(101, 200);
        }
        QTRY_COMPARE_WITH_TIMEOUT(desk.chart("comparedLoss").pointCount(), 600, kWait);
    }
    void aRunThatCannotBeReadSaysWhyAndTheOthersAreDrawn() {
        Desk desk;
        desk.play(1, 400);
        desk.refused[desk.runs[2].runDir] = Error{ErrorCode::BadInput, "its journal is gone", {}};
        desk.compare({1, 2});
        QTRY_VERIFY_WITH_TIMEOUT(!desk.page->isReading(), kWait);
        QCOMPARE(desk.chart("comparedLoss").pointCount(), 400);
        const QModelIndex cell = desk.table().model()->index(1, int(RunsModel::Column::Folder));
        QVERIFY(cell.data().toString().endsWith(QStringLiteral("its journal is gone")));
    }
    void aRunStandsThereByItsName() {
        Desk desk;
        desk.runs[1].about = {"the wide one", {"keep"}, {}};
        desk.play(1, 100);
        desk.play(2, 100);
        desk.compare({1, 2});
        const QAbstractItemModel& cells = *desk.table().model();
        const int legend = int(RunsModel::Column::Folder);
        QCOMPARE(cells.index(0, legend).data().toString(), QStringLiteral("the wide one"));
        QCOMPARE(cells.index(1, legend).data().toString(),
                 QString::fromStdString(desk.runs[2].runDir.filename().string()));
        QVERIFY(desk.headers().contains(QStringLiteral("Tags")));
        QVERIFY(!desk.headers().contains(QStringLiteral("Name")));
        desk.compare({2, 3});
        QVERIFY(!desk.headers().contains(QStringLiteral("Tags")));
    }
    void theLastColumnIsNoWiderThanWhatItSays() {
        Desk desk;
        desk.compare({1, 2});
        for (const int width : {1180, 3000}) {
            desk.page->resize(width, 760);
            const QHeaderView* header = desk.table().horizontalHeader();
            for (int column = 0; column < header->count(); ++column)
                QTRY_VERIFY_WITH_TIMEOUT(header->sectionSize(column) <= 220, kWait);
            QCOMPARE(desk.table().horizontalScrollBar()->maximum(), 0);
        }
    }
    /// Written by the product's own writer, read by its own session.
    void journalsAreReadToTheirEnd() {
        using testsupport::JournalRun;
        const JournalRun::Shape small{.processes = 2, .evaluator = false};
        const JournalRun::Shape large{.processes = 16, .totalSteps = 900, .evaluator = false};
        JournalRun first;
        JournalRun second;
        for (const auto& [run, shape] : {std::pair(&first, &small), {&second, &large}}) {
            run->launch(*shape);
            run->train(*shape, 0);
            run->steps(*shape, 1, shape->totalSteps);
            run->end("completed");
        }
        JobServices services;
        services.attach = [&](const std::filesystem::path& folder,
                              const job::ConnectOptions&) -> JobServices::OpenedSession {
            return folder == first.folder() ? first.follow() : second.follow();
        };
        ComparePage page(services);
        page.resize(1180, 760);
        page.show();
        std::vector<job::RunEntry> runs = ExampleRun::entries("/runs");
        runs.resize(2);
        runs[0].runDir = first.folder();
        runs[1].runDir = second.folder();
        page.compare(std::move(runs));
        QTRY_VERIFY_WITH_TIMEOUT(!page.isReading(), 4 * kWait);
        const auto points = [&page](const char* name) {
            return page.findChild<LiveChart*>(QLatin1String(name))->pointCount();
        };
        QCOMPARE(points("comparedLoss"), 400 + 900);
        QCOMPARE(points("comparedValidationLoss"), 4 + 9);
        const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (pictures.isEmpty()) return;
        testsupport::settle(page);
        page.grab().save(pictures + QStringLiteral("/compared.png"));
    }
    /// As many as can be chosen.
    void tenRunsAreReadToTheirEnd() {
        constexpr int kRuns = 10;
        constexpr int kSteps = 1000;
        const QTemporaryDir place;
        std::vector<job::RunEntry> runs(kRuns, ExampleRun::entries("/runs").front());
        for (int i = 0; i < kRuns; ++i) {
            const QString folder = place.filePath(QString::number(i));
            QVERIFY(QDir().mkdir(folder));
            testsupport::writeLongRun(folder, 2, kSteps);
            runs[std::size_t(i)].runDir = folder.toStdString();
        }
        ComparePage page(testsupport::realServices());
        page.resize(1180, 760);
        page.show();
        page.compare(std::move(runs));
        QTRY_VERIFY_WITH_TIMEOUT(!page.isReading(), 4 * kWait);
        QCOMPARE(page.findChild<LiveChart*>(QStringLiteral("comparedLoss"))->pointCount(),
                 kRuns * kSteps);
        const auto* table = page.findChild<QTableView*>(QStringLiteral("comparedTable"));
        QCOMPARE(table->model()->rowCount(), kRuns);
    }
    void spaceOnARunHidesItsCurves() {
        Desk desk;
        desk.play(1, 400);
        desk.play(3, 400);
        desk.compare({1, 3});
        QTRY_VERIFY_WITH_TIMEOUT(!desk.page->isReading(), kWait);
        ChartGroup& group = desk.chart("comparedLoss").group();
        QTest::keyClick(&desk.table(), Qt::Key_Space);
        QVERIFY(!group.isVisible(0) && !group.isVisible(2));  // its validation, too
        QVERIFY(group.isVisible(1) && group.isVisible(3));
        const QRect cell =
            desk.table().visualRect(desk.table().model()->index(0, int(RunsModel::Column::Folder)));
        QTest::mouseClick(desk.table().viewport(), Qt::LeftButton, {},
                          {cell.left() + 2 * kGrid, cell.center().y()});
        QVERIFY(group.isVisible(0));
    }
    void figuresThatNoRunHasLeaveTheirChartsOut() {
        Desk desk;
        desk.play(1, 50);  // no epoch has ended
        desk.play(3, 50);
        desk.compare({1, 3});
        QTRY_VERIFY_WITH_TIMEOUT(!desk.page->isReading(), kWait);
        QTRY_VERIFY_WITH_TIMEOUT(desk.chart("comparedLoss").isVisible(), kWait);
        QTRY_VERIFY_WITH_TIMEOUT(!desk.chart("comparedValidationLoss").isVisible(), kWait);
    }
    void escapeGoesBackToTheList() {
        Desk desk;
        QSignalSpy closed(desk.page.get(), &ComparePage::closeRequested);
        desk.compare({1, 3});
        QTest::keyClick(&desk.table(), Qt::Key_Escape);
        QCOMPARE(closed.count(), 1);
        desk.page->clear();
        QCOMPARE(desk.table().model()->rowCount(), 0);
    }
};

QTEST_MAIN(ComparePageTest)
#include "tst_compare_page.moc"
