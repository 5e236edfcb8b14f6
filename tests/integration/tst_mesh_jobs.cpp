// SPDX-License-Identifier: Apache-2.0
// Jobs whose processes share the tensors of one network, as a user runs them: on every transport,
// killed and restarted, gone on with on another mesh, evaluated and exported.
#include <QRegularExpression>
#include <QtTest>
#include <array>

#include "tests/integration/workplace.h"
#include "tests/support/frozen_thread.h"
#include "tests/support/image_files.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 12;
/// Sums in another order round otherwise: losses are 1e-9 apart after 200 steps, and 4e-4 after
/// these 1,392, as those of two replicas and of one without a mesh are.
constexpr double kMayDiffer = 1e-3;

/// On 2 x 2: the first layer by its outputs, the second by its inputs.
QByteArray meshJob() {
    return longerJob(kEpochs) +
           "[distribution]\nmesh = { model = 2 }\n"
           "layout = { \"layers.0.weight\" = \"out\", \"layers.1.weight\" = \"in\" }\n";
}

QStringList jobIn(const QString& runDir, const QStringList& more = {}) {
    const QStringList processes =
        more.contains("--processes") ? QStringList{} : QStringList{"--processes", "4"};
    return QStringList{"run", "job.toml"} + processes + QStringList{"--run-dir", runDir} + more;
}

/// What the process has in memory that is not a file's.
double mebibytesOf(pid_t pid) {
    QFile status(QString("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly)) return 0;
    double kibibytes = 0;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith("RssAnon:") || line.startsWith("RssShmem:"))
            kibibytes += line.split(':')[1].replace("kB", "").trimmed().toDouble();
    return kibibytes / 1024;
}

/// The least of what it takes in a while.
double leastMebibytesOf(pid_t pid) {
    double least = mebibytesOf(pid);
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 3000) {
        QTest::qWait(20);  // a pause: between two looks at a process that tells nobody
        least = std::min(least, mebibytesOf(pid));
    }
    return least;
}

/// Near the end of the file.
void flipBitIn(const QString& path) {
    QFile file(path);
    char byte = 0;
    QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(file.size() - 5));
    QVERIFY(file.getChar(&byte) && file.seek(file.size() - 5));
    QVERIFY(file.putChar(static_cast<char>(byte ^ 1)));
}

}  // namespace

class MeshJobsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Workplace> place_;
    QString undisturbed_;  ///< The state hash of the job when nothing happens to it.

    /// Files of the newest checkpoint's model, where it is in shards.
    QStringList shardsOf(const QString& run) const {
        QFile latest(place_->path(run + "/checkpoints/LATEST"));
        if (!latest.open(QIODevice::ReadOnly)) return {};
        const QDir model(place_->path(run + "/checkpoints/" +
                                      QString::fromUtf8(latest.readLine()).trimmed() + "/model"));
        QStringList files;
        for (const QString& file : model.entryList(QDir::Files, QDir::Name))
            files << model.filePath(file);
        return files;
    }
    double testLoss(const QString& run) const {
        return place_->summary(run)["test_loss"].toDouble();
    }

private slots:
    void initTestCase() {
        place_ = std::make_unique<Workplace>();
        place_->write("job.toml", meshJob());
        REQUIRE_EXIT(place_->run(jobIn("undisturbed")), 0);
        undisturbed_ = place_->stateHash("undisturbed");
        QVERIFY(!undisturbed_.isEmpty());
        QCOMPARE(place_->summary("undisturbed")["backend"], QJsonValue("shm"));
        QCOMPARE(place_->summary("undisturbed")["world_size"], QJsonValue(4));
    }
    void cleanup() { QVERIFY2(place_->nothingRunsSoon(), "a process of the job is left running"); }

    void itEndsAsOneProcessDoesWithoutAMesh() {
        REQUIRE_EXIT(
            place_->run(jobIn("alone", {"--processes", "1", "--set", "distribution.mesh.model=1"})),
            0);
        QVERIFY(std::abs(testLoss("alone") / testLoss("undisturbed") - 1) < kMayDiffer);
    }

    void overGlooItEndsWithTheSameBits() {
        REQUIRE_EXIT(place_->run(jobIn("gloo", {"--set", "cluster.transport=gloo"})), 0);
        QCOMPARE(place_->summary("gloo")["backend"], QJsonValue("gloo"));
        QCOMPARE(place_->stateHash("gloo"), undisturbed_);
    }

    /// The other of its row waits for it in the midst of its own forward or backward.
    void aStuckMemberIsNamedAndNotWhoWaitsForIt() {
        const auto run = place_->start(
            jobIn("stuck", {"--set", "launch.on_stuck=stop", "--set", "training.epochs=1000",
                            "--set", "launch.stuck_grace_seconds=0"}));
        QVERIFY(place_->firstCheckpointComes("stuck"));
        // Of the first validation nobody knows how long it takes.
        QVERIFY(waitUntil([&] { return run->errors().contains("epoch 1: "); }));
        const auto workers = place_->processes("stuck", "worker");
        QCOMPARE(workers.size(), 4);
        const FrozenThread stuck(threadNamed(workers[3].pid, "train-3"));
        if (!stuck.isHeld()) QSKIP("this user may not trace processes");
        const Ended ended = run->waitForEnd(std::chrono::seconds(90));
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].startsWith("process 3 ("), ended.words());
    }

    void aKilledProcessIsNamedAndTheRestartEndsUndisturbed() {
        const auto run = place_->start(jobIn("killed", {"--set", "launch.max_restarts=2"}));
        QVERIFY(place_->firstCheckpointComes("killed"));
        const auto workers = place_->processes("killed", "worker");
        QCOMPARE(workers.size(), 4);
        QCOMPARE(::kill(workers[3].pid, SIGKILL), 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QVERIFY2((ended.output + ended.errors).contains("process 3"), ended.errors);
        QCOMPARE(place_->stateHash("killed"), undisturbed_);
    }

    /// Whoever dies while a checkpoint has some of its files: it never was one.
    void aProcessKilledBeforeTheManifestLeavesNoCheckpoint_data() {
        QTest::addColumn<int>("process");
        QTest::addRow("who commits") << 0;
        QTest::addRow("who writes a part") << 1;
    }
    void aProcessKilledBeforeTheManifestLeavesNoCheckpoint() {
        QFETCH(const int, process);
        const QString name = QString("torn-%1").arg(process);
        const auto run = place_->start(
            jobIn(name, {"--set", "launch.max_restarts=3", "--set", "checkpoint.every_steps=10"}));
        QVERIFY(place_->firstCheckpointComes(name));
        const auto workers = place_->processes(name, "worker");
        QCOMPARE(workers.size(), 4);
        const QDir checkpoints(place_->path(name + "/checkpoints"));
        const auto halfWritten = [&checkpoints] {
            for (const QString& folder :
                 checkpoints.entryList({".tmp-*"}, QDir::AllDirs | QDir::Hidden))
                if (!QDir(checkpoints.filePath(folder + "/model"))
                         .entryList(QDir::Files)
                         .isEmpty() &&
                    !QFile::exists(checkpoints.filePath(folder + "/manifest.json")))
                    return true;
            return false;
        };
        QElapsedTimer timer;
        timer.start();
        while (!halfWritten() && timer.elapsed() < 30'000)
            continue;
        QCOMPARE(::kill(workers[static_cast<std::size_t>(process)].pid, SIGKILL), 0);
        REQUIRE_EXIT(run->waitForEnd(), 0);
        QCOMPARE(place_->summary(name)["restarts"], QJsonValue(1));
        QCOMPARE(place_->stateHash(name), undisturbed_);
        QVERIFY(checkpoints.entryList({".tmp-*"}, QDir::AllEntries | QDir::Hidden).isEmpty());
        REQUIRE_EXIT(place_->run({"verify", name}), 0);
    }

    void aStoppedRunGoesOnOnTheSameMeshAndOnOthers() {
        const auto run = place_->start(jobIn("stopped"));
        QVERIFY(place_->firstCheckpointComes("stopped"));
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(QProcess::execute("cp", {"-r", place_->path("stopped"), place_->path("other")}) ==
                0);
        REQUIRE_EXIT(place_->run(jobIn("stopped", {"--resume"})), 0);
        QCOMPARE(place_->stateHash("stopped"), undisturbed_);
        REQUIRE_EXIT(
            place_->run(jobIn("other",
                              {"--resume", "--processes", "4", "--set", "distribution.mesh.model=4",
                               "--set", "distribution.layout={ \"layers.0.weight\" = \"in\" }"})),
            0);
        QVERIFY(std::abs(testLoss("other") / testLoss("undisturbed") - 1) < kMayDiffer);
    }

    /// From one form to the other, with a mesh and without one.
    void aRunGoesOnWhateverTheFormOfItsCheckpoints() {
        const auto run = place_->start(jobIn("forms", {"--set", "checkpoint.sharded=false"}));
        QVERIFY(place_->firstCheckpointComes("forms"));
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(shardsOf("forms").isEmpty());
        QVERIFY(QProcess::execute("cp", {"-r", place_->path("forms"), place_->path("flat")}) == 0);
        REQUIRE_EXIT(place_->run(jobIn("forms", {"--resume"})), 0);
        QCOMPARE(place_->stateHash("forms"), undisturbed_);
        QCOMPARE(shardsOf("forms").size(), 2);
        REQUIRE_EXIT(place_->run(jobIn("flat", {"--resume", "--processes", "1", "--set",
                                                "distribution.mesh.model=1"})),
                     0);
        QVERIFY(shardsOf("flat").isEmpty());
        QVERIFY(std::abs(testLoss("flat") / testLoss("undisturbed") - 1) < kMayDiffer);
    }

    void aDamagedShardIsNamedAndPutAside() {
        QVERIFY(QProcess::execute(
                    "cp", {"-r", place_->path("undisturbed"), place_->path("damaged")}) == 0);
        const QStringList shards = shardsOf("damaged");
        QCOMPARE(shards.size(), 2);
        flipBitIn(shards[1]);
        const Ended verified = place_->run({"verify", "damaged"});
        REQUIRE_EXIT(verified, 1);
        const QByteArray name = "model/shard-00002-model-00001-of-00001.safetensors";
        QVERIFY2((verified.output + verified.errors).contains(name), verified.words());
        REQUIRE_EXIT(place_->run({"verify", "damaged", "--repair"}), 0);
        REQUIRE_EXIT(place_->run({"evaluate", "damaged"}), 0);
    }

    /// The member that reads it is named, and all go on from the checkpoint before. Its part is of
    /// several blocks: process 0 reads the first one, for the header, and not that which is
    /// damaged.
    void aDamagedShardIsPassedOverByAllWhoReadTheirParts() {
        QByteArray wide = meshJob();
        wide.replace("units = 32", "units = 512");
        wide.replace("epochs = " + QByteArray::number(kEpochs), "epochs = 2");
        place_->write("wide.toml", wide);
        QStringList started = jobIn("passed");
        started.replace(1, "wide.toml");
        REQUIRE_EXIT(place_->run(started), 0);
        const QString whole = place_->stateHash("passed");
        flipBitIn(shardsOf("passed").value(1));
        QVERIFY(QFileInfo(shardsOf("passed").value(1)).size() > (512 << 10));
        REQUIRE_EXIT(place_->run(started << "--resume"), 0);
        QCOMPARE(place_->stateHash("passed"), whole);
        const QString warning =
            QJsonDocument(place_->summary("passed")["warnings"].toArray()).toJson();
        QVERIFY2(warning.contains("a damaged checkpoint was passed over") &&
                     warning.contains("process 1: ") &&
                     warning.contains("model/shard-00002-model-00001-of-00001.safetensors does not "
                                      "match its checksum"),
                 qPrintable(warning));
    }

    /// Above a member of the same job with next to no weights. The network is so large that what
    /// lint does not speak of, the activations of a step and of the test, is little beside it. No
    /// checkpoint is written meanwhile: of one lint speaks by itself, and where the disk or the
    /// processors are busy there may be no moment between two.
    void aMemberTakesTheMemoryThatLintSays() {
        const auto wide = [](const QByteArray& units) {
            const QByteArray layer = "  { type = \"dense\", units = " + units + " },\n";
            QByteArray job = longerJob(kEpochs);
            job.replace(job.indexOf("layers = ["),
                        job.indexOf("]\n[training]") - job.indexOf("layers = ["),
                        "layers = [\n" + layer + layer + layer + "  { units = 10 },\n");
            job.replace("global_batch_size = 512",
                        "global_batch_size = 8\nevaluate_every_steps = 5");
            job.replace("every_steps = 50", "every_steps = 100000");
            job.replace("[cluster]",
                        "[cluster]\njob_addresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]");
            return job +
                   "[distribution]\nmesh = { model = 2 }\nlayout = { \"layers.[02].weight\" = "
                   "\"out\", "
                   "\"layers.1.weight\" = \"in\" }\n";
        };
        std::array<double, 2> taken{};
        for (const int i : {0, 1}) {
            const QString run = QString("memory-%1").arg(i);
            place_->write("wide.toml", wide(i == 0 ? "8" : "4096"));
            const auto started = place_->start({"run", "wide.toml", "--run-dir", run});
            QVERIFY(waitUntil([&] {
                return place_->read(run + "/logs/process-0.log").contains("validation loss");
            }));
            const auto workers = place_->processes(run, "worker");
            QCOMPARE(workers.size(), 2);
            taken[static_cast<std::size_t>(i)] = leastMebibytesOf(workers[1].pid);
            QVERIFY(started->signal(SIGINT));
            REQUIRE_EXIT(started->waitForEnd(std::chrono::seconds(90)), 3);
        }
        const Ended linted = place_->run({"lint", "wide.toml"});
        const auto said = QRegularExpression("optimiser's\\s+state ([0-9.]+) MiB\\s+instead")
                              .match(QString::fromUtf8(linted.output + linted.errors));
        QVERIFY2(said.hasMatch(), linted.words());
        const double told = said.captured(1).toDouble();
        qInfo("lint says %.0f MiB, it takes %.0f", told, taken[1] - taken[0]);
        QVERIFY(std::abs((taken[1] - taken[0]) / told - 1) < 0.1);
    }

    void itsCheckpointsAreEvaluatedAndExportedAsAnyOther() {
        const Ended evaluated = place_->run({"evaluate", "undisturbed"});
        REQUIRE_EXIT(evaluated, 0);
        const QString loss = QString::number(testLoss("undisturbed"), 'f', 4);
        QVERIFY2(evaluated.output.contains("test loss " + loss.toUtf8()), evaluated.output);
        REQUIRE_EXIT(
            place_->run({"export", "undisturbed", "--format", "onnx", "--output", "network.onnx"}),
            0);
        QVERIFY(place_->exists("network.onnx"));
        // One file of all shards, as a run writes it whose checkpoints are one file each.
        QCOMPARE(shardsOf("undisturbed").size(), 2);
        REQUIRE_EXIT(place_->run(jobIn("plain", {"--set", "checkpoint.sharded=false"})), 0);
        QCOMPARE(place_->stateHash("plain"), undisturbed_);
        for (const QString& run : {QString("undisturbed"), QString("plain")})
            REQUIRE_EXIT(place_->run({"export", run, "--format", "safetensors", "--output",
                                      run + ".safetensors"}),
                         0);
        QCOMPARE(place_->read("undisturbed.safetensors"), place_->read("plain.safetensors"));
        QCOMPARE(place_->run({"evaluate", "plain"}).output, evaluated.output);
        const std::string png = pngOf(28, 28, Pixels(28 * 28, 77), PNG_FORMAT_GRAY);
        place_->write("grey.png", QByteArray::fromStdString(png));
        const Ended predicted = place_->run({"predict", "undisturbed", "grey.png", "--json"});
        REQUIRE_EXIT(predicted, 0);
        QVERIFY2(predicted.output.contains("grey.png"), predicted.output);
        QCOMPARE(place_->run({"predict", "plain", "grey.png", "--json"}).output, predicted.output);
    }
};

QTEST_GUILESS_MAIN(MeshJobsTest)
#include "tst_mesh_jobs.moc"
