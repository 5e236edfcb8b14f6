// SPDX-License-Identifier: Apache-2.0
// What accompanies a training: early stopping, the best checkpoint, NaN, logs, make-or-restore.
#include <sys/resource.h>

#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

/// Two processes that learn too fast, so that their validation loss soon gets worse.
const QByteArray kHasty = [] {
    QByteArray job = longerJob(40);
    job.replace("seed = 1", "learning_rate = 0.02\nseed = 1");
    return job + R"([early_stopping]
monitor = "validation_loss"
patience = 2
[log]
csv = true
)";
}();

QStringList jobIn(const QString& runDir, const QStringList& more = {}) {
    const QStringList processes =
        more.contains("--processes") ? QStringList{} : QStringList{"--processes", "2"};
    return QStringList{"run", "job.toml"} + processes + QStringList{"--run-dir", runDir} + more;
}

QStringList set(const QStringList& settings) {
    QStringList all;
    for (const QString& setting : settings)
        all += {"--set", setting};
    return all;
}

}  // namespace

class CallbacksTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Workplace> place_;
    QJsonObject undisturbed_;

    QStringList epochLines(const QString& run) const {
        return QString::fromUtf8(place_->read(run + "/epochs.csv")).trimmed().split('\n');
    }
    QString best(const QString& run) const {
        return QString::fromUtf8(place_->read(run + "/checkpoints/BEST").split('\n').first());
    }
    int linesWith(const QString& run, const QString& log, const QByteArray& words) const {
        int count = 0;
        for (const QByteArray& line : place_->read(run + "/logs/" + log).split('\n'))
            count += line.contains(words) ? 1 : 0;
        return count;
    }

private slots:
    void initTestCase() {
        place_ = std::make_unique<Workplace>();
        place_->write("job.toml", kHasty);
        REQUIRE_EXIT(place_->run(jobIn("whole")), 0);
        undisturbed_ = place_->summary("whole");
    }
    void cleanup() { QVERIFY2(place_->nothingRunsSoon(), "a process of the job is left running"); }

    void earlyStoppingCompletesTheRunWithItsBestWeights() {
        QCOMPARE(undisturbed_["status"], QJsonValue("completed"));
        const int epoch = undisturbed_["stopped_early_at_epoch"].toInt();
        QVERIFY(epoch > 2 && epoch < 40);
        QCOMPARE(undisturbed_["steps"], QJsonValue(epoch * 116));
        QCOMPARE(undisturbed_["best_epoch"], QJsonValue(epoch - 2));
        QCOMPARE(undisturbed_["restored_best"], QJsonValue(true));
        QCOMPARE(undisturbed_["validation_loss"], undisturbed_["best_value"]);
        QCOMPARE(best("whole"), QString("step-%1").arg((epoch - 2) * 116));
        QCOMPARE(place_->latest("whole"), QString("step-%1").arg(epoch * 116));
        QVERIFY(place_->exists("whole/checkpoints/" + best("whole") + "/manifest.json"));
        QCOMPARE(linesWith("whole", "process-0.log", "stopping early: validation_loss has not"), 1);
    }
    void theBestCheckpointScoresAsTheSummarySays() {
        const Ended scored = place_->run({"evaluate", "whole", "--best", "--json", "best.json"});
        REQUIRE_EXIT(scored, 0);
        const QJsonArray scores = place_->readJson("best.json").array();
        QCOMPARE(scores.size(), 2);
        QCOMPARE(scores[0]["step"], undisturbed_["best_step"]);
        QVERIFY(std::abs(scores[0]["loss"].toDouble() - undisturbed_["best_value"].toDouble()) <
                1e-5);
        QVERIFY(std::abs(scores[1]["accuracy"].toDouble() -
                         undisturbed_["test_accuracy"].toDouble()) < 1e-6);
    }
    void theCsvLogHasALineAnEpoch() {
        const QStringList lines = epochLines("whole");
        QCOMPARE(lines.size(), 1 + undisturbed_["stopped_early_at_epoch"].toInt());
        QCOMPARE(lines[0], QString("epoch,step,train_loss,train_accuracy,validation_loss,"
                                   "validation_accuracy,seconds"));
        const QStringList bestCells = lines[undisturbed_["best_epoch"].toInt()].split(',');
        QCOMPARE(bestCells[0].toInt(), undisturbed_["best_epoch"].toInt());
        QVERIFY(std::abs(bestCells[4].toDouble() - undisturbed_["best_value"].toDouble()) < 1e-8);
    }
    void aKilledRunResumesToTheSameEndWithoutDoubleEpochs() {
        const auto run = place_->start(jobIn("killed"));
        QVERIFY(waitUntil([&] { return place_->exists("killed/checkpoints/step-150"); }));
        const auto workers = place_->processes("killed", "worker");
        QCOMPARE(workers.size(), 2);
        QCOMPARE(::kill(workers[1].pid, SIGKILL), 0);
        REQUIRE_EXIT(run->waitForEnd(), 1);
        REQUIRE_EXIT(place_->run(jobIn("killed", {"--resume"})), 0);
        const QJsonObject summary = place_->summary("killed");
        for (const char* field : {"state_hash", "stopped_early_at_epoch", "best_step", "best_value",
                                  "validation_loss", "test_loss", "steps"})
            QCOMPARE(summary[field], undisturbed_[field]);
        QCOMPARE(best("killed"), best("whole"));
        const QStringList lines = epochLines("killed");
        const QStringList expected = epochLines("whole");
        QCOMPARE(lines.size(), expected.size());
        for (qsizetype i = 0; i < lines.size(); ++i)  // all but the seconds
            QCOMPARE(lines[i].section(',', 0, 5), expected[i].section(',', 0, 5));
    }
    void aRunThatStoppedEarlyStaysAsItIs() {
        REQUIRE_EXIT(place_->run(jobIn("whole", {"--resume"})), 0);
        QCOMPARE(place_->stateHash("whole"), undisturbed_["state_hash"].toString());
        QCOMPARE(epochLines("whole").size(), 1 + undisturbed_["stopped_early_at_epoch"].toInt());
    }

    void aLossThatIsNotANumberEndsTheJobBeforeTheWeightsAreTouched() {
        const Ended ended =
            place_->run(jobIn("nan", set({"training.optimizer=sgd", "training.learning_rate=1e6",
                                          "model.layers=[{ units = 32 }, { units = 10 }]",
                                          "training.epochs=3", "checkpoint.every_steps=1"})));
        REQUIRE_EXIT(ended, 1);
        const QStringList errors = errorsOf(ended);
        QCOMPARE(errors.size(), 1);
        QVERIFY2(
            QRegularExpression("^process [01] \\([^)]+\\): the loss became \\S+ at step \\d+ on "
                               "replica [01]; the step was not applied$")
                .match(errors[0])
                .hasMatch(),
            qPrintable(errors[0]));
        if (place_->exists("nan/checkpoints/LATEST")) {
            // What is kept can be evaluated: its weights are numbers.
            REQUIRE_EXIT(place_->run({"evaluate", "nan", "--json", "nan.json"}), 0);
        }
    }
    void makeOrRestoreBeginsThenGoesOn() {
        const QStringList restore = set({"checkpoint.resume=auto", "early_stopping.monitor=off"});
        const auto epochs = [&](int count) {
            return place_->run(
                jobIn("auto", restore + set({QString("training.epochs=%1").arg(count)})));
        };
        REQUIRE_EXIT(epochs(1), 0);
        REQUIRE_EXIT(epochs(2), 0);
        QCOMPARE(place_->summary("auto")["steps"], QJsonValue(232));
        QCOMPARE(epochLines("auto").size(), 3);
        REQUIRE_EXIT(place_->run(jobIn("straight",
                                       set({"early_stopping.monitor=off", "training.epochs=2"}))),
                     0);
        QCOMPARE(place_->stateHash("auto"), place_->stateHash("straight"));
    }
    void twoLaunchesInOneSecondGetAFolderEach() {
        const QStringList launch{
            "run", "job.toml", "--set", "training.epochs=1", "--set", "early_stopping.monitor=off"};
        const auto first = place_->start(launch);
        const auto second = place_->start(launch);
        REQUIRE_EXIT(first->waitForEnd(), 0);
        REQUIRE_EXIT(second->waitForEnd(), 0);
        QCOMPARE(QDir(place_->path("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 2);
    }
    void aLastCheckpointThatCannotBeWrittenFailsTheJob() {
        const auto run = place_->start(
            jobIn("lost", set({"training.epochs=100", "checkpoint.every_steps=0",
                               "checkpoint.every_epochs=1000", "early_stopping.monitor=off"})));
        QVERIFY(waitUntil([&] { return place_->exists("lost/epochs.csv"); }));
        QVERIFY(QDir(place_->path("lost")).rmdir("checkpoints"));
        place_->write("lost/checkpoints", "in the way");
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(QRegularExpression("^process 0 \\([^)]+\\): the last checkpoint could not be "
                                    "written: checkpoint of step 11600: ")
                     .match(errorsOf(ended)[0])
                     .hasMatch(),
                 ended.words());
        QVERIFY(!remedyOf(ended).isEmpty());
        QCOMPARE(place_->summary("lost")["status"], QJsonValue("failed"));
    }

    void aFullDiskHoldsTheEndUntilThereIsRoom() {
        const auto run = place_->start(
            jobIn("full", set({"training.epochs=100", "checkpoint.every_steps=0",
                               "checkpoint.every_epochs=1000", "early_stopping.monitor=off"})));
        QVERIFY(waitUntil([&] { return place_->exists("full/epochs.csv"); }));
        // No file of the chief's may grow over 4 KiB: to it the disk is full.
        const pid_t chief = place_->processes("full", "worker").at(0).pid;
        rlimit before{};
        QCOMPARE(::prlimit(chief, RLIMIT_FSIZE, nullptr, &before), 0);
        const rlimit small{4096, before.rlim_max};
        QCOMPARE(::prlimit(chief, RLIMIT_FSIZE, &small, nullptr), 0);
        QVERIFY(waitUntil([&] {
            return run->errors().contains(
                "warning: there is no room for the last checkpoint: "
                "checkpoint of step 11600: ");
        }));
        QVERIFY(!place_->exists("full/checkpoints/LATEST"));
        QCOMPARE(::prlimit(chief, RLIMIT_FSIZE, &before, nullptr), 0);
        REQUIRE_EXIT(run->waitForEnd(), 0);
        QCOMPARE(place_->latest("full"), QString("step-11600"));
        QCOMPARE(place_->summary("full")["warnings"].toArray().size(), 1);
    }
    void aStopEndsTheWaitForRoom() {
        const auto run = place_->start(
            jobIn("fuller", set({"training.epochs=100", "early_stopping.monitor=off"})));
        QVERIFY(place_->firstCheckpointComes("fuller"));
        const pid_t chief = place_->processes("fuller", "worker").at(0).pid;
        const rlimit small{4096, RLIM_INFINITY};
        QCOMPARE(::prlimit(chief, RLIMIT_FSIZE, &small, nullptr), 0);
        QVERIFY(waitUntil([&] { return run->errors().contains("there is no room"); }));
        QVERIFY(run->signal(SIGINT));
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(QRegularExpression("the last checkpoint could not be written: checkpoint of step "
                                    "11600: .*; the newest on disk is of step \\d+$")
                     .match(errorsOf(ended)[0])
                     .hasMatch(),
                 ended.words());
        QCOMPARE(place_->summary("fuller")["status"], QJsonValue("failed"));
    }

    void withoutShardingEveryProcessSeesEverySample() {
        const QStringList common = set({"early_stopping.monitor=off", "training.epochs=1"});
        REQUIRE_EXIT(place_->run(jobIn("off", common + set({"data.auto_shard=off"}))), 0);
        // Each step is that of one process with half the batch, its gradient taken twice.
        QCOMPARE(place_->summary("off")["steps"], QJsonValue(231));
        REQUIRE_EXIT(place_->run(jobIn("data", common + set({"data.auto_shard=data"}))), 0);
        REQUIRE_EXIT(place_->run(jobIn("auto-shard", common)), 0);
        QCOMPARE(place_->stateHash("data"), place_->stateHash("auto-shard"));
        const Ended file = place_->run(jobIn("file", common + set({"data.auto_shard=file"})));
        REQUIRE_EXIT(file, 2);
        QVERIFY2(errorsOf(file).value(0).contains("data.auto_shard is \"file\""), file.words());
        QVERIFY(!place_->exists("file"));
    }
    void theEvaluatorScoresEachCheckpointOnce() {
        const QStringList scored = set({"cluster.evaluator=true", "early_stopping.monitor=off",
                                        "checkpoint.keep_best=true", "training.epochs=2"});
        REQUIRE_EXIT(place_->run(jobIn("scored", scored)), 0);
        REQUIRE_EXIT(place_->run(jobIn("scored", scored + QStringList{"--resume"})), 0);
        REQUIRE_EXIT(place_->run(jobIn(
                         "scored", scored + set({"training.epochs=3"}) + QStringList{"--resume"})),
                     0);
        QMap<QByteArray, int> scores;
        const Ended csv = place_->run({"export", "scored", "--format", "csv"});
        for (const QByteArray& line : csv.output.split('\n')) {
            const QList<QByteArray> cells = line.split(',');
            if (cells.size() == 6 && cells[4].startsWith("evaluator/"))
                ++scores[cells[4] + cells[1]];
        }
        QVERIFY(scores.contains("evaluator/loss232") && scores.contains("evaluator/test_loss232"));
        QVERIFY(scores.contains("evaluator/loss348") && scores.contains("evaluator/test_loss348"));
        for (auto score = scores.cbegin(); score != scores.cend(); ++score)
            QVERIFY2(score.value() == 1, score.key().constData());
    }
};

QTEST_GUILESS_MAIN(CallbacksTest)
#include "tst_callbacks.moc"
