// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

const QStringList kTwoProcesses{"--processes", "2"};

QStringList runArguments(const QString& runDir, const QStringList& more) {
    return QStringList{"run", "job.toml", "--run-dir", runDir} + more;
}

bool isFraction(const QJsonValue& value) {
    return value.isDouble() && value.toDouble() >= 0 && value.toDouble() <= 1;
}

bool isPositive(const QJsonValue& value) {
    return value.isDouble() && value.toDouble() > 0;
}

/// The last line's value of this tag and process in an export.
QByteArray lastValue(const QByteArray& csv, const QByteArray& tag, const QByteArray& process) {
    QByteArray value;
    for (const QByteArray& line : csv.split('\n')) {
        const QList<QByteArray> cells = line.split(',');
        if (cells.size() == 6 && cells[4] == tag && cells[2] == process) value = cells[5];
    }
    return value;
}

}  // namespace

class RunTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;
    Ended guide_;  ///< Two processes with an evaluator: most checks look at this one.

    QString hashOf(const QString& runDir, const QStringList& more) {
        const Ended ended = place_.run(runArguments(runDir, more));
        if (!ended.exitedWith(0)) qWarning("%s", ended.words().constData());
        return ended.exitedWith(0) ? place_.stateHash(runDir) : "failed: " + runDir;
    }

private slots:
    void initTestCase() {
        guide_ = place_.run(runArguments(
            "guide",
            kTwoProcesses + QStringList{"--set", "cluster.evaluator=true", "--json", "out.json"}));
        REQUIRE_EXIT(guide_, 0);
    }

    void aHeartbeatLimitOfOneSecondIsKept() {
        Workplace place;
        place.write("job.toml", longerJob(60));
        const Ended ended = place.run(runArguments(
            "hasty", kTwoProcesses + QStringList{"--set", "cluster.heartbeat_timeout_seconds=1"}));
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(place.summary("hasty")["train_seconds"].toDouble() > 1, "too short to show it");
    }

    void theSummaryHoldsEveryFieldOfTheContract() {
        const QJsonObject summary = place_.summary("guide");
        QStringList fields = summary.keys();
        fields.sort();
        QCOMPARE(fields, (QStringList{"backend",
                                      "best_epoch",
                                      "best_step",
                                      "best_value",
                                      "device",
                                      "devices",
                                      "drills",
                                      "epochs",
                                      "evaluation",
                                      "failures",
                                      "left_hosts",
                                      "lost_records",
                                      "missing_records",
                                      "processes",
                                      "records",
                                      "replaced_hosts",
                                      "restarts",
                                      "restored_best",
                                      "restored_step",
                                      "samples_per_second",
                                      "skipped_steps",
                                      "state_hash",
                                      "status",
                                      "step_milliseconds",
                                      "steps",
                                      "stopped_early_at_epoch",
                                      "stopped_early_because",
                                      "stragglers",
                                      "stragglers_left_out",
                                      "test_accuracy",
                                      "test_loss",
                                      "total_wall_seconds",
                                      "train_accuracy",
                                      "train_loss",
                                      "train_seconds",
                                      "trained_steps",
                                      "validation_accuracy",
                                      "validation_loss",
                                      "wall_seconds",
                                      "warnings",
                                      "world_size"}));
        QCOMPARE(summary["status"], QJsonValue("completed"));
        QCOMPARE(summary["world_size"], QJsonValue(2));
        QCOMPARE(summary["backend"], QJsonValue("shm"));
        QCOMPARE(summary["device"], QJsonValue("cpu"));
        QCOMPARE(summary["steps"], QJsonValue(98));
        QCOMPARE(summary["epochs"], QJsonValue(1));
        QCOMPARE(summary["restarts"], QJsonValue(0));
        QCOMPARE(summary["failures"], QJsonValue(QJsonArray()));
        const QJsonValue evaluation = summary["evaluation"];
        QVERIFY(evaluation["checkpoints"].toInt() > 0);
        QCOMPARE(evaluation["scored"], evaluation["checkpoints"]);
        QVERIFY(!summary["state_hash"].toString().isEmpty());
        for (const char* key : {"train_loss", "validation_loss", "test_loss", "train_seconds",
                                "wall_seconds", "samples_per_second"})
            QVERIFY2(isPositive(summary[key]), key);
        for (const char* key : {"train_accuracy", "validation_accuracy", "test_accuracy"})
            QVERIFY2(isFraction(summary[key]), key);
        QVERIFY(summary["test_accuracy"].toDouble() > 0.6);  // guessing gives 0.1
        const QJsonValue milliseconds = summary["step_milliseconds"];
        QVERIFY(isPositive(milliseconds["p50"]));
        QVERIFY(milliseconds["p99"].toDouble() >= milliseconds["p50"].toDouble());
        QVERIFY(summary["wall_seconds"].toDouble() >= summary["train_seconds"].toDouble());
    }
    void jsonWritesTheSameSummary() {
        QCOMPARE(place_.read("out.json"), place_.read("guide/summary.json"));
    }

    void theRunFolderHoldsWhatTheContractSays() {
        for (const char* name :
             {"guide/job.toml", "guide/journal", "guide/summary.json", "guide/processes.json",
              "guide/logs/process-0.log", "guide/logs/process-1.log", "guide/checkpoints/LATEST"})
            QVERIFY2(place_.exists(name), name);
        for (const char* step : {"step-60", "step-80", "step-98"}) {
            QStringList files = QDir(place_.path("guide/checkpoints/" + QString(step)))
                                    .entryList(QDir::Files, QDir::Name);
            QCOMPARE(files, (QStringList{"manifest.json", "model.safetensors",
                                         "optimizer.safetensors", "state.json"}));
        }
        QCOMPARE(place_.latest("guide"), QString("step-98"));
        QCOMPARE(QDir(place_.path("guide/checkpoints"))
                     .entryList(QDir::Dirs | QDir::NoDotAndDotDot)
                     .size(),
                 3);  // checkpoint.keep
        for (const char* run : {"replica-0", "replica-1", "train", "validation", "evaluator"}) {
            const QDir events(place_.path("guide/events/" + QString(run)));
            QCOMPARE(events.entryList({"events.out.tfevents.*"}, QDir::Files).size(), 1);
        }
    }
    void nothingIsLeftRunningNorInTheRuntimeFolder() {
        QVERIFY(place_.nothingRunsSoon());
        QCOMPARE(place_.readJson("guide/processes.json").array(), QJsonArray());
        QVERIFY(QDir(place_.path("runtime/lockstep")).isEmpty());
    }
    void theResolvedJobFileCanBeLaunchedAgain() {
        const Ended again =
            place_.run({"run", "guide/job.toml", "--run-dir", "again", "--processes", "2"});
        REQUIRE_EXIT(again, 0);
        QCOMPARE(place_.stateHash("again"), place_.stateHash("guide"));
        const Ended lint = place_.run({"lint", "guide/job.toml"});
        REQUIRE_EXIT(lint, 0);
    }

    void progressIsPlainLinesWithoutATerminal() {
        QVERIFY(guide_.errors.contains("epoch 1: loss "));
        QVERIFY(guide_.errors.contains("evaluator: checkpoint of step 98: test loss "));
        QVERIFY(!guide_.errors.contains('\r') && !guide_.errors.contains('\033'));
        QVERIFY(guide_.output.contains("completed after 98 steps on 2 replicas (shm)"));
        QVERIFY(errorsOf(guide_).isEmpty());
    }

    void exportPrintsALineASample() {
        const Ended ended = place_.run({"export", "guide", "--format", "csv"});
        REQUIRE_EXIT(ended, 0);
        const QList<QByteArray> lines = ended.output.trimmed().split('\n');
        QCOMPARE(lines.first(), QByteArray("wall_time,step,process_id,replica,tag,value"));
        QMap<QByteArray, int> count;
        for (const QByteArray& line : lines.mid(1)) {
            const QList<QByteArray> cells = line.split(',');
            QCOMPARE(cells.size(), 6);
            bool isNumber = false;
            cells[5].toDouble(&isNumber);
            QVERIFY2(isNumber, line);
            ++count[cells[4] + " " + cells[3]];
        }
        for (const char* tag : {"train/loss", "train/accuracy", "time/step_ms"}) {
            QCOMPARE(count[QByteArray(tag) + " 0"], 98);
            QCOMPARE(count[QByteArray(tag) + " 1"], 98);
        }
        QCOMPARE(count["validation/loss "], 1);
        QVERIFY(count["evaluator/loss "] >= 1);  // the newest is scored, others may be passed over
        QCOMPARE(count["evaluator/test_accuracy "], 1);
    }
    void runsListsTheFolder() {
        const Ended text = place_.run({"runs", "."});
        REQUIRE_EXIT(text, 0);
        QVERIFY(text.output.contains("completed"));
        const Ended json = place_.run({"runs", ".", "--json"});
        REQUIRE_EXIT(json, 0);
        QStringList folders;
        for (const QJsonValue& run : QJsonDocument::fromJson(json.output).array()) {
            QCOMPARE(run["status"], QJsonValue("completed"));
            QCOMPARE(run["running"], QJsonValue(false));
            QCOMPARE(run["name"], QJsonValue("small"));
            QVERIFY(isFraction(run["test_accuracy"]));
            QVERIFY(!run["run_id"].toString().isEmpty());
            folders.append(QFileInfo(run["run_dir"].toString()).fileName());
        }
        QVERIFY(folders.contains("guide"));
    }
    void aRunWithoutAFolderLiesBelowRunsAndIsFoundByNameAndId() {
        const Workplace place;
        REQUIRE_EXIT(place.run({"run", "job.toml"}), 0);
        const QStringList runs =
            QDir(place.path("runs")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
        QCOMPARE(runs.size(), 1);
        QVERIFY2(runs[0].startsWith("small-"), qPrintable(runs[0]));
        const Ended byName = place.run({"attach", runs[0]});
        REQUIRE_EXIT(byName, 0);
        const Ended listed = place.run({"runs", "--json"});
        const QString id = QJsonDocument::fromJson(listed.output)[0]["run_id"].toString();
        const Ended byId = place.run({"attach", id});
        REQUIRE_EXIT(byId, 0);
        QVERIFY(byId.output.contains("completed after 98 steps"));
    }

    void evaluateScoresACheckpointAsTheEvaluatorDid() {
        REQUIRE_EXIT(place_.run({"evaluate", "guide", "--json", "scores.json"}), 0);
        const QJsonArray scores = place_.readJson("scores.json").array();
        QCOMPARE(scores.size(), 2);
        const QJsonObject summary = place_.summary("guide");
        const QByteArray csv = place_.run({"export", "guide", "--format", "csv"}).output;
        const auto compare = [&](const QJsonValue& score, const QString& split,
                                 const QByteArray& prefix) {
            QCOMPARE(score["split"], QJsonValue(split));
            QCOMPARE(score["step"], QJsonValue(98));
            for (const QString& figure : {QString("loss"), QString("accuracy")}) {
                const double value = score[figure].toDouble();
                QCOMPARE(value, summary[split + "_" + figure].toDouble());
                const QByteArray told = lastValue(csv, prefix + figure.toUtf8(), "");
                QVERIFY2(std::abs(value - told.toDouble()) < 1e-6, told);
            }
            int samples = 0;
            for (const QJsonValue& row : score["confusion"].toArray())
                for (const QJsonValue& count : row.toArray())
                    samples += count.toInt();
            QCOMPARE(samples, 10000);
            QCOMPARE(score["per_class_accuracy"].toArray().size(), 10);
        };
        compare(scores[0], "validation", "evaluator/");
        compare(scores[1], "test", "evaluator/test_");
    }

    void theSameJobGivesTheSameStateOverEveryTransport() {
        const QString expected = place_.stateHash("guide");
        QCOMPARE(hashOf("shm", kTwoProcesses + QStringList{"--set", "cluster.transport=shm"}),
                 expected);
        QCOMPARE(hashOf("gloo", kTwoProcesses + QStringList{"--set", "cluster.transport=gloo"}),
                 expected);
        QCOMPARE(hashOf("threads", {"--processes", "1", "--set", "cluster.devices_per_process=2"}),
                 expected);
        QCOMPARE(place_.summary("gloo")["backend"], QJsonValue("gloo"));
        QCOMPARE(place_.summary("threads")["backend"], QJsonValue("local"));
    }
    void processesWithSeveralReplicasTrainAsOne() {
        const QStringList replicas{"--set", "cluster.devices_per_process=2"};
        const QString both = hashOf("two-by-two", kTwoProcesses + replicas);
        QCOMPARE(place_.summary("two-by-two")["world_size"], QJsonValue(4));
        QCOMPARE(hashOf("four", {"--processes", "4"}), both);
        QVERIFY(both != place_.stateHash("guide"));  // four sums round otherwise than two
    }
    /// As one of cloud storage is (gcsfuse, s3fs, a share): seen by those who have mounted it
    /// alone.
    void theRunFolderMayLieOnAFileSystemThatIsMounted() {
        if (QProcess::execute("unshare", {"--mount", "true"}) != 0)
            QSKIP("this user may not have a name space of mounts");
        QDir().mkdir(place_.path("mounted"));
        const QString control = LOCKSTEP_BINARY_DIR "/bin/lockstepctl ";
        const QStringList script{
            "mount -t tmpfs none mounted",
            control + "run job.toml --processes 2 --run-dir mounted/run",
            "ls mounted/run/events/replica-1/events.out.tfevents.*",
            control + "verify mounted/run",
            control + "evaluate mounted/run",
            control +
                "run job.toml --processes 2 --run-dir mounted/run --resume --set "
                "training.epochs=2",
            "cp mounted/run/summary.json mounted.json"};
        const Ended ended =
            place_.startProgram("unshare", {"--mount", "sh", "-e", "-c", script.join(" && ")})
                ->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        const Ended usual = place_.run(
            runArguments("usual", kTwoProcesses + QStringList{"--set", "training.epochs=2"}));
        REQUIRE_EXIT(usual, 0);
        QVERIFY(!place_.exists("mounted/run"));
        QCOMPARE(place_.readJson("mounted.json")["state_hash"].toString(),
                 place_.stateHash("usual"));
    }

    void anotherSeedGivesAnotherState() {
        QVERIFY(hashOf("seed", kTwoProcesses + QStringList{"--set", "training.seed=2"}) !=
                place_.stateHash("guide"));
    }
    void oneProcessAloneTrainsAndHasNoEvaluator() {
        const Ended ended = place_.run(runArguments("alone", {}));
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_.summary("alone")["backend"], QJsonValue("local"));
        QVERIFY(!place_.exists("alone/logs/evaluator.log"));
        QVERIFY(!ended.errors.contains("evaluator"));
    }
};

QTEST_GUILESS_MAIN(RunTest)
#include "tst_run.moc"
