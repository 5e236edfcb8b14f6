// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a job's changes and of a run when the window is left, and what a start finds.
#include <QAction>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSignalSpy>
#include <QtTest>

#include "core/job/runs_folder.h"
#include "tests/ui/shell/next_dialog.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/style/units.h"
#include "ui/widgets/elided_label.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::NextDialog;
using testsupport::press;
using testsupport::WindowFixture;

namespace {

QString noticeOf(WindowFixture& fixture) {
    return fixture.find<NoticeBar>("noticeBar")->notice().sentence;
}

QString recoveryFile(const WindowFixture& fixture) {
    return fixture.folder().filePath(QStringLiteral("state/unsaved-job.toml"));
}

/// Home lists what runs; elsewhere it is said above the page.
MainWindow::Options onJobPage() {
    MainWindow::Options options;
    options.startPage = QStringLiteral("job");
    return options;
}

}  // namespace

class WindowLeavingTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { QSettings().clear(); }

    void aSaveThatFailsWhileClosingKeepsTheWindowAndTheEdit() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(fixture.openFile(QStringLiteral("gone/job.toml")));
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("edited"));
        QVERIFY(QDir(fixture.folder().filePath(QStringLiteral("gone"))).removeRecursively());
        const NextDialog dialog(press("saveChangesButton"));

        QVERIFY(!fixture.window().close());

        QCOMPARE(dialog.name(), QStringLiteral("saveDialog"));
        QTRY_VERIFY_WITH_TIMEOUT(noticeOf(fixture).contains(QStringLiteral("cannot be saved")),
                                 kWait);
        QVERIFY(fixture.window().isVisible());
        QVERIFY(fixture.editor().isModified());
        QCOMPARE(fixture.editor().spec().name, std::string("edited"));
    }
    void aSaveThatIsCancelledWhileClosingKeepsTheWindowAndTheEdit() {
        WindowFixture fixture;
        fixture.window().show();
        fixture.editor().open({}, QStringLiteral("[job]\nname = \"new\"\n"), QString());
        QVERIFY(fixture.editor().isModified());
        std::unique_ptr<NextDialog> chooser;
        const NextDialog dialog([&chooser](QWidget& box) {
            chooser = std::make_unique<NextDialog>(
                [](QWidget& files) { dynamic_cast<QDialog&>(files).reject(); });
            press("saveChangesButton")(box);
        });

        QVERIFY(!fixture.window().close());

        QVERIFY(chooser && chooser->came());
        QVERIFY(fixture.window().isVisible());
        QVERIFY(fixture.editor().isModified());
    }
    void aSaveWhileClosingIsWaitedForAndLeavesNothingToRecover() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(fixture.openFile(QStringLiteral("job.toml")));
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("edited"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(recoveryFile(fixture)), 2 * kWait);
        const NextDialog dialog(press("saveChangesButton"));

        fixture.window().close();

        QTRY_VERIFY_WITH_TIMEOUT(!fixture.window().isVisible(), kWait);
        QVERIFY(!fixture.editor().isModified());
        QFile file(fixture.folder().filePath(QStringLiteral("job.toml")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("edited"));
        QVERIFY(QThreadPool::globalInstance()->waitForDone(kWait));  // as at the program's end
        QVERIFY(!QFile::exists(recoveryFile(fixture)));
    }
    void discardedChangesAreNotOfferedAgain() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(fixture.openFile(QStringLiteral("job.toml")));
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("edited"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(recoveryFile(fixture)), 2 * kWait);
        const NextDialog dialog(press("discardChangesButton"));

        QVERIFY(fixture.window().close());

        QVERIFY(QThreadPool::globalInstance()->waitForDone(kWait));
        QVERIFY(!QFile::exists(recoveryFile(fixture)));
    }
    void changesThatWereUndoneAreNotOfferedAgain() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(fixture.openFile(QStringLiteral("job.toml")));
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("edited"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(recoveryFile(fixture)), 2 * kWait);

        fixture.editor().undoStack().undo();

        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(recoveryFile(fixture)), kWait);
        QVERIFY(fixture.window().close());  // without a question
    }
    void whatAnEarlierWindowDidNotSaveOutlivesTheOpeningOfAJob() {
        const QTemporaryDir folder;
        MainWindow::Options options;
        options.stateFolder = folder.path();
        options.openJob = folder.filePath(QStringLiteral("job.toml"));
        const QString left = folder.filePath(QStringLiteral("unsaved-job.toml"));
        for (const auto& [path, text] :
             {std::pair(options.openJob, QByteArray("[job]\nname = \"here\"\n")),
              {left, "/jobs/theirs.toml\n[job]\nname = \"theirs\"\n"}}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
        }
        WindowFixture fixture(options);
        fixture.window().show();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.editor().path(), options.openJob, kWait);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<QPushButton>("recoverButton") != nullptr, kWait);
        QVERIFY(fixture.openFile(QStringLiteral("other.toml")));
        // Edits of this window, undone or kept, and other notices take nothing of it away.
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("edited"));
        fixture.editor().undoStack().undo();
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("again"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(left), 2 * kWait);  // this window's own by now
        fixture.editor().undoStack().undo();
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(left), kWait);
        fixture.window().jobs().open(QStringLiteral("/nowhere/job.toml"));
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<NoticeBar>("noticeBar")->isVisible(), kWait);
        auto* offer = fixture.find<NoticeBar>("recoveryNotice");
        QVERIFY(offer->isVisible());
        QVERIFY2(offer->notice().sentence.contains(QStringLiteral("were not saved the last time")),
                 qPrintable(offer->notice().sentence));
        const QString former = folder.filePath(QStringLiteral("former-unsaved-job.toml"));
        QVERIFY(QFile::exists(former));

        fixture.find<QPushButton>("recoverButton")->click();

        QCOMPARE(fixture.editor().spec().name, std::string("theirs"));
        QCOMPARE(fixture.editor().path(), QStringLiteral("/jobs/theirs.toml"));
        QVERIFY(fixture.editor().isModified());
        QVERIFY(!offer->isVisible());
        QVERIFY(QFile::exists(former));  // until it is saved, or given up
        fixture.window().jobs().discardChanges();
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(former), kWait);
    }
    void aJobThatCannotBeOpenedTakesNoChangesWithIt() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(fixture.openFile(QStringLiteral("job.toml")));
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("edited"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(recoveryFile(fixture)), 2 * kWait);
        RecentJobs& recent = fixture.window().jobs().recent();
        recent.add(QStringLiteral("/no/such/job.toml"));
        const NextDialog dialog(press("discardChangesButton"));

        fixture.window().jobs().open(QStringLiteral("/no/such/job.toml"));

        QTRY_VERIFY_WITH_TIMEOUT(!noticeOf(fixture).isEmpty(), kWait);
        QVERIFY(QThreadPool::globalInstance()->waitForDone(kWait));
        QVERIFY(fixture.editor().isModified());
        QVERIFY(QFile::exists(recoveryFile(fixture)));
        QVERIFY(!recent.paths().contains(QStringLiteral("/no/such/job.toml")));
    }
    void theExampleIsAnUntitledCopy() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());

        QCOMPARE(fixture.editor().path(), QString());
        QVERIFY(!fixture.editor().isModified());
        QVERIFY(fixture.window().jobs().recent().paths().isEmpty());
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("mine"));
        QString proposed;
        const NextDialog dialog([&proposed](QWidget& widget) {
            auto& files = dynamic_cast<QFileDialog&>(widget);
            proposed = files.selectedFiles().value(0, files.directory().path());
            files.reject();
        });

        fixture.window().jobs().save();

        QVERIFY(dialog.came());
        QVERIFY2(!proposed.startsWith(fixture.folder().path()), qPrintable(proposed));
        QCOMPARE(QFileInfo(proposed).fileName(), QStringLiteral("mine.toml"));
        QFile example(fixture.folder().filePath(QStringLiteral("digits.toml")));
        QVERIFY(example.open(QIODevice::ReadOnly));
        QVERIFY(!example.readAll().contains("mine"));
    }
    void eachVerbSaysItsOwnShortcut() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        auto* button = fixture.find<QPushButton>("launchButton");
        const auto keysOf = [&fixture](const char* action) {
            return QLatin1Char('(') +
                   fixture.find<QAction>(action)->shortcut().toString(QKeySequence::NativeText) +
                   QLatin1Char(')');
        };
        QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), kWait);
        QVERIFY2(button->toolTip().contains(keysOf("launchAction")), qPrintable(button->toolTip()));
        fixture.script().publish(ExampleRun::failedView(2400));
        QVERIFY(fixture.launch());
        QTRY_COMPARE_WITH_TIMEOUT(button->text(), QStringLiteral("Resume"), kWait);

        QVERIFY2(button->toolTip().contains(keysOf("resumeAction")), qPrintable(button->toolTip()));
        QVERIFY(!button->toolTip().contains(keysOf("launchAction")));
    }
    void showInTextScrollsToThePlaceAndMarksItsLine() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("-3"));
        auto* text = fixture.find<QPlainTextEdit>("jobTextEdit");
        auto* scroll = fixture.find<QScrollArea>("jobScroll");
        QVERIFY(!text->isVisible());

        fixture.find<QPushButton>("showProblemButton")->click();

        QVERIFY(text->isVisible());
        const auto place = [&] {
            return QRect(text->viewport()->mapTo(scroll->viewport(), text->cursorRect().topLeft()),
                         text->cursorRect().size());
        };
        QTRY_VERIFY_WITH_TIMEOUT(scroll->viewport()->rect().contains(place()), kWait);
        QVERIFY(text->viewport()->rect().contains(text->cursorRect()));
        QVERIFY(text->textCursor().block().text().contains(QStringLiteral("epochs = -3")));
        const auto marked = text->extraSelections();
        QCOMPARE(marked.size(), 2);  // the line, and the place's wavy line
        QVERIFY(marked[0].format.boolProperty(QTextFormat::FullWidthSelection));
        QCOMPARE(marked[1].format.underlineStyle(), QTextCharFormat::WaveUnderline);
        for (const auto& mark : marked)
            QCOMPARE(mark.cursor.blockNumber(), text->textCursor().blockNumber());
    }
    void closingBesideADetachedRunSaysThatItGoesOnAndHowItComesBack() {
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(ExampleRun::view(10)));
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window().bridge().view() != nullptr, kWait);
        QString said;
        const auto read = [&said](QWidget& dialog) {
            for (const QLabel* label : dialog.findChildren<QLabel*>())
                said += label->text() + QLatin1Char('\n');
        };
        const NextDialog staying([&](QWidget& dialog) {
            read(dialog);
            press("stayButton")(dialog);
        });
        QVERIFY(!fixture.window().close());
        QVERIFY2(said.contains(QStringLiteral("goes on without this window")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("lockstepctl attach")), qPrintable(said));
        const NextDialog leaving([](QWidget& dialog) {
            dialog.findChild<QAbstractButton*>(QStringLiteral("knowsRunsGoOnCheck"))->click();
            press("leaveButton")(dialog);
        });
        QVERIFY(fixture.window().close());
        QVERIFY(leaving.came());

        fixture.window().show();
        QVERIFY(fixture.window().close());  // without a question
    }
    void closingWhileThePastOfAnEndedRunIsReadAsksNothing() {
        WindowFixture fixture;
        job::RunView reading = ExampleRun::view(10);
        reading.connected = false;
        reading.caughtUp = false;
        reading.isOver = true;
        QVERIFY(fixture.showLaunched(reading));
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window().bridge().view() != nullptr, kWait);
        const NextDialog dialog(press("stayButton"));
        QSignalSpy left(&fixture.window(), &MainWindow::runLeftBehind);
        QVERIFY(fixture.window().close());
        QVERIFY(!dialog.came());
        QCOMPARE(left.count(), 0);
    }
    void aRunThatGoesOnIsOfferedAtTheNextStart() {
        const job::RunEntry going{"/runs/mnist-mlp-1", "mnist-mlp-1", "mnist-mlp", true,
                                  "running",           1'790'000'000, {}};
        job::RunEntry ended = going;
        ended.running = false;
        WindowFixture fixture(onJobPage(), {ended, going});
        fixture.window().show();
        auto* notice = fixture.find<NoticeBar>("liveRunsNotice");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        QCOMPARE(notice->notice().sentence, QStringLiteral("“mnist-mlp” is running."));
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        fixture.script().publish(ExampleRun::view(600));

        fixture.find<QPushButton>("openLiveRun0")->click();

        QTRY_COMPARE_WITH_TIMEOUT(fixture.calls().attaches, 1, kWait);
        QCOMPARE(fixture.calls().lastRunDir, going.runDir);
        QTRY_VERIFY_WITH_TIMEOUT(!notice->isVisible(), kWait);
    }
    void runsOfOneNameAreToldApartByWhenTheyWereStarted() {
        const std::vector<job::RunEntry> going{{"/runs/a", "a", "sweep", true, "running", 1e9, {}},
                                               {"/runs/b", "b", "sweep", true, "running", 2e9, {}}};
        WindowFixture fixture(onJobPage(), going);
        fixture.window().show();
        auto* notice = fixture.find<NoticeBar>("liveRunsNotice");
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kWait);
        const QString first = QStringLiteral("sweep (%1)").arg(units::timeOfDay(1e9));
        const QString second = QStringLiteral("sweep (%1)").arg(units::timeOfDay(2e9));
        QVERIFY(first != second);
        QVERIFY(notice->notice().remedy.contains(first));
        QCOMPARE(fixture.find<QPushButton>("openLiveRun1")->text(),
                 QStringLiteral("Open %1").arg(second));
    }
    void severalRunsThatGoOnAreNamed() {
        std::vector<job::RunEntry> going;
        for (const std::string name : {"a", "b", "c", "d", "e"})
            going.push_back({"/runs/" + name, name, name, true, "running", 0, {}});
        WindowFixture fixture(onJobPage(), going);
        fixture.window().show();
        auto* notice = fixture.find<NoticeBar>("liveRunsNotice");
        QTRY_COMPARE_WITH_TIMEOUT(notice->notice().sentence, QStringLiteral("5 jobs are running."),
                                  kWait);
        QCOMPARE(notice->notice().remedy, QStringLiteral("a, b, c, d, e"));
    }
    void anAttachedRunShowsItsJobWhichCanBeLaunchedAnew() {
        MainWindow::Options options;
        options.attachRunDir = QStringLiteral("/runs/x");
        WindowFixture fixture(options);
        job::RunView view = ExampleRun::view(3126, job::RunState::Completed);
        view.jobToml =
            "[job]\nname = \"theirs\"\nrun_dir = \"/runs/x\"\n[data]\ndataset = \"digits\"\n"
            "[model]\nlayers = [{ type = \"dense\", units = 10 }]\n";
        fixture.script().publish(view);
        fixture.window().show();

        QTRY_VERIFY_WITH_TIMEOUT(fixture.editor().hasJob(), kWait);
        QCOMPARE(fixture.editor().spec().name, std::string("theirs"));
        QCOMPARE(fixture.editor().path(), QString());
        QVERIFY(!fixture.editor().isModified());
        QVERIFY(fixture.editor().fileName().startsWith(QStringLiteral("job of ")));
        QTRY_VERIFY_WITH_TIMEOUT(fixture.find<QPushButton>("launchButton")->isEnabled(), kWait);

        QTest::mouseClick(fixture.find<QPushButton>("launchButton"), Qt::LeftButton);

        QTRY_COMPARE_WITH_TIMEOUT(fixture.calls().launches, 1, kWait);
        QVERIFY(!fixture.calls().lastOptions.resume);
        QVERIFY(fixture.calls().lastToml.find("run_dir") == std::string::npos);
    }
    void theJobThatIsOpenStaysWhenARunOfAnotherIsFollowed() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(fixture.openFile(QStringLiteral("job.toml")));
        auto* show = fixture.find<QPushButton>("showRunsJobButton");
        QVERIFY(!show->isVisible());
        fixture.script().publish(ExampleRun::failedView(2400));
        fixture.window().showPage(MainWindow::Page::Runs);
        auto* table = fixture.find<QTableView>("runsTable");
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0, kWait);
        table->selectRow(0);
        fixture.find<QPushButton>("openRunButton")->click();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.calls().attaches, 1, kWait);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window().bridge().view() != nullptr, kWait);
        fixture.window().showPage(MainWindow::Page::Job);
        QVERIFY(fixture.editor().path().endsWith(QStringLiteral("job.toml")));

        QTRY_VERIFY_WITH_TIMEOUT(show->isVisible(), kWait);
        show->click();

        QVERIFY(fixture.editor().isCopy());
        QTRY_VERIFY_WITH_TIMEOUT(!show->isVisible(), kWait);
    }
    void oneFolderForRunsIsShownAndCanBeChanged() {
        WindowFixture fixture;
        fixture.window().show();
        QVERIFY(fixture.openFile(QStringLiteral("jobs/job.toml")));
        fixture.window().showPage(MainWindow::Page::Runs);
        auto* place = fixture.find<ElidedLabel>("runsPlace");
        const QString beside = fixture.folder().filePath(QStringLiteral("jobs/runs"));
        QTRY_VERIFY_WITH_TIMEOUT(place->text().contains(beside), kWait);
        QVERIFY2(place->text().contains(QStringLiteral("beside the job file")),
                 qPrintable(place->text()));
        QVERIFY(!fixture.find<QPushButton>("resetPlaceButton")->isVisible());
        const QString all = fixture.folder().filePath(QStringLiteral("all runs"));
        QVERIFY(QDir().mkdir(all));
        const NextDialog chooser([&all](QWidget& widget) {
            auto& files = dynamic_cast<QFileDialog&>(widget);
            files.setDirectory(QFileInfo(all).path());
            files.findChild<QLineEdit*>()->setText(all);
            QMetaObject::invokeMethod(&files, "accept");
        });

        fixture.find<QPushButton>("changePlaceButton")->click();

        QTRY_VERIFY_WITH_TIMEOUT(place->text().contains(all), kWait);
        // The terminal asks the same function.
        QCOMPARE(job::runsFolderFor(fixture.folder().path().toStdString()).folder,
                 std::filesystem::path(all.toStdString()));
        fixture.script().publish(ExampleRun::view(10));
        QVERIFY(fixture.launch());
        QVERIFY(fixture.calls().lastOptions.runsFolder.empty());  // as that function says

        fixture.window().showPage(MainWindow::Page::Runs);
        fixture.find<QPushButton>("resetPlaceButton")->click();
        QTRY_VERIFY_WITH_TIMEOUT(place->text().contains(beside), kWait);
    }
};

QTEST_MAIN(WindowLeavingTest)
#include "tst_window_leaving.moc"
