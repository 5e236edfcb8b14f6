// SPDX-License-Identifier: GPL-3.0-or-later
// Runs as parallel coordinates: where values lie, and how runs are chosen there.
#include <QLabel>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QTableView>
#include <QtTest>
#include <cmath>

#include "ui/bridge/job_services.h"
#include "ui/dialogs/about_run_dialog.h"
#include "ui/models/parallel_axes.h"
#include "ui/models/runs_model.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/style/theme.h"
#include "ui/widgets/parallel_plot.h"
#include "ui/widgets/segmented_control.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr int kSortRole = Qt::UserRole + 1;
const QStringList kBest{QStringLiteral("sweep-10"), QStringLiteral("sweep-11"),
                        QStringLiteral("sweep-9")};

ParallelPlot::Axis axisOfValues(const QVariantList& values) {
    QStandardItemModel model(int(values.size()), 1);
    model.setHeaderData(0, Qt::Horizontal, QStringLiteral("Value"));
    for (int row = 0; row < values.size(); ++row) {
        const QModelIndex index = model.index(row, 0);
        model.setData(index, values[row], kSortRole);
        model.setData(index, values[row].isValid() ? values[row].toString() : QStringLiteral("–"));
    }
    return axisOf(model, 0, kSortRole);
}

job::RunEntry run(int number, const char* rate, const char* batch, double score) {
    const std::string name = "sweep-" + std::to_string(number);
    job::RunEntry entry{"/runs/" + name, name,
                        "sweep",         false,
                        "completed",     1'790'000'000.0 - number,
                        score,           job::Score{"accuracy", score, true}};
    entry.settings = {{"training.learning_rate", rate}, {"training.global_batch_size", batch}};
    entry.tookSeconds = 60 + number;
    return entry;
}

/// The page with a sweep of twelve runs, as axes.
struct Desk {
    RunsModel model;
    std::unique_ptr<RunsPage> page;
    int runs;

    explicit Desk(int count = 12) : runs(count) {
        page = std::make_unique<RunsPage>(model, JobServices());
        list();
        page->resize(1180, 700);
        page->show();
        find<SegmentedControl>("runsForm")->setCurrent(1);
    }
    /// As the folder is read again.
    void list() {
        std::vector<job::RunEntry> sweep;
        constexpr std::array kRates{"0.001", "0.01", "0.1", "1"};
        constexpr std::array kBatches{"32", "64", "128"};
        for (int i = 0; i < runs; ++i)
            sweep.push_back(run(i, kRates[std::size_t(i) % 4], kBatches[std::size_t(i) / 4 % 3],
                                0.9 + 0.005 * (i % 12)));
        model.setRuns(std::move(sweep));
    }
    template <typename T>
    [[nodiscard]] T* find(const char* name) const {
        return page->findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] ParallelPlot& plot() const { return *find<ParallelPlot>("runsPlot"); }
    [[nodiscard]] QStringList chosen() const {
        QStringList names;
        for (const QModelIndex& row :
             find<QTableView>("runsTable")->selectionModel()->selectedRows())
            names << row.data(RunsModel::FolderRole).toString().section(QLatin1Char('/'), -1);
        names.sort();
        return names;
    }
    /// The three with the highest score, on the last axis.
    void dragOverTheBest() const {
        drag(*plot().crossing(lineOf("sweep-11"), 3) - QPointF(0, 2),
             *plot().crossing(lineOf("sweep-9"), 3) + QPointF(0, 2));
    }
    /// The line of a run.
    [[nodiscard]] int lineOf(const char* name) const {
        const QAbstractItemModel& rows = *find<QTableView>("runsTable")->model();
        for (int row = 0; row < rows.rowCount(); ++row)
            if (rows.index(row, 0)
                    .data(RunsModel::FolderRole)
                    .toString()
                    .endsWith(QLatin1String(name)))
                return row;
        return -1;
    }
    void drag(QPointF from, QPointF to) const {
        QTest::mousePress(&plot(), Qt::LeftButton, {}, from.toPoint());
        QTest::mouseMove(&plot(), ((from + to) / 2).toPoint());
        QTest::mouseMove(&plot(), to.toPoint());
        QMouseEvent move(QEvent::MouseMove, to, plot().mapToGlobal(to), Qt::NoButton,
                         Qt::LeftButton, {});
        QCoreApplication::sendEvent(&plot(), &move);
        QTest::mouseRelease(&plot(), Qt::LeftButton, {}, to.toPoint());
    }
};

}  // namespace

class RunsAxesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }
    void init() { QSettings().clear(); }

    void numbersLieAtTheirValue() {
        const ParallelPlot::Axis axis = axisOfValues({1.0, 2.0, 5.0});
        QCOMPARE(axis.title, QStringLiteral("Value"));
        QVERIFY(!axis.isLogarithmic);
        QCOMPARE(axis.places, (QVector<double>{0, 0.25, 1}));
        QCOMPARE(axis.ticks[1], (ParallelPlot::Tick{0.25, QStringLiteral("2")}));
    }
    void decadesLieAtEvenDistances() {
        const ParallelPlot::Axis axis = axisOfValues({0.001, 0.01, 0.1});
        QVERIFY(axis.isLogarithmic);
        QVERIFY(std::abs(axis.places[1] - 0.5) < 1e-12);
    }
    void lossesLieByTheirLogarithmToo() {
        const ParallelPlot::Axis axis = axisOfValues({-1.0, -0.1, -0.01});
        QVERIFY(axis.isLogarithmic);
        QCOMPARE(axis.places[0], 0.0);
        QVERIFY(std::abs(axis.places[1] - 0.5) < 1e-12);
        QCOMPARE(axis.places[2], 1.0);
        QVERIFY(!axisOfValues({-1.0, -0.1}).isLogarithmic);
        QVERIFY(!axisOfValues({-100.0, -1.0, 0.0}).isLogarithmic);
        QVERIFY(!axisOfValues({-100.0, 1.0}).isLogarithmic);
    }
    void valuesThatReadAlikeStandAtOnePlace() {
        QStandardItemModel model(2, 1);
        for (int row = 0; row < 2; ++row) {
            model.setData(model.index(row, 0), QStringLiteral("20 s"));
            model.setData(model.index(row, 0), 20.1 + 0.2 * row, kSortRole);
        }
        const ParallelPlot::Axis axis = axisOf(model, 0, kSortRole);
        QCOMPARE(axis.places, (QVector<double>{0.5, 0.5}));
        QCOMPARE(axis.ticks.size(), 1);
    }
    void theWordThatAllScoresBeginWithIsTheAxiss() {
        const auto axisOfScores = [](const QStringList& scores) {
            QStandardItemModel model(int(scores.size()), 1);
            model.setHorizontalHeaderLabels({QStringLiteral("Test score")});
            for (int row = 0; row < scores.size(); ++row) {
                model.setData(model.index(row, 0), scores[row]);
                model.setData(model.index(row, 0), double(row), kSortRole);
            }
            return axisOf(model, 0, kSortRole);
        };
        const auto alike = axisOfScores({"accuracy  97 %", "accuracy  98 %"});
        QCOMPARE(alike.title, QStringLiteral("Test score, accuracy"));
        QCOMPARE(alike.ticks[1].words, QStringLiteral("98 %"));
        const auto other = axisOfScores({"accuracy  97 %", "AUC  0.98"});
        QCOMPARE(other.title, QStringLiteral("Test score"));
        QCOMPARE(other.ticks[0].words, QStringLiteral("accuracy  97 %"));
    }
    void wordsAmongNumbersMakeAnAxisOfWords() {
        const ParallelPlot::Axis axis =
            axisOfValues({QStringLiteral("sgd"), QStringLiteral("adam"), 3.0});
        QCOMPARE(axis.ticks.size(), 3);
        QCOMPARE(axis.places, (QVector<double>{1, 0.5, 0}));
    }
    void whatIsNotSaidHasNoPlace() {
        const ParallelPlot::Axis axis = axisOfValues({1.0, QVariant(), std::nan("")});
        QCOMPARE(axis.places[0], 0.5);
        QVERIFY(std::isnan(axis.places[1]));
        QVERIFY(std::isnan(axis.places[2]));
        QCOMPARE(axis.ticks.size(), 1);
        QVERIFY(axisOfValues({QVariant(), QVariant()}).ticks.isEmpty());
    }
    void aSweepHasAnAxisForEachSettingAndResult() {
        const Desk desk;
        QVERIFY(desk.plot().isVisible());
        QVERIFY(!desk.find<QTableView>("runsTable")->isVisible());
        QCOMPARE(desk.plot().axisCount(), 4);  // two settings, the time, and one score
        QCOMPARE(desk.plot().lineCount(), 12);
    }
    void aRangeChoosesWhatTheTableHasChosen() {
        const Desk desk;
        desk.dragOverTheBest();
        QCOMPARE(desk.chosen(), kBest);
        QCOMPARE(desk.plot().chosen().size(), 3);
        // A second range leaves what lies in both: the rate 0.1 is that of every third of four.
        const QPointF rate = *desk.plot().crossing(desk.lineOf("sweep-10"), 0);
        desk.drag(rate - QPointF(0, 6), rate + QPointF(0, 6));
        QCOMPARE(desk.chosen(), QStringList{QStringLiteral("sweep-10")});
        QTest::keyClick(&desk.plot(), Qt::Key_Escape);
        QVERIFY(desk.chosen().isEmpty());
    }
    void aRangeOutlastsThatTheFolderIsReadAgain() {
        Desk desk;
        desk.dragOverTheBest();
        desk.list();
        QCOMPARE(desk.chosen(), kBest);
        QTest::keyClick(&desk.plot(), Qt::Key_Escape);  // there is something to give up
        QVERIFY(desk.chosen().isEmpty());
        desk.list();
        QVERIFY(desk.chosen().isEmpty());
    }
    void aRangeEndsWhereItsAxisIsScaledAnew() {
        const Desk desk;
        desk.dragOverTheBest();
        desk.find<QLineEdit>("runsFilterEdit")->setText(QStringLiteral("sweep-1"));
        QTRY_COMPARE(desk.plot().lineCount(), 3);
        QCOMPARE(desk.plot().axisCount(), 4);
        QTest::keyClick(&desk.plot(), Qt::Key_Escape);  // there is no range any more
        QCOMPARE(desk.chosen(), kBest.first(2));
        QCOMPARE(desk.plot().chosen().size(), 2);
    }
    void aRangeEndsWithAnotherChoice() {
        const Desk desk;
        desk.dragOverTheBest();
        const QPointF worst = *desk.plot().crossing(desk.lineOf("sweep-0"), 2);
        QTest::mouseClick(&desk.plot(), Qt::LeftButton, {}, worst.toPoint());
        const QStringList chosen{QStringLiteral("sweep-0")};
        QCOMPARE(desk.chosen(), chosen);
        QTest::keyClick(&desk.plot(), Qt::Key_Escape);
        QCOMPARE(desk.chosen(), chosen);

        desk.dragOverTheBest();
        auto* list = desk.find<QTableView>("runsTable");
        list->selectRow(desk.lineOf("sweep-0"));
        QTest::keyClick(&desk.plot(), Qt::Key_Escape);
        QCOMPARE(desk.chosen(), chosen);
    }
    void aDragTellsOnceABeatAndAtItsEnd() {
        const Desk desk;
        ParallelPlot& plot = desk.plot();
        QSignalSpy told(&plot, &ParallelPlot::chosenByUser);
        const QPointF from = *plot.crossing(desk.lineOf("sweep-11"), 3) - QPointF(0, 2);
        QTest::mousePress(&plot, Qt::LeftButton, {}, from.toPoint());
        for (int moved = 10; moved < 60; ++moved) {
            const QPointF to = from + QPointF(0, moved);
            QMouseEvent move(QEvent::MouseMove, to, plot.mapToGlobal(to), Qt::NoButton,
                             Qt::LeftButton, {});
            QCoreApplication::sendEvent(&plot, &move);
        }
        QCOMPARE(told.count(), 0);
        QTRY_COMPARE(told.count(), 1);
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, (from + QPointF(0, 59)).toPoint());
        QCOMPARE(told.count(), 1);  // nothing has moved since
        desk.drag(from, from + QPointF(0, 80));
        QVERIFY(told.count() >= 2);
        QCOMPARE(told.last()[0].value<QSet<int>>(), plot.chosen());
    }
    void theKeysOfTheListWorkInTheAxesToo() {
        const Desk desk;
        QVERIFY(QTest::qWaitForWindowActive(desk.page.get()));
        QCOMPARE(desk.plot().contextMenuPolicy(), Qt::ActionsContextMenu);
        desk.plot().setFocus();
        QTest::keyClick(&desk.plot(), Qt::Key_Down);
        QTest::keyClick(&desk.plot(), Qt::Key_Space);
        bool isAsked = false;
        QTimer answer;
        answer.callOnTimeout([&] {
            auto* dialog = desk.page->findChild<AboutRunDialog*>();
            if (dialog == nullptr) return;
            isAsked = true;
            dialog->reject();
        });
        answer.start(5);
        QTest::keyClick(&desk.plot(), Qt::Key_F2);
        QVERIFY(isAsked);
    }
    void keysFindAndTakeARun() {
        const Desk desk;
        desk.plot().setFocus();
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(&desk.plot(), Qt::Key_Right);
        QTest::keyClick(&desk.plot(), Qt::Key_Down);  // from the high end
        QVERIFY2(desk.plot().readout().startsWith(QLatin1String("sweep-11")),
                 qPrintable(desk.plot().readout()));
        QTest::keyClick(&desk.plot(), Qt::Key_Space);
        QCOMPARE(desk.chosen(), QStringList{QStringLiteral("sweep-11")});
        QSignalSpy opened(desk.page.get(), &RunsPage::runChosen);
        QTest::keyClick(&desk.plot(), Qt::Key_Return);
        QCOMPARE(opened.at(0).at(0).toString(), QStringLiteral("/runs/sweep-11"));
    }
    void whatIsTypedNarrowsTheLinesToo() {
        const Desk desk;
        desk.find<QLineEdit>("runsFilterEdit")->setText(QStringLiteral("learning_rate=0.01"));
        QTRY_COMPARE(desk.plot().lineCount(), 3);
    }
    void withoutADifferenceItSaysWhatIsNeeded() {
        const Desk desk(1);
        QVERIFY(!desk.plot().isVisible());
        QVERIFY(desk.find<QLabel>("runsPlotInstead")->isVisible());
    }
    void aThousandLinesAreDrawnWithinAFrame() {
        const Desk desk(RunsPageMostRuns);
        QElapsedTimer clock;
        QVector<qint64> taken;
        for (int i = 0; i < 11; ++i) {
            clock.start();
            (void)desk.plot().grab();
            taken << clock.nsecsElapsed() / 1000;
        }
        std::sort(taken.begin(), taken.end());
        qInfo("a picture of 1,000 lines: %.1f ms", double(taken[5]) / 1000);
        QCOMPARE(desk.plot().lineCount(), RunsPageMostRuns);
    }

private:
    static constexpr int RunsPageMostRuns = 1000;
};

QTEST_MAIN(RunsAxesTest)
#include "tst_runs_axes.moc"
