// SPDX-License-Identifier: GPL-3.0-or-later
// The hosts of a job over ssh as a table that writes the job file, and is written by it.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "ui/models/host_table_model.h"
#include "ui/models/ssh_names.h"
#include "ui/pages/job/host_check_card.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::doctorView;
using testsupport::kWait;
using testsupport::WindowFixture;

namespace {

using Cell = HostTableModel::Column;
using Texts = std::vector<std::string>;

/// A job with these lines in [cluster] and [launch].
QString jobOf(const char* cluster, const char* launch = "") {
    return QStringLiteral(
               "[job]\nname = \"hosts\"\n\n[cluster]\n%1\n\n[data]\ndataset = \"digits\"\n\n"
               "[model]\nlayers = [{ type = \"dense\", units = 10 }]\n\n[launch]\n"
               "method = \"ssh\"\n%2\n")
        .arg(QString::fromUtf8(cluster), QString::fromUtf8(launch));
}

/// The cells of a column, from the top.
QStringList cellsOf(const QTableView& table, Cell column) {
    QStringList cells;
    for (int row = 0; row < table.model()->rowCount(); ++row)
        cells << table.model()->index(row, int(column)).data().toString();
    return cells;
}

/// The window with a job of hosts.
struct Desk {
    explicit Desk(const QString& text = {}) {
        if (fixture.showExample() && !text.isEmpty()) fixture.editor().setText(text);
        table = fixture.find<QTableView>("hostTable");
        std::ignore = QTest::qWaitForWindowActive(&fixture.window());
        table->setFocus();
        if (table->model()->rowCount() > 0) choose(0);
    }
    void choose(int row, Cell column = Cell::Host) const {
        table->setCurrentIndex(table->model()->index(row, int(column)));
    }
    [[nodiscard]] QLineEdit* cell() const {
        return table->findChild<QLineEdit*>(QStringLiteral("hostCellEdit"));
    }
    /// Types a name into the cell that is open, and Return.
    void type(const char* name) const {
        QVERIFY(cell());
        QTest::keyClicks(cell(), QLatin1String(name));
        QTest::keyClick(cell(), Qt::Key_Return);
        QTRY_VERIFY(cell() == nullptr);
    }
    void set(int row, Cell column, const QVariant& value) const {
        QVERIFY(
            table->model()->setData(table->model()->index(row, int(column)), value, Qt::EditRole));
    }
    [[nodiscard]] const config::JobSpec& spec() { return fixture.editor().spec(); }
    [[nodiscard]] QStringList addresses() {
        QStringList all;
        for (const config::Address& address : spec().cluster.jobAddresses)
            all << QString::fromStdString(config::toString(address));
        return all;
    }
    [[nodiscard]] QString problems() {
        const auto* label = fixture.find<QLabel>("hostProblems");
        return label->isVisible() ? label->text() : QString();
    }

    WindowFixture fixture;
    QTableView* table = nullptr;
};

}  // namespace

class HostTableTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void aLocalJobHasProcessesAndOneOverSshHosts() {
        Desk desk;
        auto& fixture = desk.fixture;
        QVERIFY(!desk.table->isVisible());
        QVERIFY(fixture.find<QTableView>("clusterTable")->isVisible());
        fixture.editor().setText(jobOf("job_addresses = [\"gpu1:0\", \"gpu2:0\"]"));
        QVERIFY(desk.table->isVisible());
        QVERIFY(!fixture.find<QTableView>("clusterTable")->isVisible());
        QCOMPARE(cellsOf(*desk.table, Cell::Host), (QStringList{"gpu1", "gpu2", "gpu1"}));
        QCOMPARE(cellsOf(*desk.table, Cell::Part), (QStringList{"trains", "trains", "evaluator"}));
    }

    void withoutAHostItSaysHowToNameOne() {
        Desk desk;
        auto& fixture = desk.fixture;
        fixture.editor().setValue(QStringLiteral("launch.method"), QStringLiteral("ssh"));
        auto* empty = fixture.find<QLabel>("hostsEmpty");
        QVERIFY(empty->isVisible() && !desk.table->isVisible());
        QVERIFY(empty->text().contains(QStringLiteral("Add host")));

        fixture.find<QPushButton>("addHostButton")->click();
        QVERIFY(!empty->isVisible() && desk.cell() != nullptr);
        desk.type("gpu1");

        QCOMPARE(desk.addresses(), QStringList{"gpu1:0"});
        desk.choose(0);
        fixture.find<QPushButton>("removeHostButton")->click();
        QCOMPARE(desk.addresses(), QStringList{"127.0.0.1:0"});
        QVERIFY(empty->isVisible() && !desk.table->isVisible());
    }

    void hostsAreNamedRemovedAndMovedByKeysAlone() {
        Desk desk(jobOf("job_addresses = [\"gpu1:0\"]"));
        for (const char* name : {"gpu2", "gpu3"}) {
            QTest::keyClick(desk.table, Qt::Key_Insert);
            desk.type(name);
            QVERIFY(desk.table->hasFocus());
        }
        QCOMPARE(desk.addresses(), (QStringList{"gpu1:0", "gpu2:0", "gpu3:0"}));
        QCOMPARE(desk.table->currentIndex().row(), 2);
        QTest::keyClick(desk.table, Qt::Key_Up, Qt::AltModifier);
        QTest::keyClick(desk.table, Qt::Key_Up, Qt::AltModifier);
        QTest::keyClick(desk.table, Qt::Key_Up, Qt::AltModifier);  // it is the first
        QCOMPARE(desk.addresses(), (QStringList{"gpu3:0", "gpu1:0", "gpu2:0"}));
        QCOMPARE(desk.table->currentIndex().row(), 0);
        QTest::keyClick(desk.table, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(desk.addresses(), (QStringList{"gpu1:0", "gpu3:0", "gpu2:0"}));
        QTest::keyClick(desk.table, Qt::Key_Delete);
        QCOMPARE(desk.addresses(), (QStringList{"gpu1:0", "gpu2:0"}));

        // One step each, as of every field.
        desk.fixture.editor().undoStack().undo();
        QCOMPARE(desk.addresses(), (QStringList{"gpu1:0", "gpu3:0", "gpu2:0"}));
        desk.fixture.editor().undoStack().undo();
        QCOMPARE(desk.addresses(), (QStringList{"gpu3:0", "gpu1:0", "gpu2:0"}));
        QCOMPARE(cellsOf(*desk.table, Cell::Host), (QStringList{"gpu3", "gpu1", "gpu2", "gpu3"}));
    }

    void aHostThatIsBegunAndNotNamedIsInNoFile() {
        Desk desk(jobOf("job_addresses = [\"gpu1:0\"]"));
        const QString before = desk.fixture.editor().text();
        QTest::keyClick(desk.table, Qt::Key_Insert);
        QCOMPARE(desk.table->model()->rowCount(), 3);
        QTest::keyClicks(desk.cell(), QStringLiteral("gp"));
        QTest::keyClick(desk.cell(), Qt::Key_Escape);
        QTRY_COMPARE(desk.table->model()->rowCount(), 2);
        QCOMPARE(desk.fixture.editor().text(), before);
    }

    void loginAndAddressAreTwoThings() {
        Desk desk(jobOf("job_addresses = [\"gpu1:0\", \"gpu2:7000\"]"));
        // Another host: its address goes with it, and keeps its port.
        desk.set(1, Cell::Host, QStringLiteral("gpu9"));
        QCOMPARE(desk.addresses(), (QStringList{"gpu1:0", "gpu9:7000"}));
        QVERIFY(desk.spec().launch.hosts.empty());
        // What no address can say is written where ssh looks.
        desk.set(1, Cell::Host, QStringLiteral("alice@gpu2"));
        QCOMPARE(desk.addresses(), (QStringList{"gpu1:0", "gpu2:7000"}));
        QCOMPARE(desk.spec().launch.hosts, (Texts{"gpu1", "alice@gpu2"}));
        desk.set(0, Cell::Address, QStringLiteral("10.0.0.1"));
        QCOMPARE(desk.addresses(), (QStringList{"10.0.0.1:0", "gpu2:7000"}));
        desk.set(0, Cell::Host, QStringLiteral("gpu5"));
        QCOMPARE(desk.addresses(), (QStringList{"10.0.0.1:0", "gpu2:7000"}));
        QCOMPARE(desk.spec().launch.hosts, (Texts{"gpu5", "alice@gpu2"}));
        desk.set(0, Cell::Address, QStringLiteral("fe80::1"));
        QCOMPARE(desk.addresses().front(), QStringLiteral("[fe80::1]:0"));
        QCOMPARE(cellsOf(*desk.table, Cell::Address).front(), QStringLiteral("fe80::1"));
        desk.set(0, Cell::Address, QString());
        QCOMPARE(desk.addresses().front(), QStringLiteral("gpu5:0"));
    }

    void theProcessesOfAHostAreOneRow() {
        Desk desk(
            jobOf("job_addresses = [\"gpu1:0\", \"gpu1:0\", \"gpu2:7000\", \"gpu2:7001\"]\n"
                  "evaluator = false"));
        QCOMPARE(cellsOf(*desk.table, Cell::Host), (QStringList{"gpu1", "gpu2", "gpu2"}));
        QCOMPARE(cellsOf(*desk.table, Cell::Processes), (QStringList{"2", "1", "1"}));
        const auto* model = desk.table->model();
        QVERIFY(model->flags(model->index(0, int(Cell::Processes))) & Qt::ItemIsEditable);
        // Two processes have no port in common.
        QVERIFY(!(model->flags(model->index(1, int(Cell::Processes))) & Qt::ItemIsEditable));

        desk.choose(0, Cell::Processes);
        QTest::keyClick(desk.table, Qt::Key_F2);
        auto* count = desk.table->findChild<QSpinBox*>();
        QVERIFY(count);
        count->selectAll();
        QTest::keyClicks(count, QStringLiteral("3"));
        QTest::keyClick(count, Qt::Key_Return);
        QCOMPARE(desk.addresses(),
                 (QStringList{"gpu1:0", "gpu1:0", "gpu1:0", "gpu2:7000", "gpu2:7001"}));
        QCOMPARE(desk.spec().cluster.numProcesses, 5);
    }

    void aJobThatGivesTheCoordinatorAloneGoesOnDoingSo() {
        Desk desk(jobOf("job_addresses = [\"gpu1:7000\"]\nnum_processes = 3\nevaluator = false",
                        "hosts = [\"gpu1\", \"gpu2\", \"gpu3\"]"));
        QCOMPARE(cellsOf(*desk.table, Cell::Host), (QStringList{"gpu1", "gpu2", "gpu3"}));
        desk.choose(2);
        QTest::keyClick(desk.table, Qt::Key_Delete);
        QCOMPARE(desk.addresses(), QStringList{"gpu1:7000"});
        QCOMPARE(desk.spec().cluster.numProcesses, 2);
        QCOMPARE(desk.spec().launch.hosts, (Texts{"gpu1", "gpu2"}));
        QVERIFY(!desk.fixture.editor().hasErrors());
    }

    void aSpareTrainsOnceItIsAskedTo() {
        Desk desk(jobOf("job_addresses = [\"gpu1:0\", \"gpu2:0\"]\nevaluator = \"gpu3:0\""));
        desk.fixture.find<QPushButton>("addSpareButton")->click();
        desk.type("alice@gpu4");
        QCOMPARE(desk.spec().launch.spares, Texts{"alice@gpu4"});
        QCOMPARE(cellsOf(*desk.table, Cell::Part),
                 (QStringList{"trains", "trains", "evaluator", "spare"}));
        QVERIFY(desk.fixture.find<QWidget>("spareAfterEdit")->isVisible());

        desk.choose(1, Cell::Part);
        QTest::keyClick(desk.table, Qt::Key_F2);
        auto* part = desk.table->findChild<QComboBox*>(QStringLiteral("hostPartEdit"));
        QVERIFY(part);
        QTest::keyClick(part, Qt::Key_Down);
        QTest::keyClick(part, Qt::Key_Return);
        QTRY_COMPARE(desk.spec().launch.spares, (Texts{"alice@gpu4", "gpu2"}));
        QCOMPARE(desk.addresses(), QStringList{"gpu1:0"});
        // Somebody has to train.
        const auto* model = desk.table->model();
        QVERIFY(!(model->flags(model->index(0, int(Cell::Part))) & Qt::ItemIsEditable));
        desk.set(2, Cell::Part, HostTableModel::partWord(HostRow::Part::Trains));
        QCOMPARE(desk.addresses(), (QStringList{"gpu1:0", "gpu4:0"}));
        QCOMPARE(desk.spec().launch.hosts, (Texts{"gpu1", "alice@gpu4"}));
    }

    void theEvaluatorGoesWithTheWorkersOfItsHost() {
        Desk desk(jobOf("job_addresses = [\"10.0.0.1:0\", \"gpu2:0\"]\nevaluator = \"gpu2:0\"",
                        "hosts = [\"gpu1\", \"bob@gpu2\"]"));
        QCOMPARE(cellsOf(*desk.table, Cell::Host), (QStringList{"gpu1", "bob@gpu2", "bob@gpu2"}));
        desk.set(1, Cell::Host, QStringLiteral("bob@gpu7"));
        QCOMPARE(QString::fromStdString(config::toString(*desk.spec().cluster.evaluatorAddress)),
                 QStringLiteral("gpu7:0"));
        desk.set(2, Cell::Host, QStringLiteral("gpu1"));
        QCOMPARE(QString::fromStdString(config::toString(*desk.spec().cluster.evaluatorAddress)),
                 QStringLiteral("10.0.0.1:0"));
        desk.set(2, Cell::Address, QString());
        QVERIFY(!desk.spec().cluster.evaluatorAddress && desk.spec().cluster.evaluator);
        QCOMPARE(cellsOf(*desk.table, Cell::Address).last(), QStringLiteral("with the chief"));
        desk.choose(2);
        QTest::keyClick(desk.table, Qt::Key_Delete);
        QVERIFY(!desk.spec().cluster.evaluator);
    }

    void whatIsWrongIsSaidWhileItIsTyped() {
        Desk desk(
            jobOf("job_addresses = [\"gpu1:0\", \"gpu2:0\"]", "hosts = [\"gpu1\", \"gpu2\"]"));
        const QString before = desk.fixture.editor().text();
        desk.choose(1);
        QTest::keyClick(desk.table, Qt::Key_F2);
        QLineEdit* cell = desk.cell();
        QVERIFY(cell);
        cell->selectAll();
        QTest::keyClicks(cell, QStringLiteral("-x"));
        QVERIFY2(desk.problems().contains(QStringLiteral("begins with '-'")),
                 qPrintable(desk.problems()));
        QVERIFY(cell->property("invalid").toBool());
        QCOMPARE(desk.fixture.editor().text(), before);
        cell->selectAll();
        QTest::keyClicks(cell, QStringLiteral("GPU1"));
        QVERIFY2(desk.problems().contains(QStringLiteral("one host under two names")),
                 qPrintable(desk.problems()));
        cell->selectAll();
        QTest::keyClicks(cell, QStringLiteral("gpu3"));
        QVERIFY(!cell->property("invalid").toBool());
        QVERIFY2(!desk.problems().contains(QStringLiteral("two names")),
                 qPrintable(desk.problems()));
        QTest::keyClick(cell, Qt::Key_Return);
        QTRY_COMPARE(desk.spec().launch.hosts, (Texts{"gpu1", "gpu3"}));

        // What is written all the same stays in sight, with its mark.
        desk.set(0, Cell::Address, QStringLiteral("gpu1:x"));
        QVERIFY(desk.fixture.editor().hasErrors());
        QCOMPARE(cellsOf(*desk.table, Cell::Address).front(), QStringLiteral("gpu1:x"));
        QCOMPARE(desk.table->model()->index(0, 0).data(HostTableModel::SeverityRole).toInt(),
                 int(config::Severity::Error));
        QVERIFY(desk.problems().contains(QStringLiteral("The address of process 0")));

        // A note is not red because something else is wrong.
        desk.fixture.editor().setText(
            jobOf(R"(job_addresses = ["gpu1:0", "gpu1:0", "gpu2:0"])", R"(spares = ["gpu5"])"));
        const QString note = desk.fixture.find<QLabel>("hostNotes")->text();
        QVERIFY2(note.contains(QStringLiteral("unequal")), qPrintable(note));
        QVERIFY(desk.problems().contains(QStringLiteral("Spare")) &&
                !desk.problems().contains(note));
    }

    void theTextBesideSaysTheSame() {
        const char* commented =
            "# all of them in rack 4\njob_addresses = [\n  \"gpu1:0\",  # the quiet one\n"
            "  \"gpu2:0\",\n]\nheartbeat_timeout_seconds = 12  # slow network";
        Desk desk(jobOf(commented));
        QTest::mouseClick(desk.fixture.find<QAbstractButton>("previewFold"), Qt::LeftButton);
        auto* text = desk.fixture.find<QPlainTextEdit>("jobTextEdit");
        QTest::keyClick(desk.table, Qt::Key_Insert);
        desk.type("gpu3");
        QVERIFY2(text->toPlainText().contains(
                     QStringLiteral("job_addresses = [\n  \"gpu1:0\",  # the quiet one\n")),
                 qPrintable(text->toPlainText()));
        for (const char* kept : {"# all of them in rack 4", "# slow network", "\"gpu3:0\""})
            QVERIFY2(text->toPlainText().contains(QLatin1String(kept)),
                     qPrintable(text->toPlainText()));

        text->setPlainText(
            text->toPlainText().replace(QStringLiteral("gpu2"), QStringLiteral("gpu8")));
        QVERIFY(cellsOf(*desk.table, Cell::Host).contains(QStringLiteral("gpu8")));
        text->setPlainText(text->toPlainText() + QStringLiteral("\n[launch"));
        QVERIFY(!desk.table->isEnabled());
        QVERIFY(cellsOf(*desk.table, Cell::Host).contains(QStringLiteral("gpu8")));
    }

    void eachHostShowsHowItWasExaminedLast() {
        Desk desk(jobOf("job_addresses = [\"host1:0\", \"host2:0\", \"other:0\"]"));
        const auto* model = desk.table->model();
        QCOMPARE(model->index(0, 0).data(HostTableModel::CheckRole).toInt(), -1);
        auto* checks = desk.fixture.find<HostCheckCard>("hostCheckCard");
        checks->showStarted();
        checks->showReport(std::make_shared<job::DoctorView>(doctorView(2, 2)));
        QCOMPARE(model->index(1, 0).data(HostTableModel::CheckRole).toInt(),
                 int(job::CheckState::Failure));
        QCOMPARE(model->index(0, 0).data(HostTableModel::CheckRole).toInt(),
                 int(job::CheckState::Ok));
        QCOMPARE(model->index(2, 0).data(HostTableModel::CheckRole).toInt(), -1);
        const QString tip = model->index(1, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("port 7777 on host2")), qPrintable(tip));
        QVERIFY(!tip.contains(QStringLiteral("check again")));
        QVERIFY(model->index(1, 0).data(Qt::AccessibleTextRole).toString().contains(tip));
        desk.fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("3"));
        QVERIFY(model->index(1, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("check again")));
    }

    void whatIsTypedOutlivesWhatComesMeanwhile() {
        Desk desk(jobOf("job_addresses = [\"host1:0\", \"host2:0\"]"));
        auto* checks = desk.fixture.find<HostCheckCard>("hostCheckCard");
        const auto report = std::make_shared<job::DoctorView>(doctorView(2, 2));
        QTest::keyClick(desk.table, Qt::Key_F2);
        desk.cell()->selectAll();
        QTest::keyClicks(desk.cell(), QStringLiteral("gpu"));
        QSignalSpy changes(desk.table->model(), &QAbstractItemModel::dataChanged);
        checks->showStarted();
        checks->showReport(report);
        QCOMPARE(desk.cell()->text(), QStringLiteral("gpu"));
        QVERIFY(!changes.isEmpty());
        for (const auto& change : changes)  // of the checks alone
            QVERIFY(change.at(2).value<QList<int>>().first() >= HostTableModel::CheckRole);
        changes.clear();
        checks->showReport(report);
        QVERIFY(changes.isEmpty());
        QTest::keyClick(desk.cell(), Qt::Key_Escape);
        QTRY_VERIFY(desk.cell() == nullptr);

        // A row that was begun, too.
        QTest::keyClick(desk.table, Qt::Key_Insert);
        QTest::keyClicks(desk.cell(), QStringLiteral("gpu"));
        desk.fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("3"));
        QVERIFY(desk.cell());
        QCOMPARE(desk.cell()->text(), QStringLiteral("gpu"));
        QCOMPARE(desk.table->model()->rowCount(), 4);
        desk.type("7");
        QCOMPARE(desk.addresses(), (QStringList{"host1:0", "gpu7:0", "host2:0"}));
    }

    void namesOfTheSshSettingsAreOffered() {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& text) {
            QFile file(folder.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        const QByteArray more = folder.filePath(QStringLiteral("more")).toUtf8();
        write("ssh",
              "# Host old\nHost gpu1 gpu2 *.lab !gpu9\n  User ada\nhost=\"big one\"\n"
              "Match host gpu7\nInclude " +
                  more + "\nInclude " + more + "\n");
        write("more", "Host frontal GPU3\nHost *\n");
        QCOMPARE(sshNames(folder.filePath(QStringLiteral("ssh"))),
                 (QStringList{"big one", "frontal", "gpu1", "gpu2", "GPU3"}));
        QCOMPARE(sshNames(folder.filePath(QStringLiteral("none"))), QStringList());
        QCOMPARE(sshNames(folder.path()), QStringList());

        Desk desk(jobOf("job_addresses = [\"gpu1:0\"]"));
        desk.fixture.editor().setValue(QStringLiteral("launch.ssh_config"),
                                       folder.filePath(QStringLiteral("ssh")));
        QTest::keyClick(desk.table, Qt::Key_Insert);
        QCompleter* offers = desk.cell()->completer();
        QVERIFY(offers);
        QTRY_COMPARE_WITH_TIMEOUT(offers->model()->rowCount(), 5, kWait);
        QTest::keyClicks(desk.cell(), QStringLiteral("tal"));
        QCOMPARE(offers->currentCompletion(), QStringLiteral("frontal"));
        QTest::keyClick(desk.cell(), Qt::Key_Escape);
    }

    void theModelKeepsToTheRulesOfModels() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        HostTableModel model(fixture.editor());
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        fixture.editor().setText(jobOf("job_addresses = [\"a:0\", \"b:0\"]", "spares = [\"c\"]"));
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.beginRow(HostRow::Part::Trains, 0), 1);
        model.dropBegun();
        QCOMPARE(model.beginRow(HostRow::Part::Spare, 0), 4);
        QVERIFY(model.setData(model.index(4, 0), QStringLiteral("d"), Qt::EditRole));
        QVERIFY(!model.begun());
        model.moveHost(4, -1);
        QCOMPARE(fixture.editor().spec().launch.spares, (Texts{"d", "c"}));
        model.removeHost(3);
        QCOMPARE(fixture.editor().spec().launch.spares, Texts{"c"});
    }
};

QTEST_MAIN(HostTableTest)
#include "tst_host_table.moc"
