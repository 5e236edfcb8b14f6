// SPDX-License-Identifier: GPL-3.0-or-later
// Networks that jobs have trained, asked and handed over on the Evaluator page: real runs, real
// checkpoints, real files.
#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QtTest>

#include "tests/integration/workplace.h"
#include "tests/ui/support/settle.h"
#include "ui/bridge/network_bridge.h"
#include "ui/models/answer_model.h"
#include "ui/pages/evaluator/answers_card.h"
#include "ui/pages/evaluator/evaluator_desk.h"
#include "ui/style/program_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/segmented_control.h"

using namespace lockstep;
using namespace lockstep::ui;
using tests::Ended;
using tests::Workplace;

namespace {

constexpr int kSoon = 60'000;  // a deadline: it takes a fraction of a second

const QByteArray kRows = R"([job]
name = "prices"
[cluster]
evaluator = false
[data]
dataset = "table"
files = ["prices.csv"]
target = "price"
validation_split = 0.2
[data.features]
size = "float_normalized"
colour = "string_categorical"
[model]
layers = [{ type = "dense", units = 1 }]
[training]
global_batch_size = 16
epochs = 3
loss = "mean_squared_error"
seed = 1
)";

const QByteArray kText = R"([job]
name = "abc"
[cluster]
evaluator = false
[data]
dataset = "text"
files = ["abc.txt"]
tokenizer = "characters"
sequence_length = 8
validation_split = 0.1
[model]
layers = [
  { type = "embedding", input_dim = "vocabulary", output_dim = 8 },
  { type = "dense", units = "vocabulary" },
]
[training]
global_batch_size = 16
epochs = 2
seed = 1
)";

QByteArray prices() {
    QByteArray csv = "size,colour,price\n";
    for (int i = 0; i < 120; ++i)
        csv += QByteArray::number(20 + i % 40) + (i % 3 == 0 ? ",red," : ",\"dark, blue\",") +
               QByteArray::number(1000 + 25 * (i % 40)) + "\n";
    return csv;
}

JobServices realNetworks() {
    JobServices services;
    services.factsOfNetwork = job::factsOfNetwork;
    services.ask = job::ask;
    services.exportNetwork = job::exportNetwork;
    return services;
}

/// The page over a run that has ended.
struct Desk {
    EvaluationModel model;
    NetworkBridge networks{realNetworks()};
    EvaluatorDesk desk{model, networks};

    explicit Desk(const QString& runDir) {
        auto view = std::make_shared<job::RunView>();
        view->runDir = runDir.toStdString();
        view->name = QFileInfo(runDir).fileName().toStdString();
        view->state = job::RunState::Completed;
        view->backend = "local";
        view->jobToml = tests::kSmallJob.toStdString();
        view->checkpoints.emplace_back().step = 98;
        desk.resize(1180, 720);
        desk.show();
        desk.showView(view);
    }
    template <typename T>
    [[nodiscard]] T* find(const char* name) {
        return desk.findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] const AnswerModel& answers() { return desk.findChild<AnswersCard*>()->model(); }
    [[nodiscard]] QString cell(int row, int column) {
        return answers().index(row, column).data().toString();
    }
    void drop(const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files)
            urls << QUrl::fromLocalFile(file);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&desk, &enter);
        if (!enter.isAccepted()) return;
        QDropEvent event(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&desk, &event);
    }
    [[nodiscard]] bool awaitEnd() {
        return QTest::qWaitFor([this] { return !networks.isAsking(); }, kSoon);
    }
    void keepPicture(const char* name) {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            applyTheme(*qApp, mode);
            testsupport::settle(desk);
            const QString scale =
                qApp->devicePixelRatio() > 1.5 ? QStringLiteral("@2x") : QString();
            desk.grab().save(
                folder + QLatin1Char('/') + QLatin1String(name) +
                (mode == ThemeMode::Light ? QStringLiteral("-light") : QStringLiteral("-dark")) +
                scale + QStringLiteral(".png"));
        }
    }
};

}  // namespace

class EvaluatorPredictTest : public QObject {
    Q_OBJECT

    static void addRuns() {
        QTest::addColumn<QString>("run");
        QTest::newRow("a checkpoint of one file") << "digits";
        QTest::newRow("shards of two processes") << "shared";
    }

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        place_.write("prices.toml", kRows);
        place_.write("prices.csv", prices());
        place_.write("abc.toml", kText);
        place_.write("abc.txt", QByteArray("abcabcabcabc\n").repeated(60));
        REQUIRE_EXIT(place_.run({"run", "job.toml", "--run-dir", "digits"}), 0);
        REQUIRE_EXIT(place_.run({"run", "job.toml", "--run-dir", "shared", "--processes", "2",
                                 "--set", "distribution.mesh.model=2", "--set",
                                 R"(distribution.layout={ "layers.0.weight" = "out" })"}),
                     0);
        QVERIFY(place_.exists("shared/checkpoints/" + place_.latest("shared") +
                              "/model/shard-00002-model-00001-of-00001.safetensors"));
        REQUIRE_EXIT(place_.run({"run", "prices.toml", "--run-dir", "prices"}), 0);
        REQUIRE_EXIT(place_.run({"run", "abc.toml", "--run-dir", "abc"}), 0);
        QImage one(64, 64, QImage::Format_RGB32);
        one.fill(Qt::black);
        for (int y = 8; y < 56; ++y)
            for (int x = 30; x < 36; ++x)
                one.setPixelColor(x, y, Qt::white);
        QVERIFY(one.save(place_.path("one.png")));
        place_.write("torn.png", place_.read("one.png").left(60));
    }

    void droppedImagesAreAnsweredAndABrokenOneIsNamedInItsRow() {
        Desk desk(place_.path("digits"));
        desk.drop({place_.path("one.png"), place_.path("torn.png")});
        QVERIFY(desk.networks.isAsking());
        QVERIFY(desk.awaitEnd());

        QCOMPARE(desk.answers().rowCount(), 2);
        QCOMPARE(desk.cell(0, 0), QStringLiteral("one.png"));
        QVERIFY(
            !desk.answers().index(0, 0).data(AnswerModel::PictureRole).value<QImage>().isNull());
        const auto classes = desk.answers().index(0, 1).data(AnswerModel::ClassesRole).toList();
        QCOMPARE(classes.size(), 10);  // five with their probabilities
        QVERIFY(classes[1].toDouble() >= classes[3].toDouble());
        QVERIFY(desk.answers().index(1, 1).data(AnswerModel::ErrorRole).toBool());
        QVERIFY2(desk.cell(1, 1).contains(QStringLiteral("torn.png")), qPrintable(desk.cell(1, 1)));
        desk.keepPicture("predict-images");
    }

    void theAnswersAreThoseOfTheTerminalAndAreSavedInItsForm_data() { addRuns(); }
    void theAnswersAreThoseOfTheTerminalAndAreSavedInItsForm() {
        QFETCH(const QString, run);
        Desk desk(place_.path(run));
        desk.drop({place_.path("one.png")});
        QVERIFY(desk.awaitEnd());
        const QString file = place_.path(run + "-answers.json");
        desk.desk.findChild<AnswersCard*>()->saveTo(file);
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(file); }, kSoon));
        const Ended ended =
            place_.run({"predict", run, place_.path("one.png"), "--json", "--top", "5"});
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_.readJson(run + "-answers.json"), QJsonDocument::fromJson(ended.output));

        const QString csv = place_.path(run + "-answers.csv");
        desk.desk.findChild<AnswersCard*>()->saveTo(csv);
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(csv); }, kSoon));
        QVERIFY(place_.read(run + "-answers.csv").startsWith("file,class,probability,class_2,"));
        desk.find<QAbstractButton>("copyAnswers")->click();
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("file\tclass\t")));
    }

    void aTypedRowIsAnsweredInTheTargetsUnit() {
        Desk desk(place_.path("prices"));
        desk.desk.showPredict(true);
        auto* size = [&] {
            (void)QTest::qWaitFor([&] { return desk.find<QLineEdit>("row_size") != nullptr; },
                                  kSoon);
            return desk.find<QLineEdit>("row_size");
        }();
        QVERIFY(size);
        QVERIFY(!size->text().isEmpty());  // an ordinary row to begin with
        size->setText(QStringLiteral("30"));
        desk.find<QPushButton>("predictRow")->click();
        QVERIFY(desk.awaitEnd());
        QCOMPARE(desk.answers().rowCount(), 1);
        QCOMPARE(desk.answers().headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("price"));
        QVERIFY(desk.answers().answers().front().values.at(0).name == "price");

        size->setText(QStringLiteral("wide"));
        desk.find<QPushButton>("predictRow")->click();
        QVERIFY(desk.awaitEnd());
        QVERIFY2(desk.cell(0, 1).contains(QStringLiteral("wide")), qPrintable(desk.cell(0, 1)));
    }

    void pastedRowsMayLackTheirHeader() {
        Desk desk(place_.path("prices"));
        desk.desk.showPredict(true);
        QVERIFY(
            QTest::qWaitFor([&] { return desk.find<QLineEdit>("row_size") != nullptr; }, kSoon));
        QApplication::clipboard()->setText(QStringLiteral("30\tred\n31\tdark, blue\n"));
        desk.find<QPushButton>("pasteRows")->click();
        QVERIFY(desk.awaitEnd());
        QCOMPARE(desk.answers().rowCount(), 2);
        QCOMPARE(desk.cell(1, 0), QStringLiteral("row 2"));
        QApplication::clipboard()->setText(QStringLiteral("colour,size\nred,30\n"));
        desk.find<QPushButton>("pasteRows")->click();
        QVERIFY(desk.awaitEnd());
        QCOMPARE(desk.answers().rowCount(), 1);
        QVERIFY(!desk.answers().index(0, 1).data(AnswerModel::ErrorRole).toBool());
        desk.keepPicture("predict-rows");
    }

    void aPromptIsContinuedWhereItIsWritten() {
        Desk desk(place_.path("abc"));
        desk.desk.showPredict(true);
        auto* prompt = desk.find<QPlainTextEdit>("promptEdit");
        QVERIFY(QTest::qWaitFor([&] { return prompt->isVisible(); }, kSoon));
        prompt->setPlainText(QStringLiteral("abca"));
        desk.find<QSpinBox>("promptTokens")->setValue(20);
        desk.find<QPushButton>("continuePrompt")->click();
        QVERIFY(desk.awaitEnd());
        const QString text = desk.find<QPlainTextEdit>("answerText")->toPlainText();
        QVERIFY2(text.startsWith(QStringLiteral("abca")) && text.size() == 24, qPrintable(text));
        const Ended ended = place_.run({"predict", "abc", "--prompt", "abca", "--tokens", "20"});
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(QString::fromUtf8(ended.output).trimmed(), text.trimmed());
        desk.keepPicture("predict-text");
    }

    void aLongTextIsCancelledAndTheWindowGoesOnMeanwhile() {
        Desk desk(place_.path("abc"));
        job::Question question;
        question.prompt = "a";
        question.tokens = 500'000'000;  // longer than any test
        desk.networks.ask({place_.path("abc").toStdString(), false}, question);
        QSignalSpy written(&desk.networks, &NetworkBridge::written);
        QVERIFY(QTest::qWaitFor([&] { return !written.isEmpty(); }, kSoon));
        desk.find<QPushButton>("cancelAnswers")->click();
        QVERIFY(desk.awaitEnd());
        QVERIFY(!desk.find<QPushButton>("cancelAnswers")->isVisible());
    }

    void ofARunThatKeepsNoBestOneTheWayOutIsSaid() {
        Desk desk(place_.path("digits"));
        desk.desk.showPredict(true);
        desk.find<SegmentedControl>("whichCheckpoint")->setCurrent(1);
        auto* state = desk.find<QLabel>("questionState");
        QVERIFY(QTest::qWaitFor(
            [&] { return state->text().contains(QStringLiteral("no best checkpoint")); }, kSoon));
        QVERIFY2(state->text().contains(QStringLiteral("Take the newest one")),
                 qPrintable(state->text()));
    }

    void theNetworkIsExportedAsTheTerminalDoes_data() { addRuns(); }
    void theNetworkIsExportedAsTheTerminalDoes() {
        QFETCH(const QString, run);
        Desk desk(place_.path(run));
        const QString file = place_.path(run + "-here.onnx");
        desk.desk.exportTo(file, job::NetworkFormat::Onnx);
        QVERIFY(QTest::qWaitFor([&] { return desk.find<QPushButton>("showExported") != nullptr; },
                                kSoon));
        REQUIRE_EXIT(
            place_.run({"export", run, "--format", "onnx", "-o", place_.path(run + "-there.onnx")}),
            0);
        QVERIFY(!place_.read(run + "-here.onnx").isEmpty());
        QCOMPARE(place_.read(run + "-here.onnx"), place_.read(run + "-there.onnx"));
        desk.keepPicture("export-done");

        desk.desk.exportTo(place_.path("no/such/folder/w.safetensors"),
                           job::NetworkFormat::Safetensors);
        QVERIFY(QTest::qWaitFor([&] { return !desk.networks.isExporting(); }, kSoon));
        auto* notice = desk.find<QWidget>("exportNotice");
        QVERIFY(notice->isVisible());
    }

    void aRunWithoutACheckpointOffersNeither() {
        Desk desk(place_.path("digits"));
        QVERIFY(desk.find<QWidget>("exportButton")->isVisible());
        auto empty = std::make_shared<job::RunView>();
        empty->backend = "local";
        desk.desk.showView(empty);
        QVERIFY(!desk.find<QWidget>("exportButton")->isVisible());
    }

private:
    Workplace place_;
};

QTEST_MAIN(EvaluatorPredictTest)
#include "tst_evaluator_predict.moc"
