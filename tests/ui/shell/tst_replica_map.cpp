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
#include "ui/models/log_model.h"
#include "ui/models/named_values.h"
#include "ui/models/replica_table_model.h"
#include "ui/pages/replicas/replica_map.h"
#include "ui/pages/replicas/replicas_page.h"
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
    QVERIFY2(index >= 0, figure);
    choice.setCurrentIndex(index);
    Q_EMIT choice.activated(index);
    desk.settle();
}

/// What one replica says of a named figure.
job::ScalarColumns said(const std::string& name, int replica, int start, std::int64_t step,
                        double value) {
    return {name, {}, replica, start, {step}, {1.0}, {value}};
}

/// What is told of the worker's cell under the keyboard.
QString readoutOf(HeatMap& map, int cell) {
    map.setCurrent(cell);
    return map.readout();
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
    void namedFiguresColourTheMapInTheirUnit_data();
    void namedFiguresColourTheMapInTheirUnit();
    void atAnotherMomentWhatWasNotSaidYetIsNot();
    void whatAStartThatIsUndoneSaidCountsNoMore();
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
    for (const char* figure : {"Phase", "Silence", "Loss", "Accuracy", "Processor", "Memory"}) {
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

void ReplicaMapTest::namedFiguresColourTheMapInTheirUnit_data() {
    QTest::addColumn<int>("processes");
    for (const int processes : {16, 100})
        QTest::newRow(qPrintable(QString::number(processes))) << processes;
}
void ReplicaMapTest::namedFiguresColourTheMapInTheirUnit() {
    QFETCH(int, processes);
    const Shape shape{.processes = processes, .evaluator = false, .hosts = 2};
    JournalRun run;
    run.launch(shape);
    JournalDesk desk(run);
    desk.window().showPage(MainWindow::Page::Replicas);
    run.train(shape, 0);
    run.steps(shape, 1, 20);
    run.scalars("grad_norm", "", 0, processes, 20, 3);
    run.scalars("queue", "ms", 1, processes, 10, 50);  // all but replica 0
    run.scalars("queue", "ms", 1, processes, 20, 70);
    auto& choice = desk.find<QComboBox>("replicaFigure");
    QTRY_VERIFY_WITH_TIMEOUT(choice.findData(QStringLiteral("queue")) > 0, kSoon);
    auto& map = desk.find<HeatMap>("replicaMap");
    colourBy(desk, "Accuracy");
    QVERIFY2(readoutOf(map, 1).contains(QLatin1Char('%')), qPrintable(map.readout()));
    colourBy(desk, "Gradient norm");
    QVERIFY2(readoutOf(map, 1).contains(QStringLiteral("3.03")), qPrintable(map.readout()));
    colourBy(desk, "Queue");  // in words, as on Live
    QTRY_VERIFY2_WITH_TIMEOUT(readoutOf(map, 1).contains(QStringLiteral("70.70 ms")),
                              qPrintable(map.readout()), kSoon);
    QVERIFY2(readoutOf(map, 0).contains(QStringLiteral("Queue: it has not said it")),
             qPrintable(map.readout()));
    desk.picture(QStringLiteral("map-%1-queue").arg(processes));
    // What comes while it is shown is shown, and the choice stays.
    run.scalars("queue", "ms", 0, 1, 30, 5);
    run.scalars("later", "", 0, 1, 30, 5);
    QTRY_VERIFY_WITH_TIMEOUT(choice.findData(QStringLiteral("later")) > 0, kSoon);
    QCOMPARE(choice.currentText(), QStringLiteral("Queue"));
    QVERIFY2(readoutOf(map, 0).contains(QStringLiteral("5.000 ms")), qPrintable(map.readout()));
}

/// As a page of the past is filled: from the beginning, up to the moment.
void ReplicaMapTest::atAnotherMomentWhatWasNotSaidYetIsNot() {
    ReplicaTableModel model;
    LogModel log;
    ReplicasPage page(model, log);
    std::vector<job::ReplicaView> replicas(16);
    for (int i = 0; i < 16; ++i)
        replicas[std::size_t(i)].replica = replicas[std::size_t(i)].processId = i;
    model.update(replicas);
    page.resize(900, 600);
    page.show();
    auto& map = page.map().map();
    page.addScalars({said("a", 2, 0, 10, 7)});
    page.map().choose(QStringLiteral("a"));
    page.addScalars({said("a", 2, 0, 20, 8)});
    QVERIFY2(readoutOf(map, 2).contains(QStringLiteral("8")), qPrintable(map.readout()));

    page.forgetSteps();
    page.addScalars({said("b", 2, 0, 10, 7)});

    QCOMPARE(page.map().chosen().toString(), QStringLiteral("a"));
    QVERIFY2(readoutOf(map, 2).contains(QStringLiteral("has not said it")),
             qPrintable(map.readout()));
    page.addScalars({said("a", 2, 0, 10, NAN)});
    QVERIFY2(readoutOf(map, 2).contains(QStringLiteral("no finite number")),
             qPrintable(map.readout()));
    page.reset();  // another run: its choice holds, the names are its own
    const auto* choice = page.findChild<QComboBox*>(QStringLiteral("replicaFigure"));
    QCOMPARE(choice->currentText(), QStringLiteral("A"));
    QCOMPARE(choice->findData(QStringLiteral("b")), -1);
}

void ReplicaMapTest::whatAStartThatIsUndoneSaidCountsNoMore() {
    NamedValues values;
    values.setStarts({0});
    values.add({said("a", 0, 0, 100, 1), said("a", 1, 0, 200, 2), said("a", -1, 0, 200, 3)});
    QCOMPARE(*values.find("a", 1), 2.0);
    QVERIFY(values.find("a", -1) == nullptr);
    values.setStarts({0, 150});  // a restart goes on behind step 150
    QCOMPARE(*values.find("a", 0), 1.0);
    QVERIFY(values.find("a", 1) == nullptr);
    values.add({said("a", 1, 1, 160, 4)});
    values.setStarts({0, 150});
    QCOMPARE(*values.find("a", 1), 4.0);
    // The same of a history whose starts are known before it comes: attached to, or of the past.
    values.forgetValues();
    values.setStarts({0, 150});
    job::ScalarColumns former = said("a", 1, 0, 100, 1);
    former.steps.push_back(200);
    former.wallTimes.push_back(2);
    former.values.push_back(2);
    values.add({former, said("a", 2, 0, 200, 2), said("a", 3, 1, 200, 5)});
    QCOMPARE(*values.find("a", 1), 1.0);
    QVERIFY(values.find("a", 2) == nullptr);
    QCOMPARE(*values.find("a", 3), 5.0);
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
