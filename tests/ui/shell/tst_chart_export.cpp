// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of the real window leave it: by their menus, by keys, to the clipboard and to files.
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QStatusBar>
#include <QtTest>

#include "tests/ui/shell/next_dialog.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/charts/surface/chart_surface.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/pages/live/chart_export.h"
#include "ui/widgets/notice_bar.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::NextDialog;
using testsupport::WindowFixture;

namespace {

/// The window over a run of two replicas, on Live.
struct Desk {
    WindowFixture fixture;

    explicit Desk(int steps = 600) {
        fixture.feed(steps);
        fixture.feedScalars(ExampleRun::scalars(2, steps));
        fixture.showLaunched(ExampleRun::view(steps));
        fixture.window().showPage(MainWindow::Page::Live);
        (void)QTest::qWaitFor([this] { return chart("scalarChart train/f1") != nullptr; }, kWait);
        (void)QTest::qWaitFor([this] { return chart("lossChart")->isUpToDate(); }, kWait);
        QGuiApplication::clipboard()->clear();
    }
    [[nodiscard]] LiveChart* chart(const char* name) { return fixture.find<LiveChart>(name); }
    [[nodiscard]] QString said() { return fixture.window().statusBar()->currentMessage(); }
    /// The menu of a chart that has the keyboard.
    QMenu* menuByKey(LiveChart& chart) {
        chart.setFocus();
        auto* surface = chart.findChild<ChartSurface*>();
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, surface->rect().center(),
                                surface->mapToGlobal(surface->rect().center()));
        QApplication::sendEvent(surface, &asked);
        return fixture.window().findChild<QMenu*>(QStringLiteral("chartMenu"));
    }
    static void trigger(QMenu* menu, const char* verb) {
        for (QAction* action : menu->actions())
            if (action->objectName() == QLatin1String(verb)) action->trigger();
        menu->close();
    }
};

/// Null: nothing.
const QMimeData* copied() {
    return QGuiApplication::clipboard()->mimeData();
}

/// Answers the dialog that asks for a file's name: typed, for QFileDialog::selectFile leaves the
/// name alone while its field has the keyboard.
std::function<void(QWidget&)> nameFile(const QString& path) {
    return [path](QWidget& dialog) {
        dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(path);
        QMetaObject::invokeMethod(&dialog, "accept");
    };
}

}  // namespace

class ChartExportTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-chart-export"));
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    }

    void theMenuOfAChartCopiesItAsAPicture() {
        Desk desk;
        QMenu* menu = desk.menuByKey(*desk.chart("scalarChart train/f1"));
        QVERIFY(menu != nullptr && menu->isVisible());
        Desk::trigger(menu, "copyChart");

        QTRY_VERIFY_WITH_TIMEOUT(copied() && copied()->hasImage(), kWait);
        const QByteArray svg = copied()->data(QStringLiteral("image/svg+xml"));
        QVERIFY(svg.contains("F1, training") && svg.contains("Replica 1") && svg.contains("Mean"));
        QVERIFY(desk.said().contains(QStringLiteral("F1, training")));
    }

    void thePointsOfWhatIsShownAreCopied() {
        Desk desk;
        LiveChart* loss = desk.chart("lossChart");
        loss->group().setXRange({101, 200});
        loss->group().setVisible(1, false);
        QTRY_VERIFY_WITH_TIMEOUT(loss->isUpToDate(), kWait);
        Desk::trigger(desk.menuByKey(*loss), "copyChartPoints");

        QTRY_VERIFY_WITH_TIMEOUT(copied() && copied()->hasText(), kWait);
        const QStringList lines =
            QGuiApplication::clipboard()->text().trimmed().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 1 + 2 * 100);  // replica 0 and the mean
        QVERIFY(lines[1].startsWith(QStringLiteral("Replica 0,101,")));
        QVERIFY(desk.said().endsWith(QStringLiteral("200")));
    }

    void theWindowsKeysCopyTheChartOfTheKeyboard() {
        Desk desk;
        QVERIFY(QTest::qWaitForWindowActive(&desk.fixture.window()));
        desk.chart("accuracyChart")->setFocus();
        QTest::keyClick(&desk.fixture.window(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(desk.said().contains(QStringLiteral("Accuracy")), kWait);

        // Without a chart that has the keyboard: the first that is seen.
        desk.fixture.find<QWidget>("xAxisControl")->setFocus();
        desk.fixture.find<QAction>("copyChartAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(desk.said().contains(QStringLiteral("Loss")), kWait);

        desk.fixture.window().showPage(MainWindow::Page::Logs);
        desk.fixture.find<QAction>("copyChartAction")->trigger();
        QVERIFY(desk.fixture.find<NoticeBar>("noticeBar")
                    ->notice()
                    .sentence.contains(QStringLiteral("no chart")));
    }

    void aChartIsSavedUnderTheNameThatIsChosen() {
        Desk desk;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("loss.svg"));
        NextDialog answer(nameFile(path));
        desk.chart("lossChart")->setFocus();
        desk.fixture.find<QAction>("saveChartAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), kWait);
        QCOMPARE(answer.name(), QStringLiteral("saveChartDialog"));
        QTRY_VERIFY_WITH_TIMEOUT(desk.said().contains(path), kWait);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray svg = file.readAll();
        QVERIFY(svg.contains("<polyline") && svg.contains(">Loss<") && !svg.contains("<image"));
    }

    void whatCannotBeSavedIsSaidInTheWindow() {
        Desk desk;
        QTemporaryDir folder;
        auto* charts = desk.chart("lossChart")->window()->findChild<ChartExport*>();
        QVERIFY(charts != nullptr);
        const QString path = folder.filePath(QStringLiteral("missing/loss.pdf"));
        charts->write(*desk.chart("lossChart"), path);
        const auto* notice = desk.fixture.find<NoticeBar>("noticeBar");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QVERIFY2(notice->notice().sentence.contains(path), qPrintable(notice->notice().sentence));
        QVERIFY(!notice->notice().remedy.isEmpty());
    }

    void theScoresOfTheEvaluatorAreCopiedToo() {
        Desk desk;
        desk.fixture.window().showPage(MainWindow::Page::Evaluator);
        QTRY_VERIFY_WITH_TIMEOUT(desk.chart("scoreChart")->isVisible(), kWait);
        QTRY_VERIFY_WITH_TIMEOUT(desk.chart("scoreChart")->isUpToDate(), kWait);
        desk.fixture.find<QAction>("copyChartAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(desk.said().contains(QStringLiteral("Score")), kWait);
    }
};

QTEST_MAIN(ChartExportTest)
#include "tst_chart_export.moc"
