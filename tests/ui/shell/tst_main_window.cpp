// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "tests/ui/shell/next_dialog.h"
#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/overlaps.h"
#include "tests/ui/support/settle.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/dialogs/key_list.h"
#include "ui/dialogs/keys_dialog.h"
#include "ui/pages/job/layer_tree.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/navigation_rail.h"
#include "ui/widgets/state_pill.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::NextDialog;
using testsupport::overlaps;
using testsupport::press;
using testsupport::settle;
using testsupport::WindowFixture;

namespace {

QString nameOf(const QWidget* widget) {
    const auto* label = qobject_cast<const QLabel*>(widget);
    return QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ') +
           widget->objectName() + (label ? label->text() : QString());
}

/// Lines of process 0, told apart by their number among all that this program has made.
std::vector<job::LogEntry> logLines(int count) {
    static int number = 0;
    std::vector<job::LogEntry> lines;
    for (int i = 0; i < count; ++i)
        lines.push_back({1, 0, job::Role::Worker, 1, "line " + std::to_string(++number)});
    return lines;
}

bool isShown(const QWidget* widget, const QWidget* window) {
    return widget->isVisibleTo(window) && widget->isEnabled();
}

}  // namespace

class MainWindowTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void launchingFollowsTheRunAndChartsGetPoints() {
        WindowFixture fixture;
        fixture.feed(600);
        QVERIFY(fixture.showLaunched(ExampleRun::view(600)));

        QCOMPARE(fixture.calls().launches, 1);
        QVERIFY(fixture.calls().lastToml.find("digits-mlp") != std::string::npos);
        auto* loss = fixture.find<LiveChart>("lossChart");
        // two replicas and their mean, and two checkpoints of the evaluator
        QTRY_COMPARE_WITH_TIMEOUT(loss->pointCount(), 3 * 600 + 2, kWait);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.find<QTableView>("replicaTable")->model()->rowCount(), 3,
                                  kWait);
        QVERIFY(fixture.window().windowTitle().contains(QLatin1Char('%')));
    }
    void theStateChangesPillAndButtons() {
        WindowFixture fixture;
        fixture.window().show();
        auto* pill = fixture.find<StatePill>("statePill");
        auto* launch = fixture.find<QPushButton>("launchButton");
        auto* stop = fixture.find<QPushButton>("stopButton");
        QCOMPARE(pill->word(), QStringLiteral("No job"));
        QVERIFY(!launch->isEnabled());
        QVERIFY(fixture.openExample());
        QTRY_VERIFY_WITH_TIMEOUT(launch->isEnabled(), kWait);
        QCOMPARE(pill->word(), QStringLiteral("Ready"));

        fixture.script().publish(ExampleRun::view(10));
        QVERIFY(fixture.launch());
        QTRY_COMPARE_WITH_TIMEOUT(pill->word(), QStringLiteral("Training"), kWait);
        QVERIFY(stop->isVisible());
        QVERIFY(launch->isHidden());
        fixture.script().publish(ExampleRun::view(3126, job::RunState::Completed));
        QTRY_COMPARE_WITH_TIMEOUT(pill->word(), QStringLiteral("Completed"), kWait);
        QVERIFY(launch->isVisible());
    }
    void stopTwiceEndsTheProcesses() {
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::view(10)));
        auto* stop = fixture.find<QPushButton>("stopButton");
        QTRY_VERIFY_WITH_TIMEOUT(stop->isVisible(), kWait);

        QTest::mouseClick(stop, Qt::LeftButton);
        QCOMPARE(fixture.script().stopRequests, 1);
        QCOMPARE(stop->text(), QStringLiteral("Kill now"));
        QTest::mouseClick(stop, Qt::LeftButton);
        QCOMPARE(fixture.script().kills, 1);
        QCOMPARE(fixture.script().stopRequests, 1);
    }
    void aFailureIsACardThatNamesTheProcess() {
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::view(10)));

        fixture.script().publish(ExampleRun::failedView(2400));

        auto* notice = fixture.find<NoticeBar>("noticeBar");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QVERIFY(notice->notice().sentence.contains(QStringLiteral("Process 1")));
        QVERIFY(notice->notice().sentence.contains(QStringLiteral("killed by signal 9")));
        QVERIFY(!notice->notice().remedy.isEmpty());
        QVERIFY(QApplication::activeModalWidget() == nullptr);
    }
    void aFailureBeforeAnyStepNamesNone() {
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::failedView(0)));
        auto* notice = fixture.find<NoticeBar>("noticeBar");
        QTRY_COMPARE_WITH_TIMEOUT(notice->notice().sentence,
                                  QStringLiteral("Process 1 on 127.0.0.1: killed by signal 9"),
                                  kWait);
    }
    void showLogGoesToTheLineThatTellsWhy() {
        WindowFixture fixture;
        auto failed = ExampleRun::failedView(2400);
        failed.failures[0].cause = "exited with status 1: ValueError: bad label 11";
        {
            const std::lock_guard lock(fixture.script().mutex);
            fixture.script().logs = logLines(3000);
            fixture.script().logs[1500] = {1, 1, job::Role::Worker, 3, "ValueError: bad label 11"};
            fixture.script().logs[1600] = {1, 0, job::Role::Worker, 3, "ValueError: bad label 11"};
            fixture.script().logs[1700] = {1, 1, job::Role::Worker, 3, "Aborted"};
        }
        QVERIFY(fixture.showLaunched(failed));
        auto* table = fixture.find<QTableView>("logTable");
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 3000, kWait);
        fixture.find<QComboBox>("logLevel")->setCurrentIndex(3);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<QPushButton>("noticeShowLog") != nullptr, kWait);

        fixture.find<QPushButton>("noticeShowLog")->click();

        QTRY_COMPARE_WITH_TIMEOUT(table->currentIndex().row(), 1500, kWait);
        QVERIFY(table->isVisible());
        const int middle = table->visualRect(table->currentIndex()).center().y();
        QVERIFY(std::abs(middle - table->viewport()->height() / 2) < table->rowHeight(1500));
        settle(fixture.window());  // what is laid out later must not scroll it away
        QCOMPARE(table->visualRect(table->currentIndex()).center().y(), middle);
    }
    void anEndInTheMiddleOfTheHistoryIsNotAnnounced() {
        WindowFixture fixture;
        job::RunView former = ExampleRun::failedView(2000);
        former.caughtUp = false;
        QVERIFY(fixture.showLaunched(former));
        auto* notice = fixture.find<NoticeBar>("noticeBar");
        auto* pill = fixture.find<StatePill>("statePill");
        QTRY_COMPARE_WITH_TIMEOUT(pill->word(), QStringLiteral("Failed"), kWait);
        QVERIFY(notice->isHidden());

        job::RunView view = ExampleRun::failedView(2400);
        view.failures.push_back({0, job::Role::Worker, "127.0.0.1", "sent no heartbeat for 10 s",
                                 2400, 10, ExampleRun::kStartWallTime + 90});
        view.formerFailures = 1;
        fixture.script().publish(view);

        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QVERIFY2(notice->notice().sentence.startsWith(QStringLiteral("Process 0 on 127.0.0.1")),
                 qPrintable(notice->notice().sentence));
    }
    void resumeGoesOnInTheSameRunFolder() {
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::failedView(2400)));
        auto* button = fixture.find<QPushButton>("launchButton");
        QTRY_COMPARE_WITH_TIMEOUT(button->text(), QStringLiteral("Resume"), kWait);

        QTest::mouseClick(button, Qt::LeftButton);

        QTRY_COMPARE_WITH_TIMEOUT(fixture.calls().launches, 2, kWait);
        QVERIFY(fixture.calls().lastOptions.resume);
        QVERIFY(fixture.calls().lastToml.find(ExampleRun::view(1).runDir.string()) !=
                std::string::npos);
    }
    void aRefusedLaunchIsSaidInThePage() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.calls().answer =
            fail(ErrorCode::BadInput, "port 41200 is in use", "Choose another port.");
        QTest::mouseClick(fixture.find<QPushButton>("launchButton"), Qt::LeftButton);
        auto* notice = fixture.find<NoticeBar>("noticeBar");
        QTRY_COMPARE_WITH_TIMEOUT(notice->notice().sentence, QStringLiteral("port 41200 is in use"),
                                  kWait);
        QVERIFY(!fixture.window().bridge().isOpening());
    }
    void aRunGivenOnTheCommandLineIsFollowed() {
        MainWindow::Options options;
        options.attachRunDir = QStringLiteral("/runs/x");
        options.startPage = QStringLiteral("evaluator");
        WindowFixture fixture(options);
        fixture.script().publish(ExampleRun::view(1000));
        fixture.window().show();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.calls().attaches, 1, kWait);
        auto* score = fixture.find<MetricTile>("evaluatorScore");
        QTRY_VERIFY_WITH_TIMEOUT(score->value().contains(QLatin1Char('%')), kWait);
        QCOMPARE(fixture.find<LiveChart>("scoreChart")->pointCount(), 4);
    }
    void closingLeavesADetachedRunAndSaysSo() {
        QSettings().setValue(QStringLiteral("closing/knowsRunsGoOn"), true);
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::view(10)));
        QSignalSpy left(&fixture.window(), &MainWindow::runLeftBehind);

        QVERIFY(fixture.window().close());

        QCOMPARE(left.count(), 1);
        QVERIFY(left[0][0].toString().contains(QStringLiteral("lockstepctl attach")));
        QCOMPARE(fixture.script().kills, 0);
        QCOMPARE(fixture.script().stopRequests, 0);
    }
    void closingATiedRunAsks() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.editor().setValue(QStringLiteral("launch.on_disconnect"), QStringLiteral("tied"));
        fixture.script().publish(ExampleRun::view(10));
        QVERIFY(fixture.launch());
        QVERIFY(fixture.calls().lastOptions.tied);
        fixture.editor().undoStack().undo();  // else that is asked about first
        const NextDialog dialog(press("keepRunningButton"));

        QVERIFY(!fixture.window().close());

        QCOMPARE(dialog.name(), QStringLiteral("endTiedJobDialog"));
        QVERIFY(fixture.window().bridge().isRunning());
    }
    void shortcutsShowThePagesAndGoThere() {
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::view(1000)));
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        for (int page = 0; page < int(MainWindow::Page::Count); ++page) {
            QTest::keyClick(&fixture.window(), Qt::Key(Qt::Key_0 + page), Qt::ControlModifier);
            QCOMPARE(fixture.window().findChild<NavigationRail*>()->current(), page);
            const QWidget* focus = QApplication::focusWidget();
            QVERIFY(focus != nullptr);
            QVERIFY2(
                fixture.window().findChild<QStackedWidget*>()->currentWidget()->isAncestorOf(focus),
                qPrintable(nameOf(focus)));
        }
    }
    void everyFocusableWidgetHasAnAccessibleName() {
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::view(1000)));
        QStringList nameless;
        for (int page = 0; page < int(MainWindow::Page::Count); ++page) {
            fixture.window().showPage(MainWindow::Page(page));
            for (QWidget* widget : fixture.window().findChildren<QWidget*>()) {
                if (!(widget->focusPolicy() & Qt::TabFocus) || widget->focusProxy() ||
                    !isShown(widget, &fixture.window()))
                    continue;
                QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
                if (!accessible || accessible->text(QAccessible::Name).isEmpty())
                    nameless << nameOf(widget);
            }
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
    }
    void tabReachesEveryControlOfAPage() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        fixture.find<LayerTree>("layerTree")->choose({"model", "layers", std::size_t{0}});
        QStringList reached;
        for (int i = 0; i < 160; ++i) {
            QTest::keyClick(
                QApplication::focusWidget() ? QApplication::focusWidget() : &fixture.window(),
                Qt::Key_Tab);
            if (QApplication::focusWidget()) reached << QApplication::focusWidget()->objectName();
        }
        for (const char* name :
             {"launchButton", "jobNameEdit", "clusterTable", "addProcessButton", "datasetEdit",
              "layerTree", "epochsEdit", "graphView", "previewFold"}) {
            QVERIFY2(reached.contains(QLatin1String(name)), name);
        }
        // The fields of the layer that is chosen stand where they are seen.
        qsizetype place = reached.indexOf(QStringLiteral("layerTree"));
        for (const char* name :
             {"addLayerButton", "copyLayerButton", "layerDownButton", "wrapLayerButton",
              "removeLayerButton", "foldLayersButton", "layerOption type", "layerOption name",
              "layerOption units", "layerOption activation", "moreOptions", "graphView"}) {
            QCOMPARE(reached.value(++place), QLatin1String(name));
        }
    }
    void f1ShowsTheKeysInRoomForThem() {
        WindowFixture fixture;
        fixture.window().resize(800, 600);
        fixture.window().show();
        auto* action = fixture.find<QAction>("keysAction");
        QCOMPARE(action->shortcut(), QKeySequence(Qt::Key_F1));
        action->trigger();
        action->trigger();  // the same one
        const auto dialogs = fixture.window().findChildren<KeysDialog*>();
        QCOMPARE(dialogs.size(), 1);
        QVERIFY(dialogs[0]->isVisible() && !dialogs[0]->isModal());
        QVERIFY(dialogs[0]->width() <= 800 && dialogs[0]->height() <= 600);
        settle(*dialogs[0]);
        const auto* area = dialogs[0]->findChild<QScrollArea*>(QStringLiteral("keysArea"));
        QVERIFY(area->widget()->width() <= area->viewport()->width());
        QCOMPARE(overlaps(*dialogs[0]).join(QLatin1Char('\n')), QString());
        for (const QLabel* label : dialogs[0]->findChildren<QLabel*>())
            QVERIFY2(label->wordWrap() || label->width() >= label->sizeHint().width(),
                     qPrintable(label->text()));
    }
    void theKeysOfTheWindowAreThoseThatItHears() {
        WindowFixture fixture;
        QStringList heard;
        for (const QAction* action : fixture.window().findChildren<QAction*>())
            heard << action->shortcut().toString(QKeySequence::PortableText);
        const std::vector<GestureGroup> groups = KeyList::groups();
        for (const Gesture& gesture : groups.front().gestures)
            for (const QString& way : gesture.ways)
                for (const QString& key : way.split(QStringLiteral(" … ")))
                    QVERIFY2(heard.contains(key), qPrintable(key));
    }
    void nothingIsClippedInASmallWindow_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("the least") << QSize(800, 600);
        QTest::newRow("half of a wide screen") << QSize(960, 1040);
        QTest::newRow("a small screen") << QSize(1024, 640);
    }
    void nothingIsClippedInASmallWindow() {
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::view(1000)));
        QFETCH(QSize, size);
        fixture.window().resize(size);
        QCOMPARE(fixture.window().size(), size);
        QStringList clipped;
        for (int page = 0; page < int(MainWindow::Page::Count); ++page) {
            fixture.window().showPage(MainWindow::Page(page));
            settle(fixture.window());
            for (const QScrollArea* area : fixture.window().findChildren<QScrollArea*>())
                if (area->isVisible() && area->widget()->width() > area->viewport()->width())
                    clipped << nameOf(area) + QStringLiteral(", at its right");
            for (QWidget* widget : fixture.window().findChildren<QWidget*>()) {
                if (!widget->isVisible() || widget->objectName().startsWith(QLatin1String("qt_")))
                    continue;
                if (qobject_cast<QLineEdit*>(widget->parentWidget())) continue;  // Qt's own icons
                const bool isControl =
                    qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget);
                const auto* label = qobject_cast<QLabel*>(widget);
                const bool isCut = label && !label->wordWrap() && !label->text().isEmpty() &&
                                   label->width() + 1 < label->sizeHint().width();
                if (isCut || (isControl && widget->width() + 1 < widget->minimumSizeHint().width()))
                    clipped << nameOf(widget);
            }
        }
        QVERIFY2(clipped.isEmpty(), qPrintable(clipped.join(QLatin1Char('\n'))));
    }
};

QTEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
