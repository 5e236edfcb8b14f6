// SPDX-License-Identifier: GPL-3.0-or-later
// The doctor's matrix on the Job page, over a doctor that says what the test wants.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "ui/models/host_check_model.h"
#include "ui/pages/job/host_check_card.h"
#include "ui/widgets/state_pill.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::doctorView;
using testsupport::WindowFixture;

class HostChecksTest : public QObject {
    Q_OBJECT
private:
    /// The window with the example, an examination under way that has found nothing yet.
    static bool start(WindowFixture& fixture, int hosts) {
        if (!fixture.openExample()) return false;
        fixture.window().show();
        fixture.doctor().publish(doctorView(hosts, 0));
        fixture.find<QAction>("checkHostsAction")->trigger();
        return QTest::qWaitFor(
            [&] {
                return fixture.find<QTableView>("hostCheckTable")->model()->rowCount() == hosts;
            },
            5000);
    }
    static bool finish(WindowFixture& fixture, int hosts) {
        fixture.doctor().publish(doctorView(hosts, hosts));
        return QTest::qWaitFor(
            [&] { return fixture.find<QPushButton>("checkHostsButton")->isVisible(); }, 5000);
    }

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void theModelKeepsToTheRulesOfModels() {
        HostCheckModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (const auto& [hosts, done] : {std::pair{3, 0}, {3, 2}, {3, 3}, {1, 1}, {16, 4}}) {
            model.setReport(std::make_shared<job::DoctorView>(doctorView(hosts, done)));
            QCOMPARE(model.rowCount(), hosts);
            QCOMPARE(model.columnCount(), 11);
        }
        model.setReport(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void aCellSaysItsStateInWordsToo() {
        HostCheckModel model;
        model.setReport(std::make_shared<job::DoctorView>(doctorView(2, 2)));
        QCOMPARE(model.index(1, 5).data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("coordinator of host2: fails, fails"));
        QCOMPARE(model.headerData(9, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("GPU"));
        QCOMPARE(model.gravestCell(), model.index(1, 5));
        QCOMPARE(model.problemsAt(model.index(1, 0)).size(), std::size_t{2});
        QVERIFY(model.problemsAt(model.index(0, 5)).empty());
    }

    void beforeTheFirstCheckTheCardSaysWhatItIsFor() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        QVERIFY(!fixture.find<QTableView>("hostCheckTable")->isVisible());
        QVERIFY(
            fixture.find<QLabel>("hostCheckHint")->text().contains(QStringLiteral("every host")));
        QVERIFY(fixture.find<QPushButton>("checkHostsButton")->isEnabled());
    }

    void theMatrixFillsInWhileHostsAnswer() {
        WindowFixture fixture;
        QVERIFY(start(fixture, 4));
        auto* table = fixture.find<QTableView>("hostCheckTable");
        QVERIFY(table->isVisible());
        QVERIFY(fixture.find<QPushButton>("cancelCheckButton")->isVisible());
        QVERIFY(!fixture.find<QPushButton>("checkHostsButton")->isVisible());
        QCOMPARE(table->model()->index(0, 1).data().toString(), QStringLiteral("…"));

        fixture.doctor().publish(doctorView(4, 2));
        QVERIFY(QTest::qWaitFor(
            [&] { return table->model()->index(1, 4).data() == QStringLiteral("eth0"); }, 5000));
        QCOMPARE(table->model()->index(3, 4).data().toString(), QStringLiteral("…"));
    }

    void theCardIsAsHighAsItsRowsInALargeWindowToo() {
        WindowFixture fixture;
        fixture.window().resize(3840, 2160);
        QVERIFY(start(fixture, 2));
        QVERIFY(finish(fixture, 2));
        auto* card = fixture.find<QWidget>("hostCheckCard");
        auto* table = fixture.find<QTableView>("hostCheckTable");
        const int rows = table->verticalHeader()->defaultSectionSize();
        QTRY_VERIFY_WITH_TIMEOUT(table->height() < 4 * rows, 5000);
        QTRY_VERIFY2_WITH_TIMEOUT(card->height() < fixture.window().height() / 4,
                                  qPrintable(QString::number(card->height())), 5000);
    }

    void whileAHostWouldStopTheJobNothingSaysReady() {
        WindowFixture fixture;
        QVERIFY(start(fixture, 2));
        QVERIFY(finish(fixture, 2));
        auto* head = fixture.find<StatePill>("statePill");
        auto* pill = fixture.find<StatePill>("jobPill");
        QTRY_VERIFY_WITH_TIMEOUT(!head->word().startsWith(QLatin1String("Ready")), 5000);
        QVERIFY(pill->isVisible());
        QVERIFY(!pill->word().startsWith(QLatin1String("Ready")));
        QVERIFY(!fixture.find<QLabel>("jobSummary")->text().isEmpty());

        // What was found is of the job as it was.
        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("3"));
        QCOMPARE(head->word(), QStringLiteral("Ready"));
    }
    void theKeysSayWhyNothingHappens() {
        WindowFixture fixture;
        fixture.window().show();
        auto* notice = fixture.find<NoticeBar>("noticeBar");
        fixture.find<QAction>("checkHostsAction")->trigger();
        QVERIFY(notice->isVisible());
        QCOMPARE(notice->notice().remedy, QStringLiteral("Open a job first."));
        QVERIFY(fixture.openExample());
        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("-3"));
        for (const char* action : {"checkHostsAction", "launchAction"}) {
            notice->clear();
            fixture.find<QAction>(action)->trigger();
            QVERIFY2(notice->isVisible(), action);
            QVERIFY2(notice->notice().remedy.contains(QStringLiteral("Epochs")),
                     qPrintable(notice->notice().remedy));
        }
        QCOMPARE(fixture.calls().launches, 0);
    }
    void theGravestProblemIsShownWithItsWayOut() {
        WindowFixture fixture;
        QVERIFY(start(fixture, 2));
        QVERIFY(finish(fixture, 2));
        QCOMPARE(fixture.find<QLabel>("hostCheckTitle")->text(),
                 QStringLiteral("Coordinator on host2"));
        QVERIFY(fixture.find<QLabel>("problemSentence0")
                    ->text()
                    .contains(QStringLiteral("python3 (pid 41)")));
        QTest::mouseClick(fixture.find<QPushButton>("problemCopy0"), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("ssh host2 'kill 41'"));
    }

    void aFixOfTheJobFileIsOneClickAndCanBeTakenBack() {
        WindowFixture fixture;
        QVERIFY(start(fixture, 2));
        QVERIFY(finish(fixture, 2));
        JobEditor& editor = fixture.editor();
        const QString before = editor.text();
        QTest::mouseClick(fixture.find<QPushButton>("problemChange0"), Qt::LeftButton);
        QCOMPARE(editor.spec().cluster.jobAddresses.size(), std::size_t{1});
        editor.undoStack().undo();
        QCOMPARE(editor.text(), before);
    }

    void cellsAreReachedAndReadByKeyboard() {
        WindowFixture fixture;
        QVERIFY(start(fixture, 2));
        QVERIFY(finish(fixture, 2));
        auto* table = fixture.find<QTableView>("hostCheckTable");
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Left);
        QTest::keyClick(table, Qt::Key_Left);
        QCOMPARE(fixture.find<QLabel>("hostCheckTitle")->text(), QStringLiteral("Clock on host2"));
        QVERIFY(
            fixture.find<QLabel>("problemSentence0")->text().contains(QStringLiteral("90.0 s")));
        QTest::keyClick(table, Qt::Key_Up);
        QCOMPARE(fixture.find<QLabel>("hostCheckFound")->text(),
                 QStringLiteral("Found as it should be."));
    }

    void aJobThatChangedSinceIsSaidToBeOld() {
        WindowFixture fixture;
        QVERIFY(start(fixture, 2));
        QVERIFY(finish(fixture, 2));
        const auto said = [&] {
            for (const QLabel* label :
                 fixture.find<HostCheckCard>("hostCheckCard")->findChildren<QLabel*>())
                if (label->text().contains(QStringLiteral("changed since"))) return true;
            return false;
        };
        QVERIFY(!said());
        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("7"));
        QVERIFY(said());
    }

    void cancelReachesTheDoctor() {
        WindowFixture fixture;
        QVERIFY(start(fixture, 4));
        QTest::mouseClick(fixture.find<QPushButton>("cancelCheckButton"), Qt::LeftButton);
        const std::lock_guard lock(fixture.doctor().mutex);
        QVERIFY(fixture.doctor().cancelled);
    }

    void anotherJobForgetsWhatWasFound() {
        WindowFixture fixture;
        QVERIFY(start(fixture, 2));
        QVERIFY(finish(fixture, 2));
        fixture.editor().open(QStringLiteral("other.toml"), QStringLiteral("[job]\n"));
        QVERIFY(!fixture.find<QTableView>("hostCheckTable")->isVisible());
    }
};

QTEST_MAIN(HostChecksTest)
#include "tst_host_checks.moc"
