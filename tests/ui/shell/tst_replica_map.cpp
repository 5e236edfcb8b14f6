// SPDX-License-Identifier: GPL-3.0-or-later
// More replicas than a table shows at a glance: the map, in the real window over made journals.
// LOCKSTEP_PICTURES=FOLDER saves what the page looks like.
#include <QAbstractButton>
#include <QComboBox>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "tests/ui/shell/journal_desk.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/replica_table_model.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/segmented_control.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::JournalDesk;
using testsupport::JournalRun;
using Shape = JournalRun::Shape;

namespace {

constexpr int kSoon = 30'000;

void colourBy(JournalDesk& desk, const char* figure) {
    auto& choice = desk.find<QComboBox>("replicaFigure");
    const int index = choice.findText(QLatin1String(figure));
    choice.setCurrentIndex(index);
    Q_EMIT choice.activated(index);
    desk.settle();
}

}  // namespace

class ReplicaMapTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-replica-map"));
    }

    void everyReplicaHasACellThatOpensIt_data() {
        QTest::addColumn<int>("processes");
        QTest::addColumn<int>("hosts");
        for (const auto& [processes, hosts] :
             std::initializer_list<std::pair<int, int>>{{16, 2}, {64, 8}, {256, 32}, {1024, 8}})
            QTest::newRow(qPrintable(QString::number(processes))) << processes << hosts;
    }
    void everyReplicaHasACellThatOpensIt();
    void ofManyCurvesTheOutliersHaveColoursAndTheOthersAreABand();
    void whereNobodyStandsOutAllAreReplicasNotOthers();
    void upToTwelveAreATable();
    void whatTheUserChoseStays();
    void aNarrowTableNeedsNoScrollBar();
    void whyAReplicaIsLostHasRoom();
    void arrowKeysGoFromCellToCell();
    void valuesDecideTheColourAndALossIsCrossedOut();
};

void ReplicaMapTest::everyReplicaHasACellThatOpensIt() {
    QFETCH(int, processes);
    QFETCH(int, hosts);
    const Shape shape{.processes = processes, .hosts = hosts, .slow = 9};
    JournalRun run;
    run.launch(shape);
    JournalDesk desk(run);
    desk.window().showPage(MainWindow::Page::Replicas);
    run.train(shape, 0);
    run.steps(shape, 1, 20);
    run.beats(shape, 2, 20, wire::PHASE_FORWARD);
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->step == 20, kSoon);
    desk.settle();
    auto& map = desk.find<HeatMap>("replicaMap");
    QVERIFY(map.isVisible() && !desk.table().isVisible());
    QCOMPARE(map.cellCount(), processes + 1);  // and the evaluator
    const QRect seen = map.visibleRegion().boundingRect();
    for (int cell = 0; cell < map.cellCount(); ++cell) {
        QVERIFY2(seen.contains(map.cellRect(cell).toRect()), qPrintable(QString::number(cell)));
        if (cell > 0) QVERIFY(!map.cellRect(cell).intersects(map.cellRect(cell - 1)));
    }
    QTest::mouseMove(&map, map.cellRect(3).center().toPoint());
    desk.picture(QStringLiteral("map-%1").arg(processes));
    QTest::mouseClick(&map, Qt::LeftButton, {}, map.cellRect(7).center().toPoint());
    auto& close = desk.find<QAbstractButton>("closeReplicaPanel");
    QTRY_VERIFY_WITH_TIMEOUT(close.isVisible(), kSoon);
    QVERIFY2(map.readout().contains(QRegularExpression(QStringLiteral("^process \\d+ on node-"))),
             qPrintable(map.readout()));
    desk.picture(QStringLiteral("map-panel-%1").arg(processes));
    close.click();
    QVERIFY(!close.isVisible() && map.isVisible());
    for (const char* figure : {"Phase", "Silence", "Loss", "Processor", "Memory"}) {
        colourBy(desk, figure);
        desk.picture(QStringLiteral("map-%1-%2").arg(processes).arg(QLatin1String(figure)));
    }
}

void ReplicaMapTest::ofManyCurvesTheOutliersHaveColoursAndTheOthersAreABand() {
    const Shape shape{.processes = 64, .hosts = 8, .slow = 37};
    JournalRun run;
    run.launch(shape);
    run.train(shape, 0);
    run.steps(shape, 1, 400);
    run.beats(shape, 2, 400, wire::PHASE_FORWARD);
    JournalDesk desk(run);
    const auto& group = desk.find<LiveChart>("lossChart").group();
    const auto loud = [&group] {
        QStringList names;
        for (const SeriesInfo& info : group.series())
            if (!info.quiet && !info.mean && !info.exact) names << info.name;
        return names;
    };
    QTRY_COMPARE_WITH_TIMEOUT(loud(), QStringList{QStringLiteral("Replica 37")}, kSoon);
    desk.settle();
    QCOMPARE(desk.find<QToolButton>("moreChips").text(), QStringLiteral("63 others"));
    desk.picture(QStringLiteral("live-band"));
}

void ReplicaMapTest::whereNobodyStandsOutAllAreReplicasNotOthers() {
    const Shape shape{.processes = 16, .hosts = 2};
    JournalRun run;
    run.launch(shape);
    run.train(shape, 0);
    run.steps(shape, 1, 400);
    JournalDesk desk(run);
    desk.window().showPage(MainWindow::Page::Live);
    const auto& group = desk.find<LiveChart>("lossChart").group();
    QTRY_VERIFY_WITH_TIMEOUT(group.series().size() >= 16, kSoon);
    desk.settle();
    QCOMPARE(desk.find<QToolButton>("moreChips").text(), QStringLiteral("16 replicas"));
}

void ReplicaMapTest::upToTwelveAreATable() {
    const Shape shape{.processes = 12};  // and the evaluator, which is none of them
    JournalRun run;
    run.launch(shape);
    JournalDesk desk(run);
    desk.window().showPage(MainWindow::Page::Replicas);
    run.train(shape, 0);
    QTRY_COMPARE_WITH_TIMEOUT(desk.table().model()->rowCount(), 13, kSoon);
    QVERIFY(desk.table().isVisible());
    QVERIFY(!desk.find<HeatMap>("replicaMap").isVisible());
    QVERIFY(!desk.find<SegmentedControl>("replicaForm").isVisible());
}

void ReplicaMapTest::whatTheUserChoseStays() {
    const Shape shape{.processes = 16};
    JournalRun run;
    run.launch(shape);
    JournalDesk desk(run);
    desk.window().showPage(MainWindow::Page::Replicas);
    run.train(shape, 0);
    auto& map = desk.find<HeatMap>("replicaMap");
    QTRY_VERIFY_WITH_TIMEOUT(map.isVisible(), kSoon);
    desk.find<SegmentedControl>("replicaForm").setCurrent(0);
    QVERIFY(desk.table().isVisible() && !map.isVisible());
    run.steps(shape, 1, 20);
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->step == 20, kSoon);
    desk.settle();
    QVERIFY(desk.table().isVisible() && !map.isVisible());
}

void ReplicaMapTest::aNarrowTableNeedsNoScrollBar() {
    const Shape shape{.processes = 4};
    JournalRun run;
    run.launch(shape);
    JournalDesk desk(run);
    desk.window().showPage(MainWindow::Page::Replicas);
    run.train(shape, 0);
    run.steps(shape, 1, 20);
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->step == 20, kSoon);
    for (const int width : {800, 1024, 1280}) {
        desk.window().resize(width, 700);
        desk.settle();
        QVERIFY2(desk.table().horizontalScrollBar()->maximum() == 0,
                 qPrintable(QString::number(width)));
        QVERIFY(!desk.table().isColumnHidden(int(ReplicaTableModel::Column::Loss)));
    }
}

void ReplicaMapTest::whyAReplicaIsLostHasRoom() {
    using Column = ReplicaTableModel::Column;
    const Shape shape{.processes = 4};
    JournalRun run;
    run.launch(shape);
    JournalDesk desk(run);
    desk.window().showPage(MainWindow::Page::Replicas);
    run.train(shape, 0);
    run.steps(shape, 1, 20);
    QTRY_VERIFY_WITH_TIMEOUT(desk.view() && desk.view()->step == 20, kSoon);
    desk.window().resize(1280, 800);
    desk.settle();
    const bool hadPlaces = !desk.table().isColumnHidden(int(Column::Host));
    run.fail(1, "was killed by signal 9 (SIGKILL)", 20);
    const QString state = QStringLiteral("lost: was killed by signal 9 (SIGKILL)");
    QTRY_COMPARE_WITH_TIMEOUT(desk.cell(1, Column::State), state, kSoon);
    desk.settle();
    QVERIFY(hadPlaces);
    constexpr int kIconAndMargins = 40;
    const int needed = desk.table().fontMetrics().horizontalAdvance(state) + kIconAndMargins;
    const int given = desk.table().columnWidth(int(Column::State));
    QVERIFY2(given >= needed, qPrintable(QString("%1 of %2").arg(given).arg(needed)));
    QCOMPARE(desk.table().horizontalScrollBar()->maximum(), 0);
}

void ReplicaMapTest::arrowKeysGoFromCellToCell() {
    HeatMap map;
    QVector<HeatMap::Row> rows;
    for (const char* host : {"a", "b"}) {
        rows.push_back({QLatin1String(host), {}});
        for (int i = 0; i < 6; ++i)
            rows.back().cells.push_back(
                {QString::number(i), QLatin1String(host) + QString::number(i), double(i), {}, {}});
    }
    map.setRows(rows, HeatMap::Scale{0, 5, QStringLiteral("0"), QStringLiteral("5")});
    map.resize(600, 200);
    map.show();
    QSignalSpy opened(&map, &HeatMap::activated);
    QTest::keyClick(&map, Qt::Key_Home);
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Down);
    QCOMPARE(map.readout(), QStringLiteral("b2"));
    QCOMPARE(map.accessibleDescription(), QStringLiteral("b2"));
    QTest::keyClick(&map, Qt::Key_Return);
    QCOMPARE(opened.value(0).value(0).toInt(), 8);
    QTest::keyClick(&map, Qt::Key_Up);
    QCOMPARE(map.readout(), QStringLiteral("a2"));
    QTest::keyClick(&map, Qt::Key_Up);
    QCOMPARE(map.readout(), QStringLiteral("a2"));
    QTest::keyClick(&map, Qt::Key_End);
    QCOMPARE(map.readout(), QStringLiteral("b5"));
}

void ReplicaMapTest::valuesDecideTheColourAndALossIsCrossedOut() {
    applyTheme(*qApp, ThemeMode::Light);
    HeatMap map;
    map.setRows({{QStringLiteral("a"),
                  {{{}, {}, 0, {}, {}},
                   {{}, {}, 10, {}, {}},
                   {{}, {}, NAN, {}, {}},
                   {{}, {}, 10, {}, Tone::Bad},
                   {{}, {}, 0, 2, {}}}}},
                HeatMap::Scale{0, 10, QStringLiteral("0"), QStringLiteral("10")});
    map.resize(600, 300);
    map.show();
    const QImage picture = map.grab().toImage();
    const auto ground = [&](int cell) {
        return picture.pixelColor(map.cellRect(cell).topLeft().toPoint() + QPoint(10, 4));
    };
    const Theme& theme = Theme::light();
    QCOMPARE(ground(1), theme.accent);
    QVERIFY(ground(0).lightness() > 220);
    QCOMPARE(ground(2), theme.surface);
    QCOMPARE(ground(3), theme.toneSoft(Tone::Bad));
    QCOMPARE(picture.pixelColor(map.cellRect(3).center().toPoint()), theme.bad);
    QCOMPARE(ground(4), theme.phaseColour(2));
    // What the colours mean stands right beneath the cells, not at the far end of the page.
    const int ramp = int(map.cellRect(0).bottom()) + 24;
    int coloured = 0;
    for (int x = 0; x < picture.width(); ++x)
        coloured += picture.pixelColor(x, ramp) != picture.pixelColor(picture.width() - 1, ramp);
    QVERIFY2(coloured > 100, qPrintable(QString::number(coloured)));
}

QTEST_MAIN(ReplicaMapTest)
#include "tst_replica_map.moc"
