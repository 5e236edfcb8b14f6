// SPDX-License-Identifier: GPL-3.0-or-later
// shoot FOLDER: pictures of every page with a scripted run, for looking at. Not a test.
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QScrollArea>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

#include "tests/ui/shell/window_fixture.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

void shoot(QWidget& window, const QString& folder, const QString& name) {
    QTest::qWait(400);  // charts draw on their own thread
    window.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

void shootPages(testsupport::WindowFixture& fixture, const QString& folder, const QString& suffix) {
    const QStringList pages{QStringLiteral("job"),      QStringLiteral("live"),
                            QStringLiteral("replicas"), QStringLiteral("evaluator"),
                            QStringLiteral("logs"),     QStringLiteral("runs")};
    for (int page = 0; page < pages.size(); ++page) {
        fixture.window().showPage(MainWindow::Page(page));
        shoot(fixture.window(), folder, pages[page] + suffix);
    }
}

/// The doctor's matrix while it fills in and when it has found something.
void shootHosts(testsupport::WindowFixture& fixture, const QString& folder, const QString& suffix) {
    fixture.doctor().publish(testsupport::doctorView(4, 2));
    fixture.find<QAction>("checkHostsAction")->trigger();
    QTest::qWait(400);
    shoot(fixture.window(), folder, QStringLiteral("hosts-running") + suffix);
    fixture.doctor().publish(testsupport::doctorView(4, 4));
    QTest::qWait(400);
    fixture.window()
        .findChild<QScrollArea*>(QStringLiteral("jobScroll"))
        ->ensureWidgetVisible(fixture.find<QWidget>("hostCheckDetails"));
    shoot(fixture.window(), folder, QStringLiteral("hosts") + suffix);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
    QDir().mkpath(folder);
    const QString scale = application.devicePixelRatio() > 1.5 ? QStringLiteral("@2x") : QString();
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        const QString suffix =
            (mode == ThemeMode::Light ? QStringLiteral("-light") : QStringLiteral("-dark")) + scale;
        QSettings().setValue(QStringLiteral("theme"), int(mode));
        testsupport::WindowFixture fixture;
        if (argc > 2) fixture.window().resize(1024, 640);
        fixture.window().show();
        shootPages(fixture, folder, QStringLiteral("-empty") + suffix);
        fixture.openExample();
        fixture.launch();
        fixture.script().publish(testsupport::ExampleRun::view(2400));
        fixture.feed(2400);
        QTest::qWait(300);
        if (auto* table = fixture.window().findChild<QTableView*>(QStringLiteral("replicaTable"))) {
            table->selectRow(0);
        }
        shootPages(fixture, folder, suffix);
        shootHosts(fixture, folder, suffix);
        job::RunView failed = testsupport::ExampleRun::failedView(2400);
        fixture.script().publish(failed);
        QTest::qWait(200);
        fixture.window().showPage(MainWindow::Page::Live);
        shoot(fixture.window(), folder, QStringLiteral("failed") + suffix);
        fixture.window().jobs().editor().setValue(QStringLiteral("training.global_batch_size"),
                                                  QStringLiteral("1"));
        fixture.window().showPage(MainWindow::Page::Job);
        shoot(fixture.window(), folder, QStringLiteral("problem") + suffix);
    }
    return 0;
}
