// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest/qtestspontaneevent.h>
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QWheelEvent>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "ui/bridge/background_task.h"
#include "ui/models/form_words.h"
#include "ui/pages/job/job_field.h"
#include "ui/pages/job/layer_tree.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::kWait;
using testsupport::settle;
using testsupport::WindowFixture;

class JobFormTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void typingPatchesTheTextAndKeepsComments() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        auto* epochs = fixture.find<QLineEdit>("epochsEdit");

        epochs->setFocus();
        epochs->selectAll();
        QTest::keyClicks(epochs, QStringLiteral("7"));

        QCOMPARE(fixture.editor().spec().training.epochs, 7);
        QVERIFY(fixture.editor().text().contains(QStringLiteral("epochs = 7")));
        QVERIFY(fixture.editor().text().contains(QStringLiteral("# generated on first use")));
    }
    void aBadValueIsNamedBesideItsFieldWhileTyping() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        auto* batch = fixture.find<QLineEdit>("globalBatchSizeEdit");
        auto* problem = fixture.find<QLabel>("globalBatchSizeEditProblem");
        QVERIFY(problem->isHidden());

        batch->setFocus();
        batch->selectAll();
        QTest::keyClicks(batch, QStringLiteral("-3"));

        QVERIFY(!problem->isHidden());
        QVERIFY(!problem->text().isEmpty());
        QCOMPARE(batch->text(), QStringLiteral("-3"));
        QVERIFY(!fixture.find<QPushButton>("launchButton")->isEnabled());
    }
    void formAndTextShowTheSameJob() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        QTest::mouseClick(fixture.find<QAbstractButton>("previewFold"), Qt::LeftButton);
        auto* text = fixture.find<QPlainTextEdit>("jobTextEdit");

        text->setPlainText(
            text->toPlainText().replace(QStringLiteral("digits-mlp"), QStringLiteral("renamed")));
        QCOMPARE(fixture.find<QLineEdit>("jobNameEdit")->text(), QStringLiteral("renamed"));

        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("9"));
        QVERIFY(text->toPlainText().contains(QStringLiteral("epochs = 9")));
    }
    void aWordThatIsNotListedIsShownAsItIsWritten() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.editor().setText(fixture.editor().text() +
                                 QStringLiteral("\n[early_stopping]\n"
                                                "monitor = \"validation_top_3_accuracy\"\n"));
        auto* monitor = fixture.find<QComboBox>("stopEarlyByEdit");
        QCOMPARE(monitor->currentText(), QStringLiteral("validation_top_3_accuracy"));
        fixture.editor().undoStack().undo();
        QCOMPARE(monitor->currentText(), QStringLiteral("off"));
    }
    void theWheelScrollsPastAComboBoxThatHasNotTheFocus() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        auto* optimizer = fixture.find<QComboBox>("optimizerEdit");
        QWidget* above = optimizer;
        while (above != nullptr && qobject_cast<QScrollArea*>(above) == nullptr)
            above = above->parentWidget();
        auto* area = qobject_cast<QScrollArea*>(above);
        QVERIFY(area != nullptr);
        fixture.window().resize(1024, 640);
        QTRY_VERIFY(area->verticalScrollBar()->maximum() > 0);
        area->verticalScrollBar()->setValue(0);
        optimizer->clearFocus();
        const QString before = fixture.editor().text();
        const auto wheel = [&] {
            const QPointF at = QRectF(optimizer->rect()).center();
            QWheelEvent event(at, optimizer->mapToGlobal(at), {}, {0, -120}, Qt::NoButton,
                              Qt::NoModifier, Qt::NoScrollPhase, false);
            QSpontaneKeyEvent::setSpontaneous(&event);  // others go to no parent
            qApp->notify(optimizer, &event);
        };
        const int place = area->verticalScrollBar()->value();
        wheel();
        QCOMPARE(fixture.editor().text(), before);
        QVERIFY(!optimizer->hasFocus());
        QVERIFY(area->verticalScrollBar()->value() > place);
        fixture.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        optimizer->setFocus();
        wheel();
        QVERIFY(fixture.editor().text() != before);
    }
    void aPastedClusterIsUnderstoodAndTakenOver() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.find<QPushButton>("importClusterButton")->click();
        auto* text = fixture.find<QPlainTextEdit>("importText");
        auto* verdict = fixture.find<QLabel>("importVerdict");
        auto* take = fixture.find<QPushButton>("importTakeButton");
        QVERIFY(!take->isEnabled());

        text->setPlainText(QStringLiteral("TF_CONFIG='{\"clutser\": {}}'"));
        QVERIFY(!take->isEnabled());
        QVERIFY2(verdict->text().contains(QStringLiteral("clutser")), qPrintable(verdict->text()));

        text->setPlainText(
            QStringLiteral("TF_CONFIG='{\"cluster\": {\"worker\": [\"a:4000\", \"b:4000\", "
                           "\"c:4000\"]}, \"task\": {\"type\": \"worker\", \"index\": 1}}'"));
        QVERIFY2(verdict->text().contains(QStringLiteral("TF_CONFIG")),
                 qPrintable(verdict->text()));
        QVERIFY(take->isEnabled());
        take->click();

        const auto& cluster = fixture.editor().spec().cluster;
        QCOMPARE(cluster.jobAddresses.size(), std::size_t{3});
        QCOMPARE(cluster.jobAddresses[2].host, std::string("c"));
        fixture.editor().undoStack().undo();
        QCOMPARE(fixture.editor().spec().cluster.jobAddresses.size(), std::size_t{2});
    }
    void aDialectIsShownForTheChosenProcess() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        QTest::mouseClick(fixture.find<QAbstractButton>("previewFold"), Qt::LeftButton);
        auto* form = fixture.find<QComboBox>("previewForm");
        auto* task = fixture.find<QComboBox>("previewTask");
        QVERIFY(task->isHidden());

        form->setCurrentIndex(form->findText(QStringLiteral("As keras")));
        QVERIFY(!task->isHidden());
        task->setCurrentIndex(1);

        const QString text = fixture.find<QPlainTextEdit>("jobTextEdit")->toPlainText();
        QVERIFY2(text.contains(QStringLiteral("KERAS_DISTRIBUTION_PROCESS_ID='1'")),
                 qPrintable(text));
    }
    void anEditCanBeUndone() {
        WindowFixture fixture;
        QVERIFY(fixture.openExample());
        const QString before = fixture.editor().text();

        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("8"));
        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("9"));
        QVERIFY(fixture.editor().isModified());
        QCOMPARE(fixture.editor().undoStack().count(), 1);
        fixture.editor().undoStack().undo();

        QCOMPARE(fixture.editor().text(), before);
        QVERIFY(!fixture.editor().isModified());
    }
    void theClusterIsEditedInPlace() {
        WindowFixture fixture;
        QVERIFY(fixture.openExample());
        ClusterTableModel model(fixture.editor());
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 3);  // two processes and the evaluator

        QVERIFY(model.setData(model.index(1, int(ClusterTableModel::Column::Address)),
                              QStringLiteral("10.0.0.2:5000"), Qt::EditRole));
        QCOMPARE(fixture.editor().spec().cluster.jobAddresses.at(1).host, std::string("10.0.0.2"));
        model.addProcess();
        QCOMPARE(fixture.editor().spec().cluster.numProcesses, 3);
        model.removeProcess(2);
        QCOMPARE(model.processCount(), 2);
    }
    void aBadAddressStaysInItsRowWithItsProblem() {
        WindowFixture fixture;
        QVERIFY(fixture.openExample());
        ClusterTableModel model(fixture.editor());

        QVERIFY(model.setData(model.index(1, int(ClusterTableModel::Column::Address)),
                              QStringLiteral("nonsense"), Qt::EditRole));

        QCOMPARE(model.index(1, int(ClusterTableModel::Column::Address)).data().toString(),
                 QStringLiteral("nonsense"));
        QVERIFY(fixture.editor().hasErrors());
    }
    void savingWritesTheFileAndClearsTheMark() {
        WindowFixture fixture;
        fixture.window().jobs().open(fixture.folder().filePath(QStringLiteral("digits.toml")));
        QTRY_VERIFY_WITH_TIMEOUT(fixture.editor().hasJob(), kWait);
        fixture.editor().setValue(QStringLiteral("job.name"), QStringLiteral("saved-job"));
        QVERIFY(fixture.window().isWindowModified());

        fixture.window().jobs().save();

        QTRY_VERIFY_WITH_TIMEOUT(!fixture.window().isWindowModified(), kWait);
        QFile file(fixture.folder().filePath(QStringLiteral("digits.toml")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("saved-job"));
    }
    void unsavedTextIsRecovered() {
        const QTemporaryDir state;
        {
            JobStore store(state.path());
            QSignalSpy failed(&store, &JobStore::failed);
            store.autosaveSoon(QStringLiteral("/jobs/a.toml"),
                               QStringLiteral("[job]\nname = \"kept\"\n"));
            QTRY_VERIFY_WITH_TIMEOUT(
                QFile::exists(state.filePath(QStringLiteral("unsaved-job.toml"))), 10000);
            QCOMPARE(failed.count(), 0);
        }
        JobStore later(state.path());
        JobStore::Recovery found;
        connect(&later, &JobStore::recoveryFound, this,
                [&found](const auto& recovery) { found = recovery; });

        later.lookForRecovery();

        QTRY_COMPARE_WITH_TIMEOUT(found.path, QStringLiteral("/jobs/a.toml"), kWait);
        QCOMPARE(found.text, QStringLiteral("[job]\nname = \"kept\"\n"));
    }
    void aMissingFileIsANoticeInThePage() {
        WindowFixture fixture;
        fixture.window().jobs().open(QStringLiteral("/nonexistent/job.toml"));
        auto* notice = fixture.find<NoticeBar>("noticeBar");
        QTRY_VERIFY_WITH_TIMEOUT(
            notice->notice().sentence.contains(QStringLiteral("/nonexistent/job.toml")), kWait);
    }
    void aProgramsJobShowsItsProgramInsteadOfDataModelAndTraining() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        const auto isShown = [&fixture](const char* name) {
            return fixture.find<QWidget>(name)->isVisible();
        };
        QVERIFY(isShown("datasetEdit") && isShown("layerTree") && isShown("epochsEdit"));
        fixture.editor().setText(QStringLiteral(
            "[job]\nname = \"own\"\n[cluster]\nnum_processes = 2\n"
            "[launch]\ncommand = [\"python3\", \"train.py\"]\nenvironment = [\"A=b\"]\n"));
        QVERIFY(!fixture.editor().hasErrors());

        for (const char* name : {"datasetEdit", "layerTree", "addLayerButton", "epochsEdit",
                                 "everyStepsEdit", "transportEdit"})
            QVERIFY2(!isShown(name), name);
        for (const char* name : {"launchCommandEdit", "launchEnvironmentEdit",
                                 "launchDirectoryEdit", "jobNameEdit", "clusterTable"})
            QVERIFY2(isShown(name), name);
        QCOMPARE(fixture.find<QLineEdit>("launchEnvironmentEdit")->text(),
                 QStringLiteral("[\"A=b\"]"));
    }
    void aLayersProblemMarksItsFieldAndSpeaksTheFormsWords() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        const int last = int(fixture.editor().spec().model.layers.size()) - 1;

        fixture.editor().setValue(QStringLiteral("model.layers[%1].units").arg(last),
                                  QStringLiteral("9"));

        auto* tree = fixture.find<LayerTree>("layerTree");
        tree->choose({"model", "layers", std::size_t(last)});
        QVERIFY(fixture.find<QLineEdit>("layerOption units")->property("invalid").toBool());
        const auto* problem = fixture.find<QLabel>("layersProblem");
        QVERIFY2(problem->text().contains(QStringLiteral("layer %1").arg(last + 1)),
                 qPrintable(problem->text()));
        QVERIFY2(!problem->text().contains(QStringLiteral("model.")), qPrintable(problem->text()));
        QCOMPARE(problem->palette().color(QPalette::WindowText), Theme::of(problem).bad);
        const QString summary = fixture.find<QLabel>("jobSummary")->text();
        QVERIFY2(!summary.contains(QStringLiteral("model.")), qPrintable(summary));
    }
    void whatDoesNotFitTheChoiceIsHiddenAndNeverLost() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        JobEditor& editor = fixture.editor();
        const auto shown = [&fixture](const char* name) {
            return fixture.find<QWidget>(name)->isVisible();
        };
        QVERIFY(shown("beta1Edit") && !shown("momentumEdit") && !shown("rhoEdit"));
        QVERIFY(!shown("imageSizeEdit") && !shown("dataDirectoryEdit") && !shown("alphaEdit"));
        editor.setValue(QStringLiteral("training.optimizer"), QStringLiteral("rmsprop"));
        QVERIFY(!shown("beta1Edit") && shown("momentumEdit") && shown("rhoEdit"));
        editor.setValue(QStringLiteral("training.schedule.type"), QStringLiteral("cosine_decay"));
        QVERIFY(shown("alphaEdit") && shown("warmupTargetEdit") && !shown("warmupStepsEdit"));
        editor.setValue(QStringLiteral("training.schedule.alpha"), QStringLiteral("0.1"));
        QCOMPARE(fixture.find<QLineEdit>("alphaEdit")->text(), QStringLiteral("0.1"));
        editor.setValue(QStringLiteral("data.dataset"), QStringLiteral("image_folder"));
        QVERIFY(shown("imageSizeEdit") && shown("onErrorEdit") && shown("testDirectoryEdit"));
        auto* size = fixture.find<QLineEdit>("imageSizeEdit");
        size->setFocus();
        QTest::keyClicks(size, QStringLiteral("32, 48"));
        QVERIFY(editor.text().contains(QStringLiteral("image_size = [32, 48]")));

        QVERIFY(shown("validationSamplesEdit"));
        editor.setValue(QStringLiteral("data.dataset"), QStringLiteral("arrays"));
        QVERIFY(shown("onErrorEdit") && shown("validationSplitEdit"));
        editor.unsetValue(QStringLiteral("data.validation_samples"));
        QVERIFY(!shown("validationSamplesEdit"));  // they are split by a share

        // What the file says stays in sight where it no longer fits.
        editor.setValue(QStringLiteral("training.schedule.type"), QStringLiteral("constant"));
        editor.setValue(QStringLiteral("data.dataset"), QStringLiteral("digits"));
        QVERIFY(shown("alphaEdit") && !shown("warmupTargetEdit"));
        QVERIFY(shown("imageSizeEdit") && !shown("testDirectoryEdit"));
    }
    void aWrongAddressIsSaidWholeAndMovesNoColumn() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        auto* table = fixture.find<QTableView>("clusterTable");
        settle(fixture.window());
        const int width = table->columnWidth(int(ClusterTableModel::Column::Address));
        auto* model = table->model();

        QVERIFY(model->setData(model->index(1, int(ClusterTableModel::Column::Address)),
                               QStringLiteral("gpu1"), Qt::EditRole));

        auto* problems = fixture.find<QLabel>("clusterProblems");
        QVERIFY(problems && problems->isVisible() && problems->wordWrap());
        QVERIFY2(problems->text().startsWith(QStringLiteral("The address of process 1 is")),
                 qPrintable(problems->text()));
        QCOMPARE(table->columnWidth(int(ClusterTableModel::Column::Address)), width);
    }
    void theKeysOfAFileAreSaidInTheFormsWords() {
        const auto words = [](const char* text) { return inFormWords(QString::fromUtf8(text)); };
        QCOMPARE(words("training.epochs is 0"), QStringLiteral("“Epochs” is 0"));
        QCOMPARE(words("model.layers[2].units is missing: model.layers[2]"),
                 QStringLiteral("the units of layer 3 is missing: layer 3"));
        QCOMPARE(words("Set model.layers[2].units = 5 in job.toml."),
                 QStringLiteral("Set model.layers[2].units = 5 in job.toml."));
        QCOMPARE(words("training.prefetch is odd"), QStringLiteral("training.prefetch is odd"));
        WindowFixture fixture;
        for (const JobField* field : fixture.window().findChildren<JobField*>())
            QVERIFY2(!formLabel(field->key()).isEmpty() &&
                         config::keyHelp(field->key().toStdString()) != nullptr,
                     qPrintable(field->key()));
    }
    void theDataFolderIsChosenAndLookedInto() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.editor().setValue(QStringLiteral("data.dataset"), QStringLiteral("mnist"));
        const QString empty = fixture.folder().filePath(QStringLiteral("empty"));
        QVERIFY(QDir().mkdir(empty));
        auto* browse = fixture.find<QToolButton>("dataDirectoryBrowse");
        QVERIFY(browse && browse->isVisible());
        QTimer::singleShot(200, this, [&empty] {
            auto* chooser = dynamic_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!chooser) return;
            chooser->setDirectory(QFileInfo(empty).path());
            chooser->selectFile(QFileInfo(empty).fileName());
            chooser->findChild<QLineEdit*>()->setText(empty);
            QMetaObject::invokeMethod(chooser, "accept");
        });

        browse->click();

        QCOMPARE(QString::fromStdString(fixture.editor().spec().data.directory), empty);
        auto* problem = fixture.find<QLabel>("dataDirectoryEditProblem");
        QTRY_VERIFY2_WITH_TIMEOUT(
            problem->text().contains(QStringLiteral("t10k-labels-idx1-ubyte are missing in")),
            qPrintable(problem->text()), kWait);
        QVERIFY(!fixture.find<QPushButton>("launchButton")->isEnabled());
        fixture.editor().setValue(QStringLiteral("data.directory"),
                                  QStringLiteral("\"/no/such/folder\""));
        QTRY_VERIFY_WITH_TIMEOUT(problem->text().contains(QStringLiteral("there is no directory")),
                                 kWait);
        fixture.editor().setValue(QStringLiteral("data.dataset"), QStringLiteral("digits"));
        QTRY_VERIFY_WITH_TIMEOUT(!fixture.editor().hasErrors(), kWait);
    }
    void aMissingFolderIsFoundAgainWhenTheJobIsOpenedAgain() {
        WindowFixture fixture;
        fixture.window().show();
        const QString path = fixture.folder().filePath(QStringLiteral("job.toml"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "[data]\ndataset = \"mnist\"\ndirectory = \"/no/such/folder\"\n"
            "[model]\nlayers = [{ type = \"dense\", units = 10 }]\n");
        file.close();
        fixture.window().jobs().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.editor().hasErrors(), kWait);
        QSignalSpy opened(&fixture.editor(), &JobEditor::opened);

        fixture.window().jobs().open(path);

        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kWait);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.editor().hasErrors(), kWait);
    }
    void aLateAnswerIsDropped() {
        BackgroundTask task;
        QStringList answers;
        task.start([] { return QStringLiteral("first"); },
                   [&answers](const QString& a) { answers << a; });
        task.start([] { return QStringLiteral("second"); },
                   [&answers](const QString& a) { answers << a; });
        QTRY_COMPARE_WITH_TIMEOUT(answers, QStringList{QStringLiteral("second")}, kWait);
        QVERIFY(!task.isBusy());
    }
};

QTEST_MAIN(JobFormTest)
#include "tst_job_form.moc"
