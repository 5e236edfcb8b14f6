// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of the run that is followed when another one, or none, is.
#include <QAction>
#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QtTest>

#include "tests/ui/shell/next_dialog.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/style/units.h"
#include "ui/widgets/notice_bar.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::NextDialog;
using testsupport::press;
using testsupport::WindowFixture;

namespace {

/// A tied job that runs, launched from this window.
bool launchTied(WindowFixture& fixture) {
    fixture.window().show();
    if (!fixture.openExample()) return false;
    JobEditor& editor = fixture.editor();
    editor.setValue(QStringLiteral("launch.on_disconnect"), QStringLiteral("tied"));
    fixture.script().publish(ExampleRun::view(10));
    if (!fixture.launch()) return false;
    editor.undoStack().undo();  // else its changes are asked about too
    return fixture.calls().lastOptions.tied;
}

/// The first row of the Runs page.
void openFirstRun(WindowFixture& fixture) {
    fixture.window().showPage(MainWindow::Page::Runs);
    auto* table = fixture.find<QTableView>("runsTable");
    QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0, kWait);
    table->selectRow(0);
    fixture.find<QPushButton>("openRunButton")->click();
}

}  // namespace

class WindowRunsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { QSettings().clear(); }

    void openingAnotherRunAsksBeforeItEndsATiedJob() {
        WindowFixture fixture;
        QVERIFY(launchTied(fixture));
        const NextDialog keeping(press("keepRunningButton"));
        openFirstRun(fixture);
        QCOMPARE(keeping.name(), QStringLiteral("endTiedJobDialog"));
        QVERIFY(QThreadPool::globalInstance()->waitForDone(kWait));
        QCOMPARE(fixture.calls().attaches, 0);
        QVERIFY(fixture.window().bridge().isRunning());

        const NextDialog ending(press("endJobButton"));
        openFirstRun(fixture);

        QCOMPARE(ending.name(), QStringLiteral("endTiedJobDialog"));
        QTRY_COMPARE_WITH_TIMEOUT(fixture.calls().attaches, 1, kWait);
    }
    void closingTheRunOfATiedJobAsks() {
        WindowFixture fixture;
        QVERIFY(launchTied(fixture));
        const NextDialog keeping(press("keepRunningButton"));
        fixture.find<QAction>("releaseAction")->trigger();
        QCOMPARE(keeping.name(), QStringLiteral("endTiedJobDialog"));
        QVERIFY(fixture.window().bridge().hasSession());

        const NextDialog ending(press("endJobButton"));
        fixture.find<QAction>("releaseAction")->trigger();

        QVERIFY(ending.came());
        QVERIFY(!fixture.window().bridge().hasSession());
    }
    void aRunThatCannotBeOpenedLeavesTheTiedJobTied() {
        WindowFixture fixture;
        QVERIFY(launchTied(fixture));
        fixture.calls().answer = fail(ErrorCode::BadInput, "it is no run folder", "Choose one.");
        QSignalSpy failed(&fixture.window().bridge(), &SessionBridge::openingFailed);
        const NextDialog ending(press("endJobButton"));
        openFirstRun(fixture);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kWait);
        QVERIFY(fixture.window().bridge().isRunning());

        const NextDialog keeping(press("keepRunningButton"));
        QVERIFY(!fixture.window().close());

        QCOMPARE(keeping.name(), QStringLiteral("endTiedJobDialog"));
    }
    void aLaunchThatFailsDoesNotTieTheRunThatIsShown() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.script().publish(ExampleRun::view(3126, job::RunState::Completed));
        openFirstRun(fixture);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window().bridge().view() != nullptr, kWait);
        JobEditor& editor = fixture.editor();
        editor.setValue(QStringLiteral("launch.on_disconnect"), QStringLiteral("tied"));
        fixture.calls().answer = fail(ErrorCode::BadInput, "port 41200 is in use", "Take another.");
        QSignalSpy failed(&fixture.window().bridge(), &SessionBridge::openingFailed);
        auto* button = fixture.find<QPushButton>("launchButton");
        QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), kWait);
        button->click();
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kWait);
        editor.undoStack().undo();

        fixture.script().publish(ExampleRun::view(10));  // it goes on: somebody resumed it
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window().bridge().isRunning(), kWait);
        fixture.find<QAction>("releaseAction")->trigger();  // without a question

        QVERIFY(!fixture.window().bridge().hasSession());
    }
    void openingTheRunThatIsFollowedGoesToItsCurves() {
        MainWindow::Options options;
        options.places.runsFolder = "/runs";
        WindowFixture fixture(options);
        job::RunView view = ExampleRun::view(10);
        view.runDir = "/runs/digits-mlp-20261120-140512/";
        QVERIFY(fixture.showLaunched(view));

        openFirstRun(fixture);

        QCOMPARE(fixture.window().findChild<QStackedWidget*>()->currentIndex(),
                 int(MainWindow::Page::Live));
        QVERIFY(QThreadPool::globalInstance()->waitForDone(kWait));
        QCOMPARE(fixture.calls().attaches, 0);
        QVERIFY(fixture.window().bridge().isRunning());
    }
    void theJobOfARunOpensAsACopyAndStays() {
        const QTemporaryDir runs;
        MainWindow::Options options;
        options.places.runsFolder = runs.path().toStdString();
        WindowFixture fixture(options);
        fixture.window().show();
        fixture.script().publish(ExampleRun::view(10));
        openFirstRun(fixture);
        auto* stack = fixture.window().findChild<QStackedWidget*>();
        QTRY_COMPARE_WITH_TIMEOUT(stack->currentIndex(), int(MainWindow::Page::Live), kWait);
        fixture.window().showPage(MainWindow::Page::Runs);
        auto* table = fixture.find<QTableView>("runsTable");
        table->selectRow(1);
        const QString folder = table->currentIndex().data(RunsModel::FolderRole).toString();
        auto* notice = fixture.find<NoticeBar>("noticeBar");
        table->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        QTest::keyClick(table, Qt::Key_J, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);  // it is not there
        QCOMPARE(stack->currentIndex(), int(MainWindow::Page::Runs));

        QVERIFY(QDir().mkpath(folder));
        QFile job(folder + QStringLiteral("/job.toml"));
        QVERIFY(job.open(QIODevice::WriteOnly));
        job.write("[job]\nname = \"of-a-run\"\nrun_dir = \"/runs/of-a-run\"\n");
        job.close();
        QTest::keyClick(table, Qt::Key_J, Qt::ControlModifier);

        QTRY_COMPARE_WITH_TIMEOUT(stack->currentIndex(), int(MainWindow::Page::Job), kWait);
        const JobEditor& editor = fixture.editor();
        QCOMPARE(editor.spec().name, std::string("of-a-run"));
        QVERIFY(editor.path().isEmpty());
        QVERIFY(!editor.isWritten(QStringLiteral("job.run_dir")));
        fixture.script().publish(ExampleRun::view(20));  // of the run that is followed
        QTRY_COMPARE_WITH_TIMEOUT(fixture.window().bridge().view()->step, 20, kWait);
        QCOMPARE(editor.spec().name, std::string("of-a-run"));
    }
    void theRemedyNamesACheckpointThatIsThere() {
        WindowFixture fixture;
        job::RunView view = ExampleRun::failedView(2400);
        view.checkpoints = {{1000, 1, "checkpoints/step-1000", 1, 0, 0, 0, {}},
                            {2000, 2, "checkpoints/step-2000", 1, 0, 0, 0, {}, true},
                            {2400, 2, "checkpoints/step-2400", 0, 0, 0, 0, "the disk is full"}};
        QVERIFY(fixture.showLaunched(view));
        auto* notice = fixture.find<NoticeBar>("noticeBar");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QVERIFY2(notice->notice().remedy.contains(
                     QStringLiteral("from step %1.").arg(units::count(1000))),
                 qPrintable(notice->notice().remedy));
        QCOMPARE(fixture.find<QPushButton>("launchButton")->text(), QStringLiteral("Resume"));

        view.checkpoints[0].deleted = true;
        fixture.script().publish(view);

        QTRY_COMPARE_WITH_TIMEOUT(fixture.find<QPushButton>("launchButton")->text(),
                                  QStringLiteral("Launch anew"), kWait);
    }
    void aRunThatIsAttachedToIsNotSaidToBeLaunched() {
        RunSituation situation;
        situation.opening = true;
        QCOMPARE(primaryButton(situation).text, QStringLiteral("Launching"));
        situation.attaching = true;
        QCOMPARE(primaryButton(situation).text, QStringLiteral("Opening"));
    }
};

QTEST_MAIN(WindowRunsTest)
#include "tst_window_runs.moc"
