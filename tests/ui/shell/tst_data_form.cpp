// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the Job page that edit lists and tables of a job file: random changes of images,
// columns of a table; and the jobs that it offers to begin with.
#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "ui/models/form_words.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::kWait;
using testsupport::settle;
using testsupport::WindowFixture;

namespace {

const auto kModel = QStringLiteral("[model]\nlayers = [{ type = \"dense\", units = 10 }]\n");
const auto kTable = QStringLiteral(
    "[data]\ndataset = \"table\"\nfiles = [\"houses.csv\"]\ntarget = \"price\"\n"
    "[data.features]\nold = \"float\"  # is gone\n"
    "[model]\nlayers = [{ type = \"dense\", units = 1 }]\n");

/// In the dialog that is shown next.
void chooseInDialog(const QStringList& files) {
    auto* soon = new QTimer(qApp);
    soon->callOnTimeout([soon, files] {
        auto* chooser = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (chooser == nullptr) return;
        soon->deleteLater();
        QStringList quoted;
        for (const QString& file : files)
            quoted << QLatin1Char('"') + file + QLatin1Char('"');
        chooser->findChild<QLineEdit*>()->setText(files.size() == 1 ? files.front()
                                                                    : quoted.join(u' '));
        QMetaObject::invokeMethod(chooser, "accept");
    });
    soon->start(20);
}

struct Opened {
    WindowFixture fixture;

    explicit Opened(const QString& text) {
        if (fixture.openFile(QStringLiteral("job.toml"))) fixture.editor().setText(text);
        fixture.window().show();
    }
    [[nodiscard]] QString text() { return fixture.editor().text(); }
    [[nodiscard]] const config::DataSpec& data() { return fixture.editor().spec().data; }
    /// One that was replaced waits for its deletion.
    template <typename T>
    [[nodiscard]] T* find(const QString& name) {
        QCoreApplication::processEvents();  // what was added is shown then
        for (T* widget : fixture.window().findChildren<T*>(name))
            if (!widget->isHidden()) return widget;
        return nullptr;
    }
    void choose(const QString& name, const QString& data) {
        auto* box = find<QComboBox>(name);
        box->setCurrentIndex(box->findData(data));
        Q_EMIT box->activated(box->currentIndex());
    }
    void type(const QString& name, const QString& text) {
        auto* edit = find<QLineEdit>(name);
        edit->setText(text);
        Q_EMIT edit->textEdited(text);
    }
    void undo() { fixture.editor().undoStack().undo(); }
    [[nodiscard]] bool shows(const char* name) { return fixture.find<QWidget>(name)->isVisible(); }
};

}  // namespace

class DataFormTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void randomChangesAreAddedWithWhatTheyMustHaveAndRemoved() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\n") + kModel);
        const QString before = opened.text();
        opened.choose(QStringLiteral("addAugment"), QStringLiteral("random_rotation"));
        opened.choose(QStringLiteral("addAugment"), QStringLiteral("random_crop"));

        QCOMPARE(opened.data().augment.size(), std::size_t{2});
        QVERIFY(
            opened.text().contains(QStringLiteral("{ type = \"random_rotation\", factor = 0.1 }")));
        QVERIFY(!opened.fixture.editor().hasErrors());
        opened.find<QToolButton>(QStringLiteral("removeAugment0"))->click();
        QCOMPARE(opened.data().augment.size(), std::size_t{1});
        QVERIFY(opened.data().augment[0].kind == config::AugmentationKind::RandomCrop);
        for (int step = 0; step < 3; ++step)
            opened.undo();
        QCOMPARE(opened.text(), before);
    }

    void theirOrderAndOptionsAreThoseOfTheFile() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\naugment = [\n"
                                     "  { type = \"random_crop\", padding = 2 },  # small\n"
                                     "  { type = \"mix_up\" },\n]\n") +
                      kModel);
        opened.find<QToolButton>(QStringLiteral("augmentDown0"))->click();
        QVERIFY(opened.data().augment[1].padding == 2);
        QVERIFY(opened.text().contains(QStringLiteral("# small")));
        opened.type(QStringLiteral("augment1 padding"), QStringLiteral("4"));
        QCOMPARE(opened.data().augment[1].padding, 4);
        opened.choose(QStringLiteral("addAugment"), QStringLiteral("random_flip"));
        opened.choose(QStringLiteral("augment2 mode"), QStringLiteral("vertical"));
        QVERIFY(opened.data().augment[2].mode == config::FlipMode::Vertical);
    }

    void aWrongOptionIsNamedAtItsChange() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\naugment = [\n"
                                     "  { type = \"random_crop\", pading = 2 },\n]\n") +
                      kModel);
        auto* problem = opened.find<QLabel>(QStringLiteral("augmentProblem0"));
        QVERIFY(problem);
        QVERIFY2(problem->text().contains(QStringLiteral("did you mean padding?")),
                 qPrintable(problem->text()));
        opened.type(QStringLiteral("augment0 probability"), QStringLiteral("7"));
        auto* own = opened.find<QLabel>(QStringLiteral("layerOption probability problem"));
        QVERIFY(own && own->isVisible());
    }

    void columnsAreListedAsTheTablesHeaderHasThem() {
        Opened opened(kTable);
        QFile csv(opened.fixture.folder().filePath(QStringLiteral("houses.csv")));
        QVERIFY(csv.open(QIODevice::WriteOnly));
        csv.write("size,near,price\n30,\"sea, far\",3\n40,hills,4\n");
        csv.close();
        opened.fixture.editor().setText(opened.text() + QLatin1Char('\n'));
        opened.fixture.editor().setValue(QStringLiteral("data.files"),
                                         QStringLiteral("[\"./houses.csv\"]"));
        const auto listed = [&] {
            return opened.find<QComboBox>(QStringLiteral("columnKind near")) != nullptr;
        };
        QVERIFY(QTest::qWaitFor(listed, kWait));
        auto* gone = opened.find<QLabel>(QStringLiteral("columnProblem old"));
        QVERIFY(gone && gone->text().contains(QStringLiteral("no such column")));

        opened.choose(QStringLiteral("columnKind old"), QString());
        QVERIFY(opened.data().table.features.empty());
        opened.find<QPushButton>(QStringLiteral("useAllColumns"))->click();
        const auto& features = opened.data().table.features;
        QCOMPARE(features.size(), std::size_t{2});  // the target is none
        QVERIFY(features[0].name == "size" &&
                features[0].kind == config::FeatureKind::FloatNormalized);
        QVERIFY(features[1].kind == config::FeatureKind::StringCategorical);

        opened.choose(QStringLiteral("columnOutput near"), QStringLiteral("int"));
        opened.type(QStringLiteral("columnTokens near"), QStringLiteral("12"));
        const auto& near = opened.data().table.features[1];
        QVERIFY(near.output == config::CategoryOutput::Int && near.maxTokens == 12);
        opened.choose(QStringLiteral("columnKind near"), QStringLiteral("integer_categorical"));
        QCOMPARE(opened.data().table.features[1].maxTokens, 12);  // stays
    }

    void lengthsAveragesAndPlateausAreTypedWhereTheyMeanSomething() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\n") + kModel);
        const auto& training = opened.fixture.editor().spec().training;
        auto* momentum = opened.fixture.find<QLineEdit>("emaMomentumEdit");
        QVERIFY(!momentum->isVisibleTo(&opened.fixture.window()));
        opened.fixture.find<QAbstractButton>("useEmaEdit")->click();
        QVERIFY(training.average.isUsed && momentum->isVisibleTo(&opened.fixture.window()));
        opened.type(QStringLiteral("accumulationEdit"), QStringLiteral("4"));
        QCOMPARE(training.gradientAccumulationSteps, 4);
        opened.type(QStringLiteral("trainingStepsEdit"), QStringLiteral("500"));
        QCOMPARE(training.steps, std::int64_t{500});
        QVERIFY(
            !opened.fixture.find<QLineEdit>("epochsEdit")->isVisibleTo(&opened.fixture.window()));
        opened.fixture.editor().setValue(QStringLiteral("training.schedule.type"),
                                         QStringLiteral("reduce_on_plateau"));
        opened.type(QStringLiteral("plateauPatienceEdit"), QStringLiteral("9"));
        QCOMPARE(training.schedule.patience, 9);
        opened.type(QStringLiteral("normalizeMeanEdit"), QStringLiteral("0.5"));
        QCOMPARE(opened.data().normalize.mean, std::vector<double>{0.5});
        opened.type(QStringLiteral("initialWeightsEdit"), QStringLiteral("w.safetensors"));
        QCOMPARE(opened.fixture.editor().spec().model.initialWeights.file,
                 std::string("w.safetensors"));
    }

    void whatMayHaveBeenMeantIsNamedByItsLabel() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\n") + kModel +
                      QStringLiteral("[training.schedule]\ntype = \"cosine_decay\"\n"
                                     "decay_stepps = 10\n"));
        QString words;
        for (const config::Finding& finding : opened.fixture.editor().findings())
            words += sentenceOf(finding) + QLatin1Char('\n');
        QVERIFY2(words.contains(QStringLiteral("did you mean “Decay”?")), qPrintable(words));
        QVERIFY2(!words.contains(QStringLiteral("training.schedule.decay_steps?")),
                 qPrintable(words));
    }

    void theStartersAreJobsWithoutAProblemWhoseDataAreThere_data() {
        QTest::addColumn<QByteArray>("action");
        QTest::addColumn<QString>("name");
        QTest::newRow("a table") << QByteArray("newHousesAction") << QStringLiteral("houses");
        QTest::newRow("a text") << QByteArray("newTinyGptAction") << QStringLiteral("tiny-gpt");
    }
    void theStartersAreJobsWithoutAProblemWhoseDataAreThere() {
        QFETCH(const QByteArray, action);
        QFETCH(const QString, name);
        WindowFixture fixture;
        fixture.window().show();
        fixture.find<QAction>(action.constData())->trigger();
        QVERIFY(QTest::qWaitFor([&] { return fixture.editor().hasJob(); }, kWait));
        QCOMPARE(QString::fromStdString(fixture.editor().spec().name), name);
        QVERIFY(fixture.editor().path().isEmpty());
        for (const std::string& file : fixture.editor().spec().data.files)
            QVERIFY(QFileInfo(QString::fromStdString(file)).isAbsolute() &&
                    QFileInfo::exists(QString::fromStdString(file)));
        auto* launch = fixture.find<QPushButton>("launchButton");
        QVERIFY(QTest::qWaitFor([&] { return launch->isEnabled(); }, kWait));
        QVERIFY(!fixture.editor().hasErrors());
        QVERIFY(!fixture.editor().isModified());
    }

    void howSamplesComeToTheReplicasIsChosenWhereItMeansSomething() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\n") + kModel);
        QVERIFY(!opened.shows("dataCacheEdit") && !opened.shows("autoShardEdit"));  // one process
        opened.type(QStringLiteral("prefetchEdit"), QStringLiteral("12"));
        QCOMPARE(opened.data().prefetch, 12);
        opened.undo();
        QCOMPARE(opened.data().prefetch, 0);

        JobEditor& editor = opened.fixture.editor();
        editor.setValue(QStringLiteral("data.dataset"), QStringLiteral("mnist"));
        editor.setValue(QStringLiteral("cluster.num_processes"), QStringLiteral("2"));
        QVERIFY(opened.shows("dataCacheEdit") && opened.shows("autoShardEdit"));
        QCOMPARE(opened.fixture.find<QLineEdit>("dataCacheEdit")->text(), QStringLiteral("memory"));
        opened.type(QStringLiteral("dataCacheEdit"), QStringLiteral("none"));
        QCOMPARE(opened.data().cache, std::string("none"));
        auto* shard = opened.fixture.find<QComboBox>("autoShardEdit");
        QCOMPARE(shard->currentText(), QStringLiteral("auto"));
        Q_EMIT shard->textActivated(QStringLiteral("off"));
        QVERIFY(opened.data().autoShard == config::AutoShard::Off);
        QCOMPARE(shard->currentText(), QStringLiteral("off"));
    }
    void theOrderOfTheSamplesIsChosen() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\n") + kModel);
        QVERIFY(opened.shows("shuffleEdit") && opened.shows("shuffleSeedEdit") &&
                opened.shows("reshuffleEdit") && opened.shows("dropRemainderEdit"));
        opened.type(QStringLiteral("shuffleSeedEdit"), QStringLiteral("7"));
        QCOMPARE(opened.data().shuffle.seed, std::optional<std::uint64_t>(7));
        JobEditor& editor = opened.fixture.editor();
        editor.setValue(QStringLiteral("data.shuffle"), QStringLiteral("1"));
        QCOMPARE(opened.data().shuffle.buffer, 1);
        QVERIFY(opened.shows("shuffleEdit") && !opened.shows("reshuffleEdit"));
    }
    void precisionIsAskedForWhereAGpuMayCompute() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\n") + kModel);
        QVERIFY(opened.shows("precisionEdit"));
        auto* precision = opened.fixture.find<QComboBox>("precisionEdit");
        QVERIFY(precision->toolTip().contains(QStringLiteral("training.precision")));
        QCOMPARE(precision->currentText(), QStringLiteral("float32"));
        Q_EMIT precision->textActivated(QStringLiteral("bfloat16"));
        JobEditor& editor = opened.fixture.editor();
        QVERIFY(editor.spec().training.precision == config::Precision::BFloat16);
        opened.undo();
        editor.setValue(QStringLiteral("cluster.device"), QStringLiteral("cpu"));
        QVERIFY(!opened.shows("precisionEdit"));
    }
    void whatTheBestCheckpointIsChosenByIsAskedWhereOneIsKept() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\n") + kModel);
        const auto box = [&opened](const char* name) {
            return opened.fixture.find<QComboBox>(name);
        };
        for (const char* name : {"bestByEdit", "bestModeEdit", "stopEarlyModeEdit", "patienceEdit"})
            QVERIFY2(!opened.shows(name), name);
        QCOMPARE(box("resumePolicyEdit")->currentText(), QStringLiteral("never"));
        Q_EMIT box("resumePolicyEdit")->textActivated(QStringLiteral("auto"));
        JobEditor& editor = opened.fixture.editor();
        QVERIFY(editor.spec().checkpoint.resume == config::ResumePolicy::Auto);

        editor.setValue(QStringLiteral("checkpoint.keep_best"), QStringLiteral("true"));
        QVERIFY(opened.shows("bestByEdit") && opened.shows("bestModeEdit"));
        QCOMPARE(box("bestByEdit")->currentText(), QStringLiteral("auto"));
        Q_EMIT box("bestByEdit")->textActivated(QStringLiteral("validation_auc"));
        Q_EMIT box("bestModeEdit")->textActivated(QStringLiteral("min"));
        QVERIFY(editor.spec().checkpoint.monitor == config::Monitor::ValidationMetric);
        QVERIFY(editor.spec().checkpoint.mode == config::MonitorMode::Min);
        opened.undo();
        opened.undo();
        QVERIFY(editor.spec().checkpoint.monitor == config::Monitor::Auto);

        // Early stopping's own direction then holds.
        editor.setValue(QStringLiteral("early_stopping.monitor"),
                        QStringLiteral("validation_loss"));
        QVERIFY(opened.shows("bestByEdit") && !opened.shows("bestModeEdit"));
        for (const char* name : {"stopEarlyModeEdit", "patienceEdit", "leastGainEdit"})
            QVERIFY2(opened.shows(name), name);
    }
    void filesOfATableAreChosenAndReplaceThoseThatWereListed() {
        Opened opened(kTable);
        for (const char* name : {"a.csv", "b, c.csv"}) {
            QFile file(opened.fixture.folder().filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        chooseInDialog({opened.fixture.folder().filePath(QStringLiteral("a.csv")),
                        opened.fixture.folder().filePath(QStringLiteral("b, c.csv"))});
        opened.find<QToolButton>(QStringLiteral("dataFilesBrowse"))->click();
        QCOMPARE(opened.data().files, (std::vector<std::string>{"a.csv", "b, c.csv"}));
        // What the field shows can be typed again.
        auto* edit = opened.find<QLineEdit>(QStringLiteral("dataFilesEdit"));
        QCOMPARE(edit->text(), QStringLiteral("[\"a.csv\", \"b, c.csv\"]"));
        opened.type(QStringLiteral("dataFilesEdit"), edit->text());
        QCOMPARE(opened.data().files.size(), std::size_t{2});
        opened.type(QStringLiteral("dataFilesEdit"), QStringLiteral("a.csv, d.csv"));
        QCOMPARE(opened.data().files, (std::vector<std::string>{"a.csv", "d.csv"}));
    }
    void aProgramIsChosenBeforeItsArguments() {
        Opened opened(
            QStringLiteral("[launch]\ncommand = [\"python3\", \"train.py\", \"--a b\"]\n"));
        const QString program = opened.fixture.folder().filePath(QStringLiteral("train it.sh"));
        QFile file(program);
        QVERIFY(file.open(QIODevice::WriteOnly));
        chooseInDialog({program});
        opened.find<QToolButton>(QStringLiteral("launchCommandBrowse"))->click();
        const auto& command = opened.fixture.editor().spec().launch.command;
        QCOMPARE(command, (std::vector<std::string>{"./train it.sh", "train.py", "--a b"}));
        // In the folder that the program runs in.
        QVERIFY(QDir(opened.fixture.folder().path()).mkdir(QStringLiteral("work")));
        opened.fixture.editor().setValue(QStringLiteral("launch.directory"),
                                         QStringLiteral("\"work\""));
        chooseInDialog({program});
        opened.find<QToolButton>(QStringLiteral("launchCommandBrowse"))->click();
        QCOMPARE(QString::fromStdString(opened.fixture.editor().spec().launch.command.front()),
                 program);
    }
    void tabGoesThroughTheCardsAsTheyStand() {
        Opened opened(QStringLiteral("[data]\ndataset = \"digits\"\n") + kModel);
        QStringList order;
        const auto* begin = opened.find<QWidget>(QStringLiteral("jobNameEdit"));
        for (const QWidget* each = begin;;) {
            order << each->objectName();
            each = each->nextInFocusChain();
            if (each == begin) break;
        }
        qsizetype before = -1;
        for (const char* name :
             {"jobNameEdit", "clusterTable", "launchMethodEdit", "keepBestEdit", "resumePolicyEdit",
              "datasetEdit", "prefetchEdit", "epochsEdit", "readSamplesButton", "layerTree"}) {
            const qsizetype place = order.indexOf(QLatin1String(name));
            QVERIFY2(place > before, name);
            before = place;
        }
    }
};

QTEST_MAIN(DataFormTest)
#include "tst_data_form.moc"
