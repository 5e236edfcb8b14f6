// SPDX-License-Identifier: Apache-2.0
// Runs that are stopped, killed and frozen; and what becomes of them.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

const QStringList kJob{"run", "job.toml"};
const QStringList kTwoProcesses{"--processes", "2"};
constexpr int kEpochs = 60;
constexpr int kSteps = kEpochs * 116;
constexpr std::chrono::seconds kSoon{10};

QStringList jobIn(const QString& runDir, const QStringList& more = {}) {
    const QStringList processes = more.contains("--processes") ? QStringList{} : kTwoProcesses;
    return kJob + processes + QStringList{"--run-dir", runDir} + more;
}

}  // namespace

class StopAndResumeTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Workplace> place_;
    QString undisturbed_;  ///< The state hash of the job when nothing happens to it.

    bool killed(const ProcessIdentity& process, int signal = SIGKILL) const {
        return ::kill(process.pid, signal) == 0;
    }
    /// --resume goes on from a checkpoint (not from the beginning) and ends as if nothing had been.
    void resumeEndsUndisturbed(const QString& runDir) {
        const Ended resumed = place_->run(jobIn(runDir, {"--resume"}));
        REQUIRE_EXIT(resumed, 0);
        QCOMPARE(place_->stateHash(runDir), undisturbed_);
        QCOMPARE(place_->summary(runDir)["steps"], QJsonValue(kSteps));
    }

private slots:
    void initTestCase() {
        place_ = std::make_unique<Workplace>();
        place_->write("job.toml", longerJob(kEpochs));
        REQUIRE_EXIT(place_->run(jobIn("undisturbed")), 0);
        undisturbed_ = place_->stateHash("undisturbed");
        QVERIFY(!undisturbed_.isEmpty());
    }
    void cleanup() { QVERIFY2(place_->nothingRunsSoon(), "a process of the job is left running"); }

    void anInterruptStopsWithACheckpointAndResumeGoesOn() {
        const auto run = place_->start(jobIn("stopped"));
        QVERIFY(place_->firstCheckpointComes("stopped"));
        QVERIFY(run->signal(SIGINT));
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 3);
        QVERIFY(errorsOf(ended).isEmpty());
        const QJsonObject summary = place_->summary("stopped");
        QCOMPARE(summary["status"], QJsonValue("stopped"));
        const int step = summary["steps"].toInt();
        QVERIFY(step >= 50 && step < kSteps);
        QCOMPARE(place_->latest("stopped"), QString("step-%1").arg(step));
        resumeEndsUndisturbed("stopped");
    }

    void aKilledWorkerEndsTheRunWithOneNamedCause() {
        const auto run = place_->start(jobIn("killed"));
        QVERIFY(place_->firstCheckpointComes("killed"));
        const auto workers = place_->processes("killed", "worker");
        const auto agents = place_->processes("killed", "agent");
        QCOMPARE(workers.size(), 2);
        QCOMPARE(agents.size(), 1);
        QVERIFY(killed(workers[1]));
        const Ended ended = run->waitForEnd(kSoon);
        REQUIRE_EXIT(ended, 1);
        const QStringList errors = errorsOf(ended);
        QCOMPARE(errors.size(), 1);
        QVERIFY2(
            QRegularExpression("^process 1 \\([^)]+\\): .*was killed by signal 9 \\(SIGKILL\\)")
                .match(errors[0])
                .hasMatch(),
            qPrintable(errors[0]));
        QVERIFY(remedyOf(ended).size() <= 4);
        for (const ProcessIdentity& process : workers + agents)
            QVERIFY(waitUntil([&] { return !isRunning(process); }, kSoon));
        const QJsonObject summary = place_->summary("killed");
        QCOMPARE(summary["status"], QJsonValue("failed"));
        QCOMPARE(summary["failures"].toArray().size(), 1);
        const QJsonValue failure = summary["failures"][0];
        QCOMPARE(failure["process_id"], QJsonValue(1));
        QVERIFY(failure["cause"].toString().contains("SIGKILL"));
        QVERIFY(failure["step"].isDouble());
        QVERIFY(failure["detected_after_seconds"].toDouble() < 5);
        resumeEndsUndisturbed("killed");
    }

    void theOthersComplaintsDoNotHideWhoWasKilledOverGloo() {
        const auto run =
            place_->start(jobIn("gloo", {"--processes", "3", "--set", "cluster.transport=gloo"}));
        QVERIFY(place_->firstCheckpointComes("gloo"));
        const auto workers = place_->processes("gloo", "worker");
        QCOMPARE(workers.size(), 3);
        QVERIFY(killed(workers[2]));
        const Ended ended = run->waitForEnd(kSoon);
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(
            errorsOf(ended)[0].startsWith("process 2 (") && errorsOf(ended)[0].contains("SIGKILL"),
            ended.words());
    }

    void theRestartPolicyBringsAKilledJobToItsEnd() {
        const auto run = place_->start(jobIn("restarted", {"--set", "launch.max_restarts=1"}));
        QVERIFY(place_->firstCheckpointComes("restarted"));
        const auto workers = place_->processes("restarted", "worker");
        QCOMPARE(workers.size(), 2);
        QVERIFY(killed(workers[0]));
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        const QJsonObject summary = place_->summary("restarted");
        QCOMPARE(summary["status"], QJsonValue("completed"));
        QCOMPARE(summary["restarts"], QJsonValue(1));
        QCOMPARE(summary["failures"].toArray().size(), 1);
        QCOMPARE(summary["failures"][0]["process_id"], QJsonValue(0));
        QCOMPARE(summary["state_hash"], QJsonValue(undisturbed_));
        // Steps that were trained again are exported once.
        const Ended csv = place_->run({"export", "restarted", "--format", "csv"});
        REQUIRE_EXIT(csv, 0);
        QSet<QByteArray> steps;
        int lines = 0;
        for (const QByteArray& line : csv.output.split('\n')) {
            const QList<QByteArray> cells = line.split(',');
            if (cells.size() != 6 || cells[4] != "train/loss" || cells[2] != "1") continue;
            steps.insert(cells[1]);
            ++lines;
        }
        QCOMPARE(lines, kSteps);
        QCOMPARE(steps.size(), qsizetype{kSteps});
    }

    void anEvaluatorThatDiesDoesNotTakeTheTrainingAlong() {
        const auto run = place_->start(jobIn("evaluator", {"--set", "cluster.evaluator=true"}));
        QVERIFY(place_->firstCheckpointComes("evaluator"));
        const auto evaluators = place_->processes("evaluator", "evaluator");
        QCOMPARE(evaluators.size(), 1);
        QVERIFY(killed(evaluators[0]));
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_->stateHash("evaluator"), undisturbed_);
        QVERIFY2(QRegularExpression("evaluator.*was killed by signal 9 \\(SIGKILL\\)")
                     .match(QString::fromUtf8(ended.errors))
                     .hasMatch(),
                 ended.words());
    }

    void theWorkersOfAKilledAgentDieAndTheRunCanBeResumed() {
        const auto run = place_->start(jobIn("agent"));
        QVERIFY(place_->firstCheckpointComes("agent"));
        const auto workers = place_->processes("agent", "worker");
        QCOMPARE(workers.size(), 2);
        QVERIFY(killed(place_->processes("agent", "agent").at(0)));
        const Ended ended = run->waitForEnd(kSoon);
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        for (const ProcessIdentity& worker : workers)
            QVERIFY(waitUntil([&] { return !isRunning(worker); }, kSoon));
        resumeEndsUndisturbed("agent");
    }

    void aTiedJobEndsWithItsTerminal() {
        const auto run = place_->start(jobIn("tied"));
        QVERIFY(place_->firstCheckpointComes("tied"));
        const auto workers = place_->processes("tied", "worker");
        QVERIFY(run->signal(SIGKILL));
        QVERIFY(run->waitForEnd().signalled);
        QVERIFY(place_->nothingRunsSoon());
        QCOMPARE(workers.size(), 2);
        QCOMPARE(place_->summary("tied")["status"], QJsonValue("stopped"));
        resumeEndsUndisturbed("tied");
    }

    void aFrozenWorkerIsNamedWhenItsHeartbeatIsMissed() {
        const auto run =
            place_->start(jobIn("frozen", {"--set", "cluster.heartbeat_timeout_seconds=2"}));
        QVERIFY(place_->firstCheckpointComes("frozen"));
        const auto workers = place_->processes("frozen", "worker");
        QCOMPARE(workers.size(), 2);
        QVERIFY(killed(workers[1], SIGSTOP));
        const Ended ended = run->waitForEnd(std::chrono::seconds(20));
        REQUIRE_EXIT(ended, 1);
        const QStringList errors = errorsOf(ended);
        QCOMPARE(errors.size(), 1);
        QVERIFY2(errors[0].startsWith("process 1 (") &&
                     errors[0].contains("): is stopped (SIGSTOP or a debugger), and sent no "
                                        "heartbeat for "),
                 qPrintable(errors[0]));
        QVERIFY2(remedyOf(ended).join(' ').contains("kill -CONT"), ended.words());
        QVERIFY(!isRunning(workers[1]));
        const QJsonValue failure = place_->summary("frozen")["failures"][0];
        const double seconds = failure["detected_after_seconds"].toDouble();
        QVERIFY2(seconds > 0 && seconds <= 4, qPrintable(QString::number(seconds)));
    }

    void aSecondInterruptEndsTheRunAtOnce() {
        const auto run = place_->start(jobIn("twice"));
        QVERIFY(place_->firstCheckpointComes("twice"));
        // A frozen worker cannot stop after its step: the first interrupt alone waits for it.
        const auto workers = place_->processes("twice", "worker");
        QCOMPARE(workers.size(), 2);
        QVERIFY(killed(workers[1], SIGSTOP));
        QVERIFY(run->signal(SIGINT));
        QVERIFY(waitUntil([&] { return run->errors().contains("stopping after this step"); }));
        QVERIFY(run->signal(SIGINT));
        const Ended ended = run->waitForEnd(kSoon);
        QVERIFY2(!ended.signalled && (ended.status == 1 || ended.status == 3), ended.words());
    }

    void aFinishedRunThatIsResumedStaysAsItIs() {
        const QByteArray summary = place_->read("undisturbed/summary.json");
        const QByteArray job = place_->read("undisturbed/job.toml");
        const Ended again =
            place_->run(jobIn("undisturbed", {"--resume", "--set", "training.learning_rate=0.5"}));
        REQUIRE_EXIT(again, 0);
        QCOMPARE(place_->read("undisturbed/summary.json"), summary);
        QCOMPARE(place_->read("undisturbed/job.toml"), job);
        QVERIFY2(again.errors.contains("warning: nothing is left to train: the run ended at step "
                                       "6960; this was not used: training.learning_rate = 0.5 "
                                       "(was 0.001)"),
                 again.words());
        QVERIFY(again.output.contains("completed after 6960 steps"));
    }
    void aRefusedResumeLeavesTheRunAsItWas() {
        const auto before = place_->contents();
        for (const char* setting :
             {"training.optimizer=sgd", "model.layers=[{ units = 32 }, { units = 10 }]",
              "training.global_batch_size=256"}) {
            const Ended refused = place_->run(jobIn("undisturbed", {"--resume", "--set", setting}));
            REQUIRE_EXIT(refused, 2);
            QVERIFY2(errorsOf(refused).value(0).startsWith("the checkpoint of step 6960"),
                     refused.words());
            QVERIFY(place_->nothingRunsSoon());
            const auto after = place_->contents();
            for (auto file = after.cbegin(); file != after.cend(); ++file)
                QVERIFY2(before.contains(file.key()) && before[file.key()] == file.value(),
                         qPrintable(file.key()));
            QCOMPARE(after.size(), before.size());
        }
        REQUIRE_EXIT(place_->run({"attach", "undisturbed"}), 0);
    }
    void aResumeWithOtherSettingsSaysSo() {
        const auto run = place_->start(jobIn("other"));
        QVERIFY(place_->firstCheckpointComes("other"));
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
        const Ended resumed =
            place_->run(jobIn("other", {"--resume", "--set", "training.learning_rate=0.002"}));
        REQUIRE_EXIT(resumed, 0);
        QVERIFY2(resumed.errors.contains(
                     "on the run trains with training.learning_rate = 0.002 (was 0.001)"),
                 resumed.words());
        QCOMPARE(place_->summary("other")["warnings"].toArray().size(), 1);
    }
    void aRunWhoseCheckpointsAreAllDamagedIsNotBegunAnew() {
        const auto run = place_->start(jobIn("ruined"));
        QVERIFY(place_->firstCheckpointComes("ruined"));
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QDir checkpoints(place_->path("ruined/checkpoints"));
        for (const QString& name : checkpoints.entryList({"step-*"}))
            QVERIFY(QFile::resize(checkpoints.filePath(name + "/model.safetensors"), 100));
        const auto before = place_->contents();
        const Ended refused = place_->run(jobIn("ruined", {"--resume"}));
        REQUIRE_EXIT(refused, 2);
        QVERIFY2(errorsOf(refused).value(0).startsWith("none of the checkpoints in "),
                 refused.words());
        QVERIFY(place_->nothingRunsSoon());
        QCOMPARE(place_->contents(), before);
        const Ended scored = place_->run({"evaluate", "ruined"});
        REQUIRE_EXIT(scored, 1);
        QVERIFY2(scored.errors.contains("warning: "), scored.words());
        const Ended anew = place_->run(jobIn("ruined", {"--resume", "--from-scratch"}));
        REQUIRE_EXIT(anew, 0);
        QCOMPARE(place_->stateHash("ruined"), undisturbed_);
        QVERIFY2(anew.errors.contains("training begins at step 0, as asked: what the run had"),
                 anew.words());
        for (auto file = before.cbegin(); file != before.cend(); ++file)
            if (file.key().startsWith("ruined/checkpoints/") && file.value() != "folder")
                QCOMPARE(place_->read("ruined/earlier" + file.key().mid(6)), file.value());
        QVERIFY(place_->exists("ruined/earlier/journal"));
    }
    void resumingWithMoreEpochsGoesOn() {
        const Ended first = place_->run({"run", "job.toml", "--processes", "2", "--run-dir",
                                         "longer", "--set", "training.epochs=1"});
        REQUIRE_EXIT(first, 0);
        const Ended second = place_->run({"run", "job.toml", "--processes", "2", "--run-dir",
                                          "longer", "--set", "training.epochs=2", "--resume"});
        REQUIRE_EXIT(second, 0);
        const Ended whole = place_->run({"run", "job.toml", "--processes", "2", "--run-dir",
                                         "whole", "--set", "training.epochs=2"});
        REQUIRE_EXIT(whole, 0);
        QCOMPARE(place_->stateHash("longer"), place_->stateHash("whole"));
    }
    void anotherTransportAndGroupingMayResume() {
        const auto run = place_->start(jobIn("moved"));
        QVERIFY(place_->firstCheckpointComes("moved"));
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
        const Ended resumed =
            place_->run({"run", "job.toml", "--processes", "1", "--set",
                         "cluster.devices_per_process=2", "--run-dir", "moved", "--resume"});
        REQUIRE_EXIT(resumed, 0);
        QCOMPARE(place_->stateHash("moved"), undisturbed_);
    }
    void aDamagedNewestCheckpointIsPassedOver() {
        const auto run = place_->start(jobIn("damaged"));
        QVERIFY(place_->firstCheckpointComes("damaged"));
        QVERIFY(waitUntil([&] { return place_->exists("damaged/checkpoints/step-100"); }));
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
        const QString newest = place_->latest("damaged");
        const QString file = "damaged/checkpoints/" + newest + "/model.safetensors";
        QByteArray weights = place_->read(file);
        weights[weights.size() / 2] = static_cast<char>(weights[weights.size() / 2] ^ 1);
        place_->write(file, weights);
        const Ended scored = place_->run({"evaluate", "damaged"});
        REQUIRE_EXIT(scored, 0);
        QVERIFY2(scored.errors.contains("warning: passed over a damaged checkpoint: "),
                 scored.words());
        const Ended resumed = place_->run(jobIn("damaged", {"--resume"}));
        REQUIRE_EXIT(resumed, 0);
        QCOMPARE(place_->stateHash("damaged"), undisturbed_);
        QVERIFY2(resumed.errors.contains("warning: a damaged checkpoint was passed over: "),
                 resumed.words());
    }
};

QTEST_GUILESS_MAIN(StopAndResumeTest)
#include "tst_stop_and_resume.moc"
