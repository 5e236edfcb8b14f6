// SPDX-License-Identifier: GPL-3.0-or-later
// Where one begins: the runs that go on, those that ended last, and how to get a job.
#include <QLabel>
#include <QStackedWidget>
#include <QtTest>
#include <atomic>

#include "tests/ui/shell/window_fixture.h"
#include "ui/pages/home/home_page.h"
#include "ui/pages/home/run_row.h"
#include "ui/style/units.h"
#include "ui/widgets/navigation_rail.h"
#include "ui/widgets/notice_bar.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::WindowFixture;

namespace {

job::RunEntry runOf(const std::string& name, double started, const std::string& status) {
    job::RunEntry run{"/runs/" + name, name, name, status == "running", status, started, {}};
    if (status == "completed") {
        run.tookSeconds = 125;
        run.testScore = job::Score{"accuracy", 0.9731, true};
    }
    return run;
}

RunRow* rowOf(WindowFixture& fixture, int number) {
    return fixture.window().findChild<RunRow*>(QStringLiteral("homeRun%1").arg(number));
}

MainWindow::Page shownPage(WindowFixture& fixture) {
    return MainWindow::Page(fixture.window().findChild<NavigationRail*>()->current());
}

}  // namespace

class HomePageTest : public QObject {
    Q_OBJECT
private slots:
    void theWindowBeginsAtHomeAndSaysWhatWillBeThere() {
        WindowFixture fixture;
        fixture.window().show();
        QCOMPARE(shownPage(fixture), MainWindow::Page::Home);
        QVERIFY(fixture.find<QLabel>("noRunsLabel")->isVisible());
        QVERIFY(!fixture.find<QWidget>("runningCard")->isVisible());
    }

    void aJobThatIsGivenIsShownAtOnce() {
        MainWindow::Options options;
        options.openJob = QStringLiteral("/nowhere/job.toml");
        WindowFixture fixture(options);
        fixture.window().show();
        QCOMPARE(shownPage(fixture), MainWindow::Page::Job);
    }

    void runsThatGoOnComeFirstAndArePressedToFollow() {
        const double now = double(QDateTime::currentMSecsSinceEpoch()) / 1000;
        WindowFixture fixture(
            {}, {runOf("old", now - 9000, "completed"), runOf("going", now - 600, "running"),
                 runOf("new", now - 300, "failed")});
        fixture.window().show();
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(fixture, 2) != nullptr, kWait);
        QVERIFY(fixture.find<QWidget>("runningCard")->isAncestorOf(rowOf(fixture, 0)));
        QCOMPARE(rowOf(fixture, 0)->text(), QStringLiteral("going"));
        QCOMPARE(rowOf(fixture, 0)->trailing(), QStringLiteral("Follow"));
        QCOMPARE(rowOf(fixture, 1)->text(), QStringLiteral("new"));
        QVERIFY(rowOf(fixture, 1)->detail().startsWith(QStringLiteral("failed, started ")));
        QCOMPARE(rowOf(fixture, 2)->text(), QStringLiteral("old"));
        QVERIFY(rowOf(fixture, 2)->detail().endsWith(units::duration(125)));
        QVERIFY(rowOf(fixture, 2)->trailing().contains(QStringLiteral("97.3")));
        QVERIFY(!fixture.find<QLabel>("noRunsLabel")->isVisible());
        QVERIFY(!fixture.find<NoticeBar>("liveRunsNotice")->isVisible());  // said once

        fixture.script().publish(ExampleRun::view(600));
        QTest::keyClick(rowOf(fixture, 0), Qt::Key_Space);
        QCOMPARE(fixture.calls().lastRunDir, std::filesystem::path("/runs/going"));
        QTRY_COMPARE_WITH_TIMEOUT(shownPage(fixture), MainWindow::Page::Live, kWait);
    }

    void aRunThatGoesOnSaysHowFarItIsAndHowLongItTakes() {
        const double now = double(QDateTime::currentMSecsSinceEpoch()) / 1000;
        WindowFixture fixture({}, {runOf("going", now - 600, "running")});
        job::RunView view = ExampleRun::view(410);
        view.caughtUp = true;
        view.totalSteps = 1000;
        view.etaSeconds = 300;
        fixture.script().publish(view);
        fixture.window().show();
        const QString far = units::percent(0.41, 0) + QStringLiteral(", ") + units::duration(300) +
                            QStringLiteral(" left");
        QTRY_VERIFY_WITH_TIMEOUT(
            rowOf(fixture, 0) != nullptr && rowOf(fixture, 0)->detail().startsWith(far), kWait);
        QVERIFY(rowOf(fixture, 0)->detail().contains(QStringLiteral("started today")));
        const int attached = fixture.calls().attaches;
        fixture.window().showPage(MainWindow::Page::Runs);
        fixture.window().showPage(MainWindow::Page::Home);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.calls().attaches > attached, kWait);
    }

    void rowsStayWhileNothingChanges() {
        std::atomic<int> looks = 0;
        HomePage home([&looks] {
            ++looks;
            return std::vector<job::RunEntry>{runOf("done", 1'790'000'000, "completed")};
        });
        home.refresh();
        const auto row = [&home] { return home.findChild<RunRow*>(QStringLiteral("homeRun0")); };
        QTRY_VERIFY_WITH_TIMEOUT(row() != nullptr, kWait);
        const QPointer<RunRow> first = row();
        // It looks again only once the answer before is shown.
        const auto looksAgain = [&] {
            home.refresh();
            return looks >= 4;
        };
        QTRY_VERIFY_WITH_TIMEOUT(looksAgain(), kWait);
        QVERIFY(!first.isNull());
    }

    void ofManyRunsThatEndedTheLastAreShown() {
        std::vector<job::RunEntry> runs;
        for (int i = 0; i < 20; ++i)
            runs.push_back(runOf("run" + std::to_string(i), 1'790'000'000 + i, "stopped"));
        WindowFixture fixture({}, runs);
        fixture.window().show();
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(fixture, 0) != nullptr, kWait);
        QCOMPARE(rowOf(fixture, 0)->text(), QStringLiteral("run19"));
        QCOMPARE(fixture.window().findChildren<RunRow*>(QRegularExpression("^homeRun")).size(),
                 HomePage::kMostRuns);
        fixture.find<QPushButton>("allRunsButton")->click();
        QCOMPARE(shownPage(fixture), MainWindow::Page::Runs);
    }

    void eachBeginningOpensItsJobOnTheJobPage_data() {
        QTest::addColumn<QString>("row");
        QTest::addColumn<QString>("dataset");
        QTest::newRow("images") << "openExampleButton"
                                << "digits";
        QTest::newRow("images in folders") << "starter_images"
                                           << "image_folder";
        QTest::newRow("a table") << "starter_houses"
                                 << "table";
        QTest::newRow("a text") << "starter_tiny-gpt"
                                << "text";
        QTest::newRow("own program")
            << "starter_own-program" << config::JobSpec().data.dataset.c_str();
        QTest::newRow("hosts") << "starter_ssh-hosts"
                               << "digits";
        QTest::newRow("Slurm") << "starter_slurm"
                               << "digits";
    }
    void eachBeginningOpensItsJobOnTheJobPage() {
        QFETCH(const QString, row);
        QFETCH(const QString, dataset);
        WindowFixture fixture;
        fixture.window().show();
        fixture.window().findChild<RunRow*>(row)->click();
        QTRY_VERIFY_WITH_TIMEOUT(fixture.editor().hasJob(), kWait);
        QCOMPARE(QString::fromStdString(fixture.editor().spec().data.dataset), dataset);
        QCOMPARE(shownPage(fixture), MainWindow::Page::Job);
        // Where the images lie is left to be chosen.
        QStringList wrong;
        for (const config::Finding& finding : fixture.editor().findings())
            if (finding.severity == config::Severity::Error)
                wrong << QString::fromStdString(finding.key);
        QCOMPARE(wrong, dataset == QStringLiteral("image_folder")
                            ? QStringList{QStringLiteral("data.directory")}
                            : QStringList());
        for (const std::string& word : fixture.editor().spec().launch.command)
            QVERIFY2(!word.ends_with(".py") || QFile::exists(QString::fromStdString(word)),
                     word.c_str());
    }

    void jobsThatWereOpenAreOfferedAgain() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(fixture.openFile(QStringLiteral("mine.toml")));
        fixture.window().showPage(MainWindow::Page::Home);
        auto* row = fixture.window().findChild<RunRow*>(QStringLiteral("recentJob0"));
        QVERIFY(row && row->isVisible());
        QCOMPARE(row->text(), QStringLiteral("mine.toml"));
        row->click();
        QCOMPARE(shownPage(fixture), MainWindow::Page::Home);  // it is open already: nothing comes
        QVERIFY(fixture.editor().path().endsWith(QStringLiteral("mine.toml")));
    }
};

QTEST_MAIN(HomePageTest)
#include "tst_home_page.moc"
