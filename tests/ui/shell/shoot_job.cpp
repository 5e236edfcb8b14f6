// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the Job page with given job files, for looking at: shoot_job FOLDER WIDTHxHEIGHT
// JOB...
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QStandardPaths>
#include <QTableWidget>
#include <QTest>

#include "tests/ui/shell/window_fixture.h"
#include "ui/pages/job/graph_view.h"
#include "ui/pages/job/layer_tree.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

void comeToRest(QWidget& window) {
    // a pause: pictures are looked at by people, and nothing tells when all is still
    QTest::qWait(250);
    window.repaint();
}

void shootJob(testsupport::WindowFixture& fixture, const QString& name) {
    auto* area = fixture.find<QScrollArea>("jobScroll");
    const auto take = [&](const QString& part, int top) {
        area->verticalScrollBar()->setValue(top);
        comeToRest(fixture.window());
        fixture.window().grab().save(name + part + QStringLiteral(".png"));
    };
    auto* tree = fixture.find<LayerTree>("layerTree");
    take(QStringLiteral("-top"), 0);
    const auto topOf = [area](QWidget* widget) {
        return widget->mapTo(area->widget(), QPoint()).y() - 60;
    };
    fixture.find<QPushButton>("readSamplesButton")->click();
    auto* counts = fixture.find<QTableWidget>("classCounts");
    std::ignore = QTest::qWaitFor([counts] { return counts->isVisible(); }, 30'000);
    take(QStringLiteral("-training"), 520);
    take(QStringLiteral("-samples"), topOf(counts));
    tree->choose({"model", "layers", std::size_t{0}});
    comeToRest(fixture.window());
    take(QStringLiteral("-model"), topOf(tree));
    fixture.find<GraphView>("graphView")->foldAll(false);
    tree->choose({"model", "layers", std::size_t{2}});
    comeToRest(fixture.window());
    take(QStringLiteral("-unfolded"), topOf(tree));
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    const QStringList words = QApplication::arguments();
    if (words.size() < 4) return 2;
    QDir().mkpath(words[1]);
    const QStringList sides = words[2].split(QLatin1Char('x'));
    const QString scale = application.devicePixelRatio() > 1.5 ? QStringLiteral("@2x") : QString();
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        QSettings().setValue(QStringLiteral("theme"), int(mode));
        testsupport::WindowFixture fixture;
        fixture.window().resize(sides.value(0).toInt(), sides.value(1).toInt());
        if (!fixture.showExample()) return 1;
        for (const QString& path : words.mid(3)) {
            QFile file(path);
            if (!file.open(QIODevice::ReadOnly)) return 1;
            fixture.editor().setText(QString::fromUtf8(file.readAll()));
            const QString tint =
                mode == ThemeMode::Light ? QStringLiteral("-light") : QStringLiteral("-dark");
            shootJob(fixture, words[1] + QLatin1Char('/') + QFileInfo(path).baseName() +
                                  QLatin1Char('-') + words[2] + tint + scale);
        }
    }
    return 0;
}
