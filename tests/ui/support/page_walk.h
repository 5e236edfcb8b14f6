// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QTableView>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"

namespace lockstep::testsupport {

/// LOCKSTEP_PICTURES=FOLDER saves what the pages look like.
inline void picture(QWidget& window, const QString& name) {
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (!folder.isEmpty())
        window.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

inline const auto kJobOnHosts = QStringLiteral(
    "[cluster]\njob_addresses = [\"gpu1:0\", \"gpu2:0\"]\n[data]\ndataset = \"digits\"\n"
    "[model]\nlayers = [{ type = \"dense\", units = 10 }]\n"
    "[launch]\nmethod = \"ssh\"\nspares = [\"gpu3\"]\n");

/// Looks at every page of a window of this size in one state after the other. `name`: of its
/// pictures.
template <typename Look>
void walkPages(Look look, QSize size = {1280, 800}, const QString& name = {}) {
    WindowFixture fixture;
    fixture.window().resize(size);
    QVERIFY(fixture.showExample());
    QCOMPARE(fixture.window().size(), size);
    const auto pages = [&](const char* state) {
        for (int page = 0; page < 7; ++page) {
            fixture.window().showPage(ui::MainWindow::Page(page));
            settle(fixture.window());
            const QString place = QStringLiteral("%1, page %2, %3 wide")
                                      .arg(QLatin1String(state))
                                      .arg(page)
                                      .arg(fixture.window().width());
            look(fixture.window(), place);
            picture(fixture.window(), name + place);
        }
    };
    pages("a job");
    QVERIFY(fixture.launch());
    fixture.script().publish(ExampleRun::view(2400));
    fixture.feed(2400);
    QTRY_VERIFY(fixture.window().bridge().view()->step == 2400);
    if (auto* table = fixture.find<QTableView>("replicaTable")) table->selectRow(0);
    pages("a run");
    fixture.script().publish(ExampleRun::failedView(2400));
    QTRY_VERIFY(fixture.window().bridge().view()->state == job::RunState::Failed);
    pages("a failed run");
    fixture.editor().setValue(QStringLiteral("training.global_batch_size"), QStringLiteral("1"));
    pages("a problem");
    fixture.editor().setText(kJobOnHosts);
    fixture.window().showPage(ui::MainWindow::Page::Job);
    if (auto* add = fixture.find<QPushButton>("addHostButton")) add->click();
    settle(fixture.window());
    const QString place = QStringLiteral("hosts, %1 wide").arg(fixture.window().width());
    look(fixture.window(), place);
    picture(fixture.window(), name + place);
}

}  // namespace lockstep::testsupport
