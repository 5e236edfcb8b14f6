// SPDX-License-Identifier: GPL-3.0-or-later
// What is done with one checkpoint of a real run: exported, gone on from, another run begun with
// its weights.
#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTimer>
#include <QtTest>

#include "tests/integration/workplace.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/bridge/network_bridge.h"
#include "ui/pages/evaluator/checkpoint_actions.h"
#include "ui/pages/evaluator/evaluator_desk.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/pages/job/job_page.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::WindowFixture;

namespace {

constexpr int kSoon = 60'000;

std::shared_ptr<job::RunView> viewOf(const QString& runDir) {
    auto view = std::make_shared<job::RunView>();
    view->runDir = runDir.toStdString();
    view->name = "small";
    view->state = job::RunState::Completed;
    view->backend = "local";
    QFile job(runDir + QStringLiteral("/job.toml"));
    if (job.open(QIODevice::ReadOnly)) view->jobToml = job.readAll().toStdString();
    for (const std::int64_t step : {40, 80, 98}) {
        job::CheckpointView& checkpoint = view->checkpoints.emplace_back();
        checkpoint.step = step;
        checkpoint.deleted = step == 40;
        auto evaluation = std::make_shared<job::EvaluationView>();
        evaluation->step = step;
        evaluation->split = "validation";
        evaluation->accuracy = 0.5;
        view->evaluations.push_back(std::move(evaluation));
    }
    return view;
}

struct Desk {
    EvaluationModel model;
    NetworkBridge networks;
    EvaluatorDesk desk{model, networks};

    explicit Desk(const std::shared_ptr<const job::RunView>& view) : networks(services()) {
        desk.resize(1180, 720);
        desk.show();
        model.update(view->evaluations);
        desk.showView(view);
    }
    static JobServices services() {
        JobServices services;
        services.ask = job::ask;
        services.exportNetwork = job::exportNetwork;
        return services;
    }
    void choose(int row) { find<QTableView>("evaluationTable").selectRow(row); }
    template <typename T>
    [[nodiscard]] T& find(const char* name) const {
        auto* found = desk.findChild<T*>(QLatin1String(name));
        if (found == nullptr) qFatal("there is no %s", name);
        return *found;
    }
};

/// Types the name into the dialog that asks for one, and returns what it had proposed.
void answerFileDialog(const QString& path, QString& proposed) {
    QTimer::singleShot(0, qApp, [path, &proposed] {
        QWidget* dialog = nullptr;
        (void)QTest::qWaitFor(
            [&dialog] { return (dialog = QApplication::activeModalWidget()) != nullptr; }, 5000);
        auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        proposed = name->text();
        name->setText(path);
        QMetaObject::invokeMethod(dialog, "accept");
    });
}

}  // namespace

class CheckpointActionsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        REQUIRE_EXIT(place_.run({"run", "job.toml", "--run-dir", "run"}), 0);
        view_ = viewOf(place_.path("run"));
    }

    void theChosenCheckpointIsExportedAsTheTerminalDoes() {
        Desk desk(view_);
        desk.choose(1);
        for (const auto& [action, format] :
             {std::pair("exportChosenSafetensors", "safetensors"), {"exportChosenOnnx", "onnx"}}) {
            const QString here = place_.path(QStringLiteral("here.") + QLatin1String(format));
            QString proposed;
            answerFileDialog(here, proposed);
            desk.find<QAction>(action).trigger();
            QTRY_VERIFY_WITH_TIMEOUT(!desk.networks.isExporting() && QFile::exists(here), kSoon);
            QCOMPARE(proposed, QStringLiteral("small-step-80.") + QLatin1String(format));
            REQUIRE_EXIT(place_.run({"export", "run/checkpoints/step-80", "--format", format, "-o",
                                     QStringLiteral("there.") + QLatin1String(format)}),
                         0);
            QCOMPARE(place_.read(QStringLiteral("here.") + QLatin1String(format)),
                     place_.read(QStringLiteral("there.") + QLatin1String(format)));
        }
        QVERIFY(desk.find<QWidget>("exportNotice").isVisible());
        desk.desk.exportStep(7, place_.path("gone.onnx"), job::NetworkFormat::Onnx);
        QTRY_VERIFY_WITH_TIMEOUT(!desk.networks.isExporting(), kSoon);
        QVERIFY(!place_.exists("gone.onnx"));
        bool isSaid = false;
        for (const QLabel* label : desk.find<QWidget>("exportNotice").findChildren<QLabel*>())
            isSaid = isSaid || label->text().contains(QStringLiteral(
                                   "The files of the checkpoint of step 7 are gone"));
        QVERIFY(isSaid);
    }

    void whatIsGoneOffersNothingAndSaysWhy() {
        Desk desk(view_);
        desk.choose(0);
        for (const char* name : {"exportChosen", "startFromChosen"}) {
            const auto& button = desk.find<QPushButton>(name);
            QVERIFY(button.isVisible() && !button.isEnabled());
            QCOMPARE(button.toolTip(),
                     QStringLiteral("The files of the checkpoint of step 40 are gone."));
        }
        auto past = std::make_shared<job::RunView>(*view_);
        past->momentWallTime = 1;
        desk.desk.showView(past);
        desk.choose(1);
        QVERIFY(!desk.find<QPushButton>("exportChosen").isEnabled());
        QVERIFY(desk.find<QPushButton>("exportChosen").toolTip().contains(QStringLiteral("End")));
    }

    void aResumeIsOfferedAtTheCheckpointThatItGoesOnFrom() {
        Desk desk(view_);
        desk.choose(2);
        QVERIFY(!desk.find<QPushButton>("resumeChosen").isVisible());
        auto stopped = std::make_shared<job::RunView>(*view_);
        stopped->state = job::RunState::Stopped;
        desk.desk.showView(stopped);
        desk.choose(2);
        auto& resume = desk.find<QPushButton>("resumeChosen");
        QVERIFY(resume.isVisible() && resume.isEnabled());
        const QSignalSpy wanted(&desk.desk, &EvaluatorDesk::resumeWanted);
        QTest::keyClick(&resume, Qt::Key_Space);
        QCOMPARE(wanted.size(), 1);
        desk.choose(1);
        QVERIFY(!resume.isVisible());
    }

    void anotherRunBeginsWithTheWeightsOfTheChosenCheckpoint() {
        Desk desk(view_);
        desk.choose(1);
        const QSignalSpy wanted(&desk.desk, &EvaluatorDesk::startWanted);
        desk.find<QPushButton>("startFromChosen").click();
        QTRY_COMPARE_WITH_TIMEOUT(wanted.size(), 1, kSoon);
        const QString weights = wanted.front().front().toString();
        QCOMPARE(weights, place_.path("run/checkpoints/step-80/model.safetensors"));

        // In the window: its job, with these weights, for a run of its own.
        WindowFixture fixture;
        QVERIFY(fixture.showLaunched(*view_));
        Q_EMIT fixture.window().findChild<EvaluatorDesk*>()->startWanted(weights);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.editor().text().contains(weights), 5000);
        QVERIFY(fixture.editor().isCopy() &&
                !fixture.editor().text().contains(QStringLiteral("run_dir")));
        QVERIFY(!fixture.editor().hasErrors());
        QVERIFY(fixture.window().findChild<JobPage*>()->isVisible());
        place_.write("from.toml", fixture.editor().text().toUtf8());
        REQUIRE_EXIT(place_.run({"run", "from.toml", "--run-dir", "from"}), 0);
        QVERIFY(place_.read("from/logs/process-0.log").contains("begins with 4 tensors of"));
        QVERIFY(place_.summary("from")["train_loss"].toDouble() <
                place_.summary("run")["train_loss"].toDouble());
    }

    void aCheckpointWithoutOneFileOfWeightsIsSaid() {
        Desk desk(view_);
        desk.choose(1);
        const QString file = place_.path("run/checkpoints/step-80/model.safetensors");
        QVERIFY(QFile::rename(file, file + QStringLiteral(".away")));
        const QSignalSpy wanted(&desk.desk, &EvaluatorDesk::startWanted);
        desk.find<QPushButton>("startFromChosen").click();
        const auto& said = desk.find<QLabel>("checkpointActionSaid");
        QTRY_VERIFY_WITH_TIMEOUT(said.isVisible(), kSoon);
        QVERIFY(said.text().startsWith(QStringLiteral("There is no ") + file));
        QVERIFY(said.property("problem").toBool() && wanted.isEmpty());
        QVERIFY(QFile::rename(file + QStringLiteral(".away"), file));
        desk.choose(2);
        QVERIFY(!said.isVisible());
    }

private:
    tests::Workplace place_;
    std::shared_ptr<const job::RunView> view_;
};

QTEST_MAIN(CheckpointActionsTest)
#include "tst_checkpoint_actions.moc"
