// SPDX-License-Identifier: GPL-3.0-or-later
// Which columns of the list of runs there is room for.
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QTableView>
#include <QtTest>

#include "tests/ui/support/scripted_session.h"
#include "ui/bridge/job_services.h"
#include "ui/models/metric_words.h"
#include "ui/models/runs_model.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;

namespace {

constexpr int kWait = 5000;

/// The page over the example's runs, which four settings tell apart.
struct Desk {
    Desk() {
        page = std::make_unique<RunsPage>(model, JobServices{});
        model.setRuns(ExampleRun::entries("/runs"));
        page->resize(1180, 700);
        page->show();
    }
    template <typename T>
    [[nodiscard]] T* find(const char* name) const {
        return page->findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] QTableView& table() const { return *find<QTableView>("runsTable"); }
    [[nodiscard]] QStringList headers() const {
        QStringList words;
        const QHeaderView* header = table().horizontalHeader();
        for (int column = 0; column < header->count(); ++column)
            if (!header->isSectionHidden(column))
                words << table().model()->headerData(column, Qt::Horizontal).toString();
        return words;
    }

    RunsModel model;
    std::unique_ptr<RunsPage> page;
};

}  // namespace

class RunsColumnsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }
    void init() { QSettings().clear(); }

    void columnsGiveWayBeforeTheTableScrolls() {
        const Desk desk;
        const QHeaderView* header = desk.table().horizontalHeader();
        const auto isWhole = [&](RunsModel::Column column) {
            auto& view = static_cast<QAbstractItemView&>(desk.table());
            return !header->isSectionHidden(int(column)) &&
                   header->sectionSize(int(column)) >= view.sizeHintForColumn(int(column));
        };
        for (const int width : {1180, 1400, 1160, 1000, 900, 800, 700, 1000, 800, 1180}) {
            desk.page->resize(width, 700);
            QTRY_COMPARE_WITH_TIMEOUT(desk.table().horizontalScrollBar()->maximum(), 0, kWait);
            QTRY_COMPARE_WITH_TIMEOUT(header->length(), desk.table().viewport()->width(), kWait);
            QVERIFY2(isWhole(RunsModel::Column::Name), qPrintable(QString::number(width)));
            QVERIFY2(isWhole(RunsModel::Column::Status), qPrintable(QString::number(width)));
        }
    }
    void whatThereIsNoRoomForIsSaidAndComesBack() {
        const Desk desk;
        auto* columns = desk.find<QPushButton>("settingColumns");
        const auto entries = [columns] {
            Q_EMIT columns->menu()->aboutToShow();
            return columns->menu()->actions();
        };
        desk.page->resize(1500, 700);
        QTRY_VERIFY(desk.headers().contains(QStringLiteral("Run folder")));
        QVERIFY(!columns->toolTip().contains(QStringLiteral("No room")));
        QVERIFY(entries().front()->isEnabled());
        const QStringList all = desk.headers();

        desk.page->resize(800, 700);
        QTRY_VERIFY(!desk.headers().contains(QStringLiteral("Run folder")));
        for (const QString& heading : all) {
            const bool isShown = desk.headers().contains(heading);
            QCOMPARE(columns->toolTip().contains(heading), !isShown);
            QCOMPARE(entries().front()->text().contains(heading), !isShown);
        }
        QVERIFY(!entries().front()->isEnabled());
        // Room that a setting leaves is another column's.
        for (int width = 1500; width > 700 && desk.headers().contains(QStringLiteral("Took"));
             width -= 20) {
            desk.page->resize(width, 700);
            QCoreApplication::processEvents();
        }
        QTRY_VERIFY(!desk.headers().contains(QStringLiteral("Took")));
        for (QAction* entry : entries())
            if (entry->isCheckable() && entry->isChecked()) entry->setChecked(false);
        QTRY_VERIFY(desk.headers().contains(QStringLiteral("Took")));
    }
    void theValidationCurveIsDrawnAndSaidInWords() {
        Desk desk;
        desk.page->resize(1500, 700);
        const QHeaderView* header = desk.table().horizontalHeader();
        const int curve = int(RunsModel::Column::Curve);
        QVERIFY(header->isSectionHidden(curve));  // no run has one
        auto runs = ExampleRun::entries("/runs");
        runs[1].validationCurve = {0.5, 0.9688, 0.9};  // beside its score
        desk.model.setRuns(runs);
        QTRY_VERIFY(!header->isSectionHidden(curve));
        QCOMPARE(header->visualIndex(curve),
                 header->visualIndex(int(RunsModel::Column::Validation)) + 1);
        const QModelIndex cell = desk.model.index(1, curve);
        QVERIFY(cell.data().toString().isEmpty());
        QCOMPARE(cell.data(RunsModel::CurveRole).value<QList<float>>().size(), 3);
        QCOMPARE(cell.data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("Accuracy of the validation data: first %1, best %2, last %3")
                     .arg(metricValue("accuracy", 0.5), metricValue("accuracy", 0.9688),
                          metricValue("accuracy", 0.9)));
        QVERIFY(desk.model.index(0, curve).data(Qt::AccessibleTextRole).toString().isEmpty());

        const auto inkOf = [&](int row) {
            const QModelIndex shown =
                desk.table().model()->index(row, curve);  // the newest first, as in the model
            const QImage picture =
                desk.table().viewport()->grab(desk.table().visualRect(shown)).toImage();
            QSet<QRgb> colours;
            for (int x = 4; x < picture.width() - 4; ++x)
                for (int y = 4; y < picture.height() - 4; ++y)
                    colours.insert(picture.pixel(x, y));
            return colours.size();
        };
        QCOMPARE(inkOf(0), qsizetype{1});
        QVERIFY(inkOf(1) > 1);
    }
    void aLongNameIsCutBeforeTheDateOrTheScoreGoes() {
        Desk desk;
        auto runs = ExampleRun::entries("/runs");
        runs.front().name = "a-residual-network-of-twenty-layers-on-cifar-10-with-a-long-name";
        desk.model.setRuns(runs);
        desk.page->resize(800, 700);
        const QHeaderView* header = desk.table().horizontalHeader();
        QTRY_VERIFY(header->isSectionHidden(int(RunsModel::Column::Folder)));
        QTRY_COMPARE_WITH_TIMEOUT(desk.table().horizontalScrollBar()->maximum(), 0, kWait);
        for (const auto column : {RunsModel::Column::Name, RunsModel::Column::Status,
                                  RunsModel::Column::Started, RunsModel::Column::Score})
            QVERIFY(!header->isSectionHidden(int(column)));
        // The tip has what is cut.
        const QModelIndex first = desk.table().model()->index(0, int(RunsModel::Column::Name));
        QVERIFY(first.data(Qt::ToolTipRole)
                    .toString()
                    .contains(QString::fromStdString(runs.front().name)));
    }
};

QTEST_MAIN(RunsColumnsTest)
#include "tst_runs_columns.moc"
