// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs as a workbench: found by words, told apart by their settings, deleted and taken
// back.
#include <QAction>
#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

#include "tests/ui/support/scripted_session.h"
#include "ui/bridge/job_services.h"
#include "ui/dialogs/about_run_dialog.h"
#include "ui/models/run_settings.h"
#include "ui/models/runs_model.h"
#include "ui/pages/runs/describe_run.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/share_run.h"
#include "ui/style/theme.h"
#include "ui/widgets/notice_bar.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;

namespace {

constexpr int kWait = 5000;

/// The page over the example's runs, whose folders are there.
struct Desk {
    QTemporaryDir folder;
    RunsModel model;
    QStringList running;
    std::unique_ptr<RunsPage> page;

    Desk() {
        qputenv("XDG_DATA_HOME", folder.filePath(QStringLiteral("data")).toLocal8Bit());
        QDir().mkpath(folder.filePath(QStringLiteral("data")));
        JobServices services;
        services.isRunning = [this](const std::filesystem::path& runDir) {
            return running.contains(QString::fromStdString(runDir.filename().string()));
        };
        for (const job::RunEntry& run : ExampleRun::entries(folder.path().toStdString()))
            std::filesystem::create_directories(run.runDir / "logs");
        page = std::make_unique<RunsPage>(model, services);
        list();
        QObject::connect(page.get(), &RunsPage::refreshRequested, page.get(), [this] { list(); });
        page->resize(1440, 700);  // room for all columns
        page->show();
    }

    /// The runs whose folders are there.
    void list() {
        auto runs = ExampleRun::entries(folder.path().toStdString());
        std::erase_if(
            runs, [](const job::RunEntry& run) { return !std::filesystem::exists(run.runDir); });
        for (job::RunEntry& run : runs)
            run.about = job::readAbout(run.runDir).value_or(job::RunAbout());
        model.setRuns(std::move(runs));
    }

    template <typename T>
    [[nodiscard]] T* find(const char* name) const {
        return page->findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] QTableView& table() const { return *find<QTableView>("runsTable"); }
    [[nodiscard]] int rows() const { return table().model()->rowCount(); }
    [[nodiscard]] QStringList headers() const {
        QStringList words;
        const QHeaderView* header = table().horizontalHeader();
        for (int i = 0; i < header->count(); ++i)
            if (!header->isSectionHidden(header->logicalIndex(i)))
                words << table()
                             .model()
                             ->headerData(header->logicalIndex(i), Qt::Horizontal)
                             .toString();
        return words;
    }
    void type(const char* words) const {
        find<QLineEdit>("runsFilterEdit")->setText(QLatin1String(words));
    }
    void choose(std::initializer_list<int> rows) const {
        table().clearSelection();
        for (const int row : rows)
            table().selectionModel()->select(
                table().model()->index(row, 0),
                QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    [[nodiscard]] QStringList chosen() const {
        QStringList folders;
        for (const QModelIndex& row : table().selectionModel()->selectedRows())
            folders << row.data(RunsModel::FolderRole).toString();
        return folders;
    }
    [[nodiscard]] bool isThere(int run) const {
        const auto runs = ExampleRun::entries(folder.path().toStdString());
        return std::filesystem::exists(runs[std::size_t(run)].runDir / "logs");
    }
};

}  // namespace

class RunsPageTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }
    void init() { QSettings().clear(); }

    void settingsThatDifferHaveColumnsAndTheFolderComesLast() {
        const Desk desk;
        QCOMPARE(
            desk.headers(),
            QStringList({QStringLiteral("Job"), QStringLiteral("Status"), QStringLiteral("Started"),
                         QStringLiteral("Took"), QStringLiteral("Best validation"),
                         QStringLiteral("Test score"), QStringLiteral("Data set"),
                         QStringLiteral("Global batch"), QStringLiteral("Learning rate"),
                         QStringLiteral("Seed"), QStringLiteral("Run folder")}));
        desk.type("mnist");
        // Of the two that are left only the seed differs.
        QTRY_COMPARE_WITH_TIMEOUT(
            desk.headers().mid(6),
            QStringList({QStringLiteral("Seed"), QStringLiteral("Run folder")}), kWait);
    }
    void aSettingIsToldOnceAndLayersInWords() {
        const auto runOf = [](const char* addresses, const char* processes, const char* units) {
            job::RunEntry run;
            run.settings = {{"cluster.job_addresses", addresses},
                            {"cluster.num_processes", processes},
                            {"model.layers",
                             "[\n  { type = \"conv2d\", filters = 8, padding = "
                             "\"same\" },\n  { type = \"flatten\" },\n  { type "
                             "= \"dense\", units = " +
                                 std::string(units) + " },\n]"},
                            {"checkpoint.every_steps", units}};
            return run;
        };
        std::vector<job::RunEntry> runs{runOf("[\"a:0\"]", "1", "10"),
                                        runOf("[\"a:0\", \"b:0\"]", "2", "12")};
        const QStringList keys = differingKeys({&runs[0], &runs[1]});
        QCOMPARE(keys.join(QLatin1Char(' ')),
                 QStringLiteral("cluster.job_addresses model.layers checkpoint.every_steps"));
        const job::RunEntry byNumber = runOf("[]", "3", "10");  // nobody says where they are
        QVERIFY(
            differingKeys({&runs[0], &byNumber}).contains(QStringLiteral("cluster.num_processes")));
        QCOMPARE(settingLabel(keys[2]), QStringLiteral("Checkpoint every"));

        RunsModel model;
        model.setRuns(runs);
        model.setSettingColumns(keys);
        const QModelIndex layers = model.index(1, int(RunsModel::Column::Count) + 1);
        QCOMPARE(layers.data().toString(), QStringLiteral("conv2d 8 · flatten · dense 12"));
        QVERIFY(layers.data(Qt::ToolTipRole).toString().contains(QStringLiteral("padding")));
        for (const auto column : {RunsModel::Column::Started, RunsModel::Column::Took})
            QVERIFY(model.headerData(int(column), Qt::Horizontal, Qt::ToolTipRole)
                        .toString()
                        .contains(QStringLiteral("newest start")));
    }

    void whatIsTypedFiltersByNameStatusAndSettings() {
        const Desk desk;
        const std::vector<std::pair<const char*, int>> expected{{"", 4},
                                                                {"digits", 2},
                                                                {"FAILED mnist", 1},
                                                                {"0.01", 1},
                                                                {"learning_rate=0.01", 1},
                                                                {"seed=1 mnist", 1},
                                                                {"completed", 1},
                                                                {"20261119", 2},
                                                                {"nothing", 0}};
        for (const auto& [words, rows] : expected) {
            desk.type(words);
            QVERIFY2(desk.rows() == rows, words);
        }
        QTRY_VERIFY_WITH_TIMEOUT(!desk.table().isVisible(), kWait);
        auto* all = desk.page->findChildren<QPushButton*>().last();
        for (QPushButton* button : desk.page->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Show all runs")) all = button;
        all->click();
        QCOMPARE(desk.rows(), 4);
        QTRY_VERIFY_WITH_TIMEOUT(desk.table().isVisible(), kWait);
    }
    void fiveHundredRunsAreFilteredInATenthOfASecond() {
        Desk desk;
        std::vector<job::RunEntry> runs;
        for (int i = 0; i < 500; ++i) {
            job::RunEntry run = ExampleRun::entries("/runs")[std::size_t(i % 4)];
            run.runDir = "/runs/run-" + std::to_string(i);
            for (int key = 0; key < 120; ++key)
                run.settings.push_back({"section.key_" + std::to_string(key), "0.5"});
            run.settings.push_back({"training.momentum", std::to_string(i)});
            runs.push_back(std::move(run));
        }
        desk.model.setRuns(std::move(runs));
        QTRY_COMPARE_WITH_TIMEOUT(desk.rows(), 500, kWait);
        for (const char* words : {"d", "di", "digits momentum=4", "digits momentum=44"}) {
            qint64 best = std::numeric_limits<qint64>::max();
            for (int again = 0; again < 5; ++again) {  // of a machine that may be busy
                desk.type("");
                QApplication::processEvents();
                QElapsedTimer timer;
                timer.start();
                desk.type(words);
                QApplication::processEvents();
                best = std::min(best, timer.elapsed());
            }
            QVERIFY2(best < 100, qPrintable(QString::number(best)));
        }
        QTRY_COMPARE_WITH_TIMEOUT(desk.find<QLabel>("runsCount")->text(),
                                  QStringLiteral("7 of 500"), kWait);
    }
    void columnsThatComeAndGoLeaveTheChoiceAlone() {
        const Desk desk;
        const int all = desk.rows();
        const int columns = desk.table().model()->columnCount();
        desk.choose({0, 1});
        const QStringList before = desk.chosen();
        QCOMPARE(before.size(), 2);
        const QString first = QFileInfo(before[0]).fileName();
        desk.type(first.toLatin1().constData());  // alone it differs from nothing
        QTRY_COMPARE_WITH_TIMEOUT(desk.rows(), 1, kWait);
        QTRY_VERIFY_WITH_TIMEOUT(desk.table().model()->columnCount() < columns, kWait);
        QCOMPARE(desk.chosen(), QStringList{before[0]});
        desk.type("");
        QTRY_COMPARE_WITH_TIMEOUT(desk.rows(), all, kWait);
        QTRY_COMPARE_WITH_TIMEOUT(desk.table().model()->columnCount(), columns, kWait);
        QCOMPARE(desk.chosen(), QStringList{before[0]});
        QVERIFY(desk.table().selectionModel()->isRowSelected(
            desk.table().selectionModel()->selectedRows()[0].row()));
    }
    void settingsSortAsNumbersAndWhatHasNoneComesLast() {
        const Desk desk;
        const auto column = [&desk](int logical) {
            QStringList cells;
            for (int row = 0; row < desk.rows(); ++row)
                cells << desk.table().model()->index(row, logical).data().toString();
            return cells;
        };
        const int batch = int(RunsModel::Column::Count) + 1;
        desk.table().sortByColumn(batch, Qt::DescendingOrder);
        QCOMPARE(column(batch).first(), QStringLiteral("64"));
        const int took = int(RunsModel::Column::Took);
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            desk.table().sortByColumn(took, order);
            QCOMPARE(column(took).last(), QStringLiteral("–"));
        }
    }
    void theMenuOfColumnsIsRemembered() {
        const auto choices = [](const Desk& desk) {
            QMenu* menu = desk.find<QPushButton>("settingColumns")->menu();
            Q_EMIT menu->aboutToShow();
            return menu->actions();
        };
        {
            const Desk desk;
            QAction* seed = choices(desk).last();
            QVERIFY(seed->text().contains(QStringLiteral("training.seed")) && seed->isChecked());
            seed->trigger();
            QVERIFY(!desk.headers().contains(QStringLiteral("Seed")));
        }
        const Desk next;
        QVERIFY(!next.headers().contains(QStringLiteral("Seed")));
        QVERIFY(!choices(next).last()->isChecked());
    }
    void deletedRunsGoToTheTrashAndComeBack() {
        const Desk desk;
        desk.choose({2, 3});
        const QStringList chosen = desk.chosen();
        QVERIFY(QTest::qWaitForWindowActive(desk.page.get()));
        desk.table().setFocus();
        QTest::keyClick(&desk.table(), Qt::Key_Delete);
        QTRY_COMPARE_WITH_TIMEOUT(desk.rows(), 2, kWait);
        QVERIFY(!desk.isThere(2) && !desk.isThere(3));
        const auto* notice = desk.find<NoticeBar>("runsNotice");
        QCOMPARE(notice->notice().sentence, QStringLiteral("2 runs are in the trash."));

        auto* undo = desk.find<QPushButton>("undoRemoveButton");
        QTRY_VERIFY_WITH_TIMEOUT(undo->hasFocus(), kWait);
        undo->click();

        QTRY_COMPARE_WITH_TIMEOUT(desk.rows(), 4, kWait);
        QVERIFY(desk.isThere(2) && desk.isThere(3));
        QVERIFY(!notice->isVisible());
        QCOMPARE(QSet<QString>(chosen.begin(), chosen.end()).size(), 2);
        QStringList back = desk.chosen();
        back.sort();
        QStringList before = chosen;
        before.sort();
        QCOMPARE(back, before);
    }
    void theLastOnesThatAreDeletedCanBeTakenBack() {
        const Desk desk;
        desk.choose({0, 1, 2, 3});
        desk.find<QPushButton>("removeRunsButton")->click();
        const auto* notice = desk.find<NoticeBar>("runsNotice");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QVERIFY2(notice->notice().remedy.isEmpty(), qPrintable(notice->notice().remedy));
        QTRY_COMPARE_WITH_TIMEOUT(desk.rows(), 0, kWait);
        auto* undo = desk.find<QPushButton>("undoRemoveButton");
        QTRY_VERIFY_WITH_TIMEOUT(undo->isVisible(), kWait);
        undo->click();
        QTRY_COMPARE_WITH_TIMEOUT(desk.rows(), 4, kWait);
    }
    void whatRunsOrIsOpenHereIsNotDeleted() {
        Desk desk;
        desk.running << QStringLiteral("digits-mlp-20261120-140512");
        desk.choose({0});
        desk.find<QPushButton>("removeRunsButton")->click();
        auto* notice = desk.find<NoticeBar>("runsNotice");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QVERIFY(notice->notice().remedy.contains(QStringLiteral("Stop it first")));
        QVERIFY(desk.isThere(0));

        desk.choose({1});
        desk.page->setShownRun(desk.chosen().first());
        desk.find<QPushButton>("removeRunsButton")->click();
        QCOMPARE(notice->notice().sentence, QStringLiteral("This run is open in the window."));
        QVERIFY(desk.isThere(1));
    }
    void aRunIsWrittenAsAPageOrItIsSaidWhyNot() {
        const Desk desk;
        const auto* button = desk.find<QPushButton>("shareRunButton");
        QVERIFY(!button->isEnabled());
        desk.choose({0, 1});
        QVERIFY(!button->isEnabled());
        desk.choose({0});
        QVERIFY(button->isEnabled());
        auto* share = desk.page->findChild<ShareRun*>();
        const auto* notice = desk.find<NoticeBar>("shareNotice");
        const QString page = desk.folder.filePath(QStringLiteral("run.html"));

        share->writeTo(page);
        QVERIFY(!button->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QCOMPARE(notice->notice().sentence, QStringLiteral("The page was not written."));
        QVERIFY2(notice->notice().remedy.contains(QStringLiteral("journal")),
                 qPrintable(notice->notice().remedy));
        QVERIFY(!QFile::exists(page));
        QVERIFY(button->isEnabled());

        QFile journal(desk.chosen().first() + QStringLiteral("/journal"));
        QVERIFY(journal.open(QIODevice::WriteOnly));
        journal.close();
        share->writeTo(page);
        QTRY_COMPARE_WITH_TIMEOUT(notice->notice().sentence,
                                  QStringLiteral("The run was written to run.html."), kWait);
        QVERIFY(QFile::exists(page));
        QVERIFY(desk.find<QPushButton>("openSharedPage") != nullptr);
    }
    void aRunIsCalledAndFoundByWhatIsSaidOfIt() {
        Desk desk;
        QVERIFY(!desk.headers().contains(QStringLiteral("Name")));
        desk.choose({1});
        const QString folder = desk.chosen().first();
        auto* describe = desk.page->findChild<DescribeRun*>();
        describe->keep({"the wide one", {"keep"}, "lower rate"});
        const auto isSaid = [&] {
            return job::readAbout(folder.toStdString())->name == "the wide one";
        };
        QTRY_VERIFY_WITH_TIMEOUT(isSaid(), kWait);
        QTRY_COMPARE_WITH_TIMEOUT(desk.headers().mid(0, 2),
                                  QStringList({QStringLiteral("Name"), QStringLiteral("Tags")}),
                                  kWait);
        QCOMPARE(desk.chosen(), QStringList(folder));
        for (const char* words : {"tag:ke", "wide", "lower rate", "keep"}) {
            desk.type(words);
            QCOMPARE(desk.rows(), 1);
        }
        desk.type("tag:wide");
        QCOMPARE(desk.rows(), 0);
    }
    void whatCannotBeKeptOfARunIsSaid() {
        const Desk desk;
        desk.choose({1});
        const QString file = desk.chosen().first() + QStringLiteral("/about.json");
        QVERIFY(QDir().mkpath(file));  // nothing can be written there
        desk.page->findChild<DescribeRun*>()->keep({"a", {}, {}});
        const auto* notice = desk.find<NoticeBar>("runsNotice");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QVERIFY2(notice->notice().remedy.contains(file), qPrintable(notice->notice().remedy));
    }
    void theNameIsAskedForByF2() {
        const Desk desk;
        desk.choose({1});
        desk.table().setFocus();
        QVERIFY(QTest::qWaitForWindowActive(desk.page.get()));
        QTimer answer;  // once it is asked
        answer.callOnTimeout([&desk] {
            auto* dialog = desk.page->findChild<AboutRunDialog*>();
            if (dialog == nullptr) return;
            dialog->findChild<QLineEdit*>(QStringLiteral("aboutName"))
                ->setText(QStringLiteral("mine"));
            dialog->findChild<QLineEdit*>(QStringLiteral("aboutTags"))
                ->setText(QStringLiteral("a, b a"));
            dialog->findChild<QPlainTextEdit*>(QStringLiteral("aboutNote"))
                ->setPlainText(QStringLiteral("1\n2"));
            dialog->findChild<QPushButton*>(QStringLiteral("saveAboutButton"))->click();
        });
        answer.start(5);
        QTest::keyClick(&desk.table(), Qt::Key_F2);
        const auto folder = desk.chosen().first().toStdString();
        QTRY_COMPARE_WITH_TIMEOUT(*job::readAbout(folder),
                                  (job::RunAbout{"mine", {"a", "b"}, "1\n2"}), kWait);
    }
    void whatIsToBeDoneIsOfferedForWhatIsChosen() {
        const Desk desk;
        auto* open = desk.find<QPushButton>("openRunButton");
        auto* compare = desk.find<QPushButton>("compareRunsButton");
        auto* remove = desk.find<QPushButton>("removeRunsButton");
        QVERIFY(!open->isEnabled() && !compare->isEnabled() && !remove->isEnabled());
        desk.choose({3});  // of mnist-mlp: the other one has no score
        QVERIFY(open->isEnabled() && !compare->isEnabled() && remove->isEnabled());
        desk.choose({2});  // nothing was tested, but the other one was validated
        QCOMPARE(compare->text(), QStringLiteral("Compare with the best"));
        desk.choose({0});
        QVERIFY(compare->isEnabled());
        QCOMPARE(compare->text(), QStringLiteral("Compare with the best"));
        desk.choose({0, 2});
        QVERIFY(!open->isEnabled() && compare->isEnabled() && remove->isEnabled());
        QCOMPARE(compare->text(), QStringLiteral("Compare"));
    }
};

QTEST_MAIN(RunsPageTest)
#include "tst_runs_page.moc"
