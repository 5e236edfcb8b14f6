// SPDX-License-Identifier: Apache-2.0
// lockstep-cuda.so as it was built, on libraries that stand in for CUDA's and compute on the
// processor (tests/support/cuda_emulation): its self-test, and jobs beside the CPU's.
#include <QtTest>
#include <cmath>

#include "tests/integration/idx_samples.h"
#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr const char* kWorker = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
constexpr const char* kLibraries = LOCKSTEP_BINARY_DIR "/tests/cuda_emulation";
constexpr int kChecks = 29;
/// Of them those that take more than one GPU.
constexpr int kMeshChecks = 3;

using Settings = QMap<QString, QString>;

/// Few samples, because every thread of every kernel is a turn of a loop here; the last batch of an
/// epoch is a smaller one.
constexpr quint32 kTrain = 2000;
constexpr quint32 kTest = 300;
const QByteArray kJob = R"([job]
name = "emulated"
[cluster]
evaluator = false
[data]
dataset = "idx"
directory = "data"
validation_samples = 300
[model]
layers = [
  { type = "dense", units = 33, activation = "relu" },
  { type = "dense", units = 10 },
]
[training]
global_batch_size = 64
epochs = 3
seed = 1
)";

/// Another network for the same data, few steps of it.
const QByteArray kConvolutional = R"([job]
name = "convolutional"
[cluster]
evaluator = false
[data]
dataset = "idx"
directory = "data"
validation_samples = 300
[model]
layers = [
  { type = "conv2d", filters = 6, kernel_size = 3, strides = 2, use_bias = false },
  { type = "batch_normalization", momentum = 0.8, activation = "relu" },
  { type = "max_pooling2d" },
  { type = "flatten" },
  { type = "dropout", rate = 0.2 },
  { type = "dense", units = "classes" },
]
[training]
global_batch_size = 200
epochs = 2
seed = 1
optimizer = "adamw"
schedule = { type = "cosine_decay", decay_epochs = 2 }
)";

const QByteArray kText = R"([job]
name = "text"
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
  { type = "embedding", input_dim = "vocabulary", output_dim = 16 },
  { type = "position_embedding", sequence_length = 16 },
  { residual = [
      { type = "layer_normalization" },
      { type = "multi_head_attention", num_heads = 2, causal = true, dropout = 0.1 },
  ] },
  { type = "dense", units = "vocabulary" },
]
[training]
global_batch_size = 64
epochs = 1
seed = 1
)";

/// Plain SGD: by Adam's rule the length of a gradient makes no difference.
const QStringList kClipped{"--set", "training.global_clipnorm=0.3",
                           "--set", "training.optimizer=sgd",
                           "--set", "training.learning_rate=0.1"};

}  // namespace

class GpuEmulatedTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;
    QJsonObject onCpu_;

    /// A run of the job; its summary is in the folder `name`.
    Ended train(const QString& name, const QStringList& more) {
        return place_.run(QStringList{"run", "job.toml", "--run-dir", name} + more);
    }
    /// Its losses are those of the CPU, up to `most` of them.
    void verifyNearCpu(const QString& name, double most) {
        const QJsonObject summary = place_.summary(name);
        QCOMPARE(summary["status"], QJsonValue("completed"));
        QCOMPARE(summary["steps"], onCpu_["steps"]);
        for (const char* key : {"train_loss", "validation_loss", "test_loss"}) {
            const double expected = onCpu_[key].toDouble();
            const double error = std::abs(summary[key].toDouble() - expected) / expected;
            QVERIFY2(error <= most, qPrintable(QString("%1 is off by %2").arg(key).arg(error)));
        }
    }

private slots:
    void initTestCase() {
        QDir().mkpath(place_.path("data"));
        place_.write("data/train-images-idx3-ubyte", idxImages(kTrain));
        place_.write("data/train-labels-idx1-ubyte", idxLabels(kTrain));
        place_.write("data/t10k-images-idx3-ubyte", idxImages(kTest));
        place_.write("data/t10k-labels-idx1-ubyte", idxLabels(kTest));
        place_.write("job.toml", kJob);
        place_.setEnvironment("LD_LIBRARY_PATH", kLibraries);
        const Ended ended = train("cpu", {"--set", "cluster.device=cpu"});
        REQUIRE_EXIT(ended, 0);
        onCpu_ = place_.summary("cpu");
    }

    void theSelfTestPasses_data() {
        QTest::addColumn<Settings>("settings");
        QTest::newRow("what nothing orders runs last first") << Settings{};
        QTest::newRow("no epilogue can be fused")
            << Settings{{"CUDA_EMULATION_WITHOUT_EPILOGUES", "0xFFF"}};
        QTest::newRow("a fused ReLU takes NaN for 0")
            << Settings{{"CUDA_EMULATION_RELU_DROPS_NAN", "1"}};
        QTest::newRow("four GPUs") << Settings{{"FAKE_CUDA_DEVICES", "4"}};
        QTest::newRow("two GPUs") << Settings{{"FAKE_CUDA_DEVICES", "2"}};
    }
    void theSelfTestPasses() {
        QFETCH(const Settings, settings);
        Workplace place;
        place.setEnvironment("LD_LIBRARY_PATH", kLibraries);
        for (auto one = settings.begin(); one != settings.end(); ++one)
            place.setEnvironment(one.key(), one.value());
        // Twenty seconds of a processor, of which others leave it a share.
        const Ended ended =
            place.startProgram(kWorker, {"--self-test"})->waitForEnd(std::chrono::minutes(4));
        REQUIRE_EXIT(ended, 0);
        int passed = 0;
        int lacking = 0;
        const int gpus = settings.value("FAKE_CUDA_DEVICES", "1").toInt();
        for (const QByteArray& line : ended.output.split('\n')) {
            passed += line.startsWith("ok ") ? 1 : 0;
            lacking += line.startsWith("skipped ") && line.contains(" GPUs, and there ") ? 1 : 0;
        }
        // Meshes of 1 x 2, 2 x 2 and 1 x 4.
        const int meshes = gpus >= 4 ? kMeshChecks : gpus >= 2 ? 1 : 0;
        QVERIFY2(passed == kChecks - kMeshChecks + meshes, ended.words().constData());
        QVERIFY2(lacking == kMeshChecks - meshes, ended.words().constData());
    }

    void aJobLearnsAsOnTheCpu_data() {
        QTest::addColumn<QString>("precision");
        QTest::addColumn<double>("most");
        QTest::newRow("float32") << "float32" << 1e-3;
        QTest::newRow("tf32") << "tf32" << 1e-2;
        QTest::newRow("bfloat16") << "bfloat16" << 5e-2;
    }
    void aJobLearnsAsOnTheCpu() {
        QFETCH(const QString, precision);
        QFETCH(const double, most);
        const Ended ended = train(
            precision, {"--set", "cluster.device=gpu", "--set", "training.precision=" + precision});
        REQUIRE_EXIT(ended, 0);
        verifyNearCpu(precision, most);
    }

    void twoGpusSumByNccl_data() {
        QTest::addColumn<QStringList>("shape");
        QTest::addColumn<QByteArray>("how");
        QTest::newRow("captured") << QStringList{"--processes", "2"}
                                  << QByteArray("one CUDA graph a step");
        // Graphs that hold sums of several GPUs of one process may deadlock.
        QTest::newRow("launched") << QStringList{"--set", "cluster.devices_per_process=2"}
                                  << QByteArray("launch by launch");
    }
    void twoGpusSumByNccl() {
        QFETCH(const QStringList, shape);
        QFETCH(const QByteArray, how);
        const QString name = QTest::currentDataTag();
        place_.setEnvironment("FAKE_CUDA_DEVICES", "2");
        const Ended ended = train(name, shape + QStringList{"--set", "cluster.device=gpu"});
        place_.setEnvironment("FAKE_CUDA_DEVICES", "1");
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_.summary(name)["backend"], QJsonValue("nccl"));
        QCOMPARE(place_.summary(name)["world_size"], QJsonValue(2));
        verifyNearCpu(name, 1e-3);
        const QByteArray log = place_.read(name + "/logs/process-0.log");
        QVERIFY2(log.contains(how), log.constData());
    }
    // 63 samples are shared as 32 and 31, the last 62 of an epoch's 1,700 as 31 and 31: the second
    // process knows steps of 31 samples already when the first captures its first.
    void replicasCaptureTheirGraphsTogetherWhereSharesAreUneven() {
        place_.setEnvironment("FAKE_CUDA_DEVICES", "2");
        const Ended ended = train("uneven", {"--processes", "2", "--set", "cluster.device=gpu",
                                             "--set", "training.global_batch_size=63"});
        place_.setEnvironment("FAKE_CUDA_DEVICES", "1");
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_.summary("uneven")["backend"], QJsonValue("nccl"));
    }
    void twoProcessesAndTwoGpusOfOneEndWithTheSameBits() {
        QCOMPARE(place_.stateHash("captured"), place_.stateHash("launched"));
    }

    void twoProcessesShareAGpu() {
        const Ended ended = train("shared", {"--processes", "2", "--set", "cluster.device=gpu"});
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_.summary("shared")["backend"], QJsonValue("shm"));
        verifyNearCpu("shared", 1e-3);
    }

    void aConvolutionalJobLearnsAsOnTheCpu_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<int>("gpus");
        QTest::newRow("whole steps") << QStringList{} << QByteArray("one CUDA graph a step") << 1;
        QTest::newRow("two replicas")
            << QStringList{"--processes", "2"} << QByteArray("one CUDA graph a step") << 2;
        QTest::newRow("the host takes part")
            << kClipped << QByteArray("two CUDA graphs a step, data and loss from the host") << 1;
        QTest::newRow("two replicas with the host")
            << QStringList{"--processes", "2"} + kClipped
            << QByteArray("the host takes part in each step: training.global_clipnorm is 0.3") << 2;
    }
    void aConvolutionalJobLearnsAsOnTheCpu() {
        QFETCH(const QStringList, more);
        QFETCH(const QByteArray, how);
        QFETCH(const int, gpus);
        place_.write("job.toml", kConvolutional);
        place_.setEnvironment("FAKE_CUDA_DEVICES", QByteArray::number(gpus));
        const QString name = QString("conv-%1").arg(QTest::currentDataTag()).replace(' ', '-');
        REQUIRE_EXIT(train(name + "-cpu", more + QStringList{"--set", "cluster.device=cpu"}), 0);
        onCpu_ = place_.summary(name + "-cpu");
        REQUIRE_EXIT(train(name, more + QStringList{"--set", "cluster.device=gpu"}), 0);
        place_.setEnvironment("FAKE_CUDA_DEVICES", "1");
        verifyNearCpu(name, 2e-3);
        const QByteArray log = place_.read(name + "/logs/process-0.log");
        QVERIFY2(log.contains(how), log.constData());
    }

    /// Samples and loss come from the host, weights and their updates stay on the GPU.
    void aJobThatTheHostFeedsEndsWithTheSameBitsLaunchByLaunch() {
        place_.write("job.toml", kConvolutional);
        const QStringList clipped = kClipped + QStringList{"--set", "cluster.device=gpu"};
        REQUIRE_EXIT(train("fed", clipped), 0);
        place_.setEnvironment("LOCKSTEP_CUDA_GRAPHS", "0");
        const Ended ended = train("fed-launched", clipped);
        place_.setEnvironment("LOCKSTEP_CUDA_GRAPHS", "1");
        REQUIRE_EXIT(ended, 0);
        QVERIFY(place_.read("fed-launched/logs/process-0.log").contains("launch by launch"));
        QCOMPARE(place_.summary("fed-launched")["state_hash"], place_.summary("fed")["state_hash"]);
    }

    /// Its loss is of positions: the host computes it.
    void aJobOfTextLearnsAsOnTheCpu() {
        QByteArray words;
        for (int i = 0; i < 1500; ++i)
            words += QByteArray("to be or not that is the question").split(' ')[i * i % 8] + ' ';
        place_.write("words.txt", words);
        place_.write("job.toml", kText);
        REQUIRE_EXIT(train("text-cpu", {"--set", "cluster.device=cpu"}), 0);
        onCpu_ = place_.summary("text-cpu");
        REQUIRE_EXIT(train("text", {"--set", "cluster.device=gpu"}), 0);
        verifyNearCpu("text", 1e-4);
        const QByteArray log = place_.read("text/logs/process-0.log");
        QVERIFY2(log.contains("the data are text"), log.constData());
    }
};

QTEST_GUILESS_MAIN(GpuEmulatedTest)
#include "tst_gpu_emulated.moc"
