// SPDX-License-Identifier: Apache-2.0
// Networks that several GPUs share, on libraries that stand in for CUDA's and NCCL's and compute on
// the processor (tests/support/cuda_emulation): beside the same meshes of CPUs.
#include <QtTest>
#include <cmath>

#include "tests/integration/idx_samples.h"
#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr const char* kLibraries = LOCKSTEP_BINARY_DIR "/tests/cuda_emulation";
constexpr quint32 kTrain = 900;
constexpr quint32 kTest = 200;

/// The last batch of an epoch is a smaller one. Columns, rows and a tensor that is gathered.
const QByteArray kDense = R"([job]
name = "dense"
[cluster]
evaluator = false
[data]
dataset = "idx"
directory = "data"
validation_samples = 150
[model]
layers = [
  { type = "dense", units = 32, activation = "relu" },
  { type = "dense", units = 24, activation = "tanh" },
  { type = "dropout", rate = 0.2 },
  { type = "dense", units = 10 },
]
[training]
global_batch_size = 64
epochs = 2
seed = 1
[checkpoint]
every_steps = 5
[distribution]
mesh = { model = 2 }
layout = { "layers.0.weight" = "out", "layers.1.weight" = "in", "layers.1.bias" = "out", "layers.3.weight" = "in" }
)";

/// Normalised by the batch's statistics, which are parts where the channels are.
const QByteArray kConvolutional = R"([job]
name = "convolutional"
[cluster]
evaluator = false
[data]
dataset = "idx"
directory = "data"
validation_samples = 150
[model]
layers = [
  { type = "conv2d", name = "c1", filters = 8, kernel_size = 3, padding = "same", use_bias = false },
  { type = "batch_normalization", name = "n1", activation = "relu" },
  { type = "conv2d", name = "c2", filters = 8, kernel_size = 3, padding = "same", activation = "relu" },
  { type = "conv2d", name = "c3", filters = 8, kernel_size = 3, padding = "same" },
  { type = "batch_normalization", name = "n3" },
  { type = "max_pooling2d" },
  { type = "flatten" },
  { type = "dense", name = "d", units = "classes" },
]
[training]
global_batch_size = 100
epochs = 1
seed = 1
[distribution]
mesh = { model = 2 }
layout = { "c1.weight" = "out", "c2.weight" = "in", "c3.weight" = "out", "d.weight" = "in" }
)";

const QByteArray kGpt = R"([job]
name = "gpt"
[cluster]
evaluator = false
[data]
dataset = "text"
files = ["words.txt"]
tokenizer = "characters"
sequence_length = 16
validation_split = 0.1
[model]
layers = [
  { type = "embedding", name = "wte", input_dim = "vocabulary", output_dim = 16 },
  { type = "position_embedding", name = "wpe", sequence_length = 16 },
  { type = "dropout", rate = 0.1 },
  { residual = [
      { type = "layer_normalization", name = "ln_1" },
      { type = "multi_head_attention", name = "attn", num_heads = 4, causal = true, dropout = 0.1 },
  ] },
  { residual = [
      { type = "layer_normalization", name = "ln_2" },
      { type = "dense", name = "c_fc", units = 32, activation = "gelu" },
      { type = "dropout", rate = 0.1 },
      { type = "dense", name = "c_proj", units = 16 },
  ] },
  { type = "dense", name = "head", units = "vocabulary", weights_of = "wte" },
]
[training]
global_batch_size = 32
epochs = 1
seed = 1
optimizer = "adamw"
[distribution]
mesh = { model = 2 }
layout = "megatron"
)";

struct Mesh {
    int rows = 1;
    int columns = 1;

    [[nodiscard]] QStringList arguments() const {
        return {"--processes", QString::number(rows * columns), "--set",
                QString("distribution.mesh.model=%1").arg(columns)};
    }
    [[nodiscard]] QString name() const { return QString("%1x%2").arg(rows).arg(columns); }
};

constexpr Mesh kTwoByTwo{2, 2};
/// Enough steps to be stopped in their midst.
constexpr const char* kLong = "training.epochs=50";

void addMeshes() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    for (const auto& [rows, columns] :
         {std::pair(1, 2), std::pair(2, 1), std::pair(2, 2), std::pair(1, 4)})
        QTest::addRow("%d x %d", rows, columns) << rows << columns;
}

}  // namespace

class GpuMeshesTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;

    [[nodiscard]] static QStringList jobIn(const QString& run, const QByteArray& device,
                                           const QStringList& more) {
        return QStringList{"run",       "job.toml",
                           "--run-dir", run,
                           "--set",     "cluster.device=" + device,
                           "--set",     "cluster.devices_per_process=1"} +
               more;
    }
    Ended train(const QString& run, const QByteArray& device, const QStringList& more) {
        return place_.run(jobIn(run, device, more));
    }
    /// The largest difference between the losses of two runs, as a share of them.
    double difference(const QString& run, const QString& reference) {
        double largest = 0;
        for (const char* key : {"train_loss", "validation_loss", "test_loss"}) {
            const QJsonValue mine = place_.summary(run)[key];
            const QJsonValue other = place_.summary(reference)[key];
            if (mine.isDouble() != other.isDouble()) return 1;
            if (mine.isDouble())
                largest = std::max(largest, std::abs(mine.toDouble() / other.toDouble() - 1));
        }
        return largest;
    }
    void verifyAsOnCpus(const QString& job, const Mesh& mesh, const QString& backend) {
        const QString onCpus = job + "-cpu-" + mesh.name();
        const QString onGpus = job + "-gpu-" + mesh.name();
        REQUIRE_EXIT(train(onCpus, "cpu", mesh.arguments()), 0);
        REQUIRE_EXIT(train(onGpus, "gpu", mesh.arguments()), 0);
        const QJsonObject summary = place_.summary(onGpus);
        QCOMPARE(summary["device"], QJsonValue("gpu"));
        QCOMPARE(summary["backend"], QJsonValue(backend));
        QCOMPARE(summary["steps"], place_.summary(onCpus)["steps"]);
        const double largest = difference(onGpus, onCpus);
        qInfo("largest difference of a loss: %.2g", largest);
        QVERIFY(largest < 1e-5);
    }
    [[nodiscard]] bool copyRun(const QString& from, const QString& to) const {
        return QProcess::execute("cp", {"-r", place_.path(from), place_.path(to)}) == 0;
    }

private slots:
    void initTestCase() {
        QDir().mkpath(place_.path("data"));
        place_.write("data/train-images-idx3-ubyte", idxImages(kTrain));
        place_.write("data/train-labels-idx1-ubyte", idxLabels(kTrain));
        place_.write("data/t10k-images-idx3-ubyte", idxImages(kTest));
        place_.write("data/t10k-labels-idx1-ubyte", idxLabels(kTest));
        QByteArray words;
        for (int i = 0; i < 500; ++i)
            words += QByteArray("to be or not that is the question").split(' ')[i * i % 8] + ' ';
        place_.write("words.txt", words);
        place_.setEnvironment("LD_LIBRARY_PATH", kLibraries);
        place_.setEnvironment("FAKE_CUDA_DEVICES", "4");
    }
    void init() { place_.write("job.toml", kDense); }
    void cleanup() { QVERIFY2(place_.nothingRunsSoon(), "a process of the job is left running"); }

    void denseLayersTrainAsOnAMeshOfCpus_data() { addMeshes(); }
    void denseLayersTrainAsOnAMeshOfCpus() {
        QFETCH(const int, rows);
        QFETCH(const int, columns);
        verifyAsOnCpus("dense", {rows, columns}, "nccl");
        const QByteArray log =
            place_.read("dense-gpu-" + Mesh{rows, columns}.name() + "/logs/process-0.log");
        QVERIFY2(log.contains("one CUDA graph a step"), log.constData());
    }

    void everyRunGivesTheSameBits() {
        REQUIRE_EXIT(train("again", "gpu", kTwoByTwo.arguments()), 0);
        QCOMPARE(place_.stateHash("again"), place_.stateHash("dense-gpu-2x2"));
    }

    /// Graphs that hold sums of several GPUs of one process may deadlock: launch by launch.
    void severalGpusOfAProcessEndWithTheSameBits_data() {
        QTest::addColumn<int>("processes");
        QTest::addRow("a row each") << 2;
        QTest::addRow("all in one") << 1;
    }
    void severalGpusOfAProcessEndWithTheSameBits() {
        QFETCH(const int, processes);
        const QString run = QString("of-%1").arg(processes);
        REQUIRE_EXIT(train(run, "gpu",
                           {"--processes", QString::number(processes), "--set",
                            QString("cluster.devices_per_process=%1").arg(4 / processes)}),
                     0);
        QCOMPARE(place_.summary(run)["backend"], QJsonValue("nccl"));
        QCOMPARE(place_.stateHash(run), place_.stateHash("dense-gpu-2x2"));
        const QByteArray log = place_.read(run + "/logs/process-0.log");
        QVERIFY2(log.contains("launch by launch"), log.constData());
    }

    /// NCCL may add three numbers in another order in each column.
    void threeRowsAddInOneOrder() {
        place_.setEnvironment("FAKE_CUDA_DEVICES", "6");
        verifyAsOnCpus("dense", {3, 2}, "nccl");
        place_.setEnvironment("FAKE_CUDA_DEVICES", "4");
    }

    void convolutionsWithBatchNormalisationTrainAsOnAMeshOfCpus_data() { addMeshes(); }
    void convolutionsWithBatchNormalisationTrainAsOnAMeshOfCpus() {
        QFETCH(const int, rows);
        QFETCH(const int, columns);
        place_.write("job.toml", kConvolutional);
        verifyAsOnCpus("conv", {rows, columns}, "nccl");
    }

    /// Its loss is of positions: the host takes part.
    void aSmallGptTrainsAsOnAMeshOfCpus_data() { addMeshes(); }
    void aSmallGptTrainsAsOnAMeshOfCpus() {
        QFETCH(const int, rows);
        QFETCH(const int, columns);
        place_.write("job.toml", kGpt);
        verifyAsOnCpus("gpt", {rows, columns}, "shm");
    }

    void aRunGoesOnOnAnotherMeshAndOnAnotherDevice() {
        const auto run = place_.start(
            jobIn("stopped", "gpu", kTwoByTwo.arguments() + QStringList{"--set", kLong}));
        QVERIFY(place_.firstCheckpointComes("stopped"));
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(place_.exists("stopped/checkpoints/" + place_.latest("stopped") +
                              "/model/model.safetensors.index.json") ||
                !QDir(place_.path("stopped/checkpoints/" + place_.latest("stopped") + "/model"))
                     .isEmpty());
        for (const char* to : {"same", "other", "cpus"})
            QVERIFY(copyRun("stopped", to));
        const QStringList resume{"--resume", "--set", "training.epochs=3"};
        REQUIRE_EXIT(train("same", "gpu", resume + kTwoByTwo.arguments()), 0);
        REQUIRE_EXIT(train("other", "gpu", resume + Mesh{1, 4}.arguments()), 0);
        REQUIRE_EXIT(train("cpus", "cpu", resume + Mesh{1, 2}.arguments()), 0);
        QVERIFY(difference("other", "same") < 1e-5);
        QVERIFY(difference("cpus", "same") < 1e-5);
        QCOMPARE(place_.summary("cpus")["device"], QJsonValue("cpu"));
        REQUIRE_EXIT(place_.run({"verify", "same"}), 0);
        REQUIRE_EXIT(place_.run({"evaluate", "same"}), 0);
    }

    void aRunOfCpusGoesOnOnGpus() {
        QVERIFY(copyRun("dense-cpu-2x2", "from-cpus"));
        REQUIRE_EXIT(
            train("from-cpus", "gpu",
                  QStringList{"--resume", "--set", "training.epochs=3"} + kTwoByTwo.arguments()),
            0);
        QVERIFY(copyRun("dense-cpu-2x2", "on-cpus"));
        REQUIRE_EXIT(
            train("on-cpus", "cpu",
                  QStringList{"--resume", "--set", "training.epochs=3"} + kTwoByTwo.arguments()),
            0);
        QVERIFY(difference("from-cpus", "on-cpus") < 1e-5);
    }

    /// Whoever waits for it in a row or in a column is let go, and the job goes on from its shards.
    void aKilledProcessIsNamedAndTheRestartEndsUndisturbed() {
        const QStringList more{"--set", "training.epochs=12"};
        REQUIRE_EXIT(train("whole", "gpu", more + kTwoByTwo.arguments()), 0);
        const auto run = place_.start(
            jobIn("killed", "gpu",
                  more + kTwoByTwo.arguments() + QStringList{"--set", "launch.max_restarts=2"}));
        QVERIFY(place_.firstCheckpointComes("killed"));
        const auto workers = place_.processes("killed", "worker");
        QCOMPARE(workers.size(), 4);
        QCOMPARE(::kill(workers[3].pid, SIGKILL), 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QVERIFY2((ended.output + ended.errors).contains("process 3"), ended.errors);
        QCOMPARE(place_.summary("killed")["restarts"], QJsonValue(1));
        QCOMPARE(place_.stateHash("killed"), place_.stateHash("whole"));
    }

    /// Its host knows that it is stopped; its row and its column wait for it on their GPUs, and are
    /// let go.
    void aFrozenMemberIsNamedAndItsPeersEnd() {
        const auto run = place_.start(
            jobIn("frozen", "gpu",
                  kTwoByTwo.arguments() + QStringList{"--set", "training.epochs=500", "--set",
                                                      "cluster.heartbeat_timeout_seconds=3"}));
        QVERIFY(place_.firstCheckpointComes("frozen"));
        const auto workers = place_.processes("frozen", "worker");
        QCOMPARE(workers.size(), 4);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(::kill(workers[3].pid, SIGSTOP), 0);
        const Ended ended = run->waitForEnd();
        qInfo("ended %.1f s after the stop", static_cast<double>(timer.elapsed()) / 1000);
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].contains("process 3"), ended.words().constData());
        QVERIFY(timer.elapsed() < 30'000);
        for (const auto& worker : workers)
            QVERIFY(waitUntil([&] { return !isRunning(worker); }));
    }

    void ncclIsRefusedWhereTheHostTakesPart() {
        place_.write("job.toml", kGpt);
        const Ended ended =
            train("refused", "gpu",
                  Mesh{1, 2}.arguments() + QStringList{"--set", "cluster.transport=nccl"});
        REQUIRE_EXIT(ended, 2);
        QVERIFY2(ended.errors.contains("the data are text: the host takes part in each"),
                 ended.words().constData());
    }
};

QTEST_GUILESS_MAIN(GpuMeshesTest)
#include "tst_gpu_meshes.moc"
