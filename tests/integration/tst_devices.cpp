// SPDX-License-Identifier: Apache-2.0
// Which devices who computes on: jobs and programs of the C++ API on a machine of four GPUs, for
// which libraries stand that compute on the processor (tests/support/cuda_emulation).
#include <QTcpServer>
#include <QtTest>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/distribution/devices.h"
#include "core/distribution/model_parallel.h"
#include "core/distribution/strategy.h"
#include "core/fit/model.h"
#include "core/job/fit.h"
#include "tests/integration/idx_samples.h"
#include "tests/integration/workplace.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

constexpr const char* kWorker = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
constexpr const char* kLibraries = LOCKSTEP_BINARY_DIR "/tests/cuda_emulation:" LOCKSTEP_BINARY_DIR
                                                       "/bin:" LOCKSTEP_BINARY_DIR "/lib/lockstep";

const QByteArray kJob = R"([job]
name = "devices"
[cluster]
evaluator = false
[data]
dataset = "idx"
directory = "data"
validation_samples = 100
[model]
layers = [ { type = "dense", units = 10 } ]
[training]
global_batch_size = 64
epochs = 1
seed = 1
)";

int freePort() {
    QTcpServer server;
    return server.listen(QHostAddress::LocalHost) ? server.serverPort() : 0;
}

int failed(const Error& error) {
    std::printf("error: %s\n", error.message.c_str());
    return 2;
}

int report(const Result<job::FitResult>& result) {
    if (!result) return failed(result.error());
    std::printf("summary %s\n", result->summaryJson.c_str());
    return 0;
}

/// Images of the program's own.
fit::Dataset stripes() {
    std::vector<std::uint8_t> pixels;
    std::vector<std::int64_t> classes;
    for (std::size_t i = 0; i < std::size_t{200} * 64; ++i)
        pixels.push_back(static_cast<std::uint8_t>(i % 64 / 7 == i / 64 % 10 ? 255 : i % 50));
    for (std::int64_t i = 0; i < 200; ++i)
        classes.push_back(i % 10);
    return fit::Dataset::fromTensors(*fit::Tensor::make(pixels, {200, 8, 8}),
                                     fit::Tensor::ofValues(classes));
}

void printSummary() {
    std::ifstream summary("run/summary.json");
    std::printf("summary %s\n", std::string(std::istreambuf_iterator<char>(summary), {}).c_str());
}

/// What is set: two rows of two devices of that type that share the network, or one device.
Result<std::shared_ptr<const distribution::Distribution>> sharing(const std::string& type,
                                                                  bool isMesh) {
    std::vector<std::string> devices;
    for (int i = 0; i < (isMesh ? 4 : 1); ++i)
        devices.push_back(type + ":" + std::to_string(i));
    if (!isMesh) return distribution::DataParallel::make({.deviceMesh = {}, .devices = devices});
    const auto mesh = TRY(distribution::DeviceMesh::make({2, 2}, {"batch", "model"}, devices));
    distribution::LayoutMap map(mesh);
    TRY(map.insert("layers.0/kernel", {std::nullopt, "model"}));
    TRY(map.insert("layers.1/kernel", {"model", std::nullopt}));
    return distribution::ModelParallel::make({.layoutMap = map, .deviceMesh = mesh});
}

/// A network whose variables devices share, trained, gone on with and evaluated by the program.
int fitShared(const std::string& type, bool isMesh) {
    if (auto counted = distribution::setCpuDeviceCount(4); !counted) return failed(counted.error());
    const auto set = sharing(type, isMesh);
    if (!set) return failed(set.error());
    const distribution::DistributionScope scope(*set);
    auto model = fit::Model::sequential(
        {{"dense", {{"units", 12}, {"activation", "relu"}}}, {"dense", {{"units", 10}}}});
    if (!model) return failed(model.error());
    if (auto compiled = model->compile(); !compiled) return failed(compiled.error());
    fit::FitOptions options{.validation = stripes(), .epochs = 2, .seed = 1};
    options.runFolder = "run";
    for (const int epochs : {2, 1}) {  // the second call goes on with what the first has come to
        options.epochs = epochs;
        const auto history = model->fit(stripes().batch(24), options);
        if (!history) return failed(history.error());
        for (const double loss : history->values.at("val_loss"))
            std::printf("loss %.12g\n", loss);
        if (epochs == 2) printSummary();
        options.runFolder.clear();
    }
    const auto scores = model->evaluate(stripes());
    if (!scores) return failed(scores.error());
    std::printf("loss %.12g\n", scores->at("loss"));
    return 0;
}

/// A network on tensors of the program's own, in their order, until a callback has enough.
int fitModel() {
    auto model = fit::Model::sequential({{"dense", {{"units", 10}}}});
    if (!model) return failed(model.error());
    if (auto compiled = model->compile(); !compiled) return failed(compiled.error());
    const auto strategy = distribution::MirroredStrategy::make();
    if (!strategy) return failed(strategy.error());
    const auto scope = (*strategy)->scope();
    const auto data = stripes();
    std::int64_t batches = 0;
    bool areInOrder = true;
    const auto count = [&](const fit::BatchFigures& one) {
        areInOrder = areInOrder && one.step == ++batches && one.batch == (one.step - 1) % 8;
        return true;
    };
    const auto history = model->fit(
        data.shuffle(8, {.seed = 3}).batch(24, true),
        {.validation = data,
         .epochs = 30,
         .callbacks = {fit::onEpochEnd([](const fit::EpochFigures& one) { return one.epoch < 3; }),
                       fit::onTrainBatchEnd(count)},
         .runFolder = "run",
         .seed = 1});
    if (!history) return failed(history.error());
    const auto scores = model->evaluate(data);
    if (!scores) return failed(scores.error());
    printSummary();
    const double apart = history->values.at("val_loss").back() - scores->at("loss");
    std::printf("epochs %zu apart %.1g\n", history->epochs.size(), std::abs(apart));
    if (!areInOrder || batches != 24) return 6;
    return std::abs(apart) < 1e-4 ? 0 : 7;
}

/// What a program of the C++ API does, as its argument says.
int runProgram(const QString& what) {
    const auto document = config::JobDocument::parse(kJob.toStdString(), "job");
    if (!document) return failed(document.error());
    config::JobSpec spec = document->spec();
    const job::FitOptions options{.runFolder = "run", .jobFolder = ".", .resume = false};
    if (what == "mirrored" || what == "cpu job") {
        if (what == "cpu job") spec.cluster.device = config::DeviceKind::Cpu;
        const auto strategy = distribution::MirroredStrategy::make();
        return strategy ? report(job::fit(**strategy, spec, options)) : failed(strategy.error());
    }
    if (what == "model") return fitModel();
    if (what.startsWith("shared "))
        return fitShared(what.contains("gpu") ? "gpu" : "cpu", what.contains("mesh"));
    if (what == "unknown") {
        const auto strategy = distribution::MirroredStrategy::make({"gpu:7"});
        return strategy ? 0 : failed(strategy.error());
    }
    if (what == "workers") {
        const auto strategy = distribution::MultiWorkerMirroredStrategy::make();
        if (!strategy) return failed(strategy.error());
        return report(job::fit(**strategy, spec, options));
    }
    const auto set = distribution::DataParallel::make(
        {.deviceMesh = {}, .devices = std::vector<std::string>{"gpu:3", "gpu:1"}});
    if (!set) return failed(set.error());
    const distribution::DistributionScope scope(*set);
    return report(job::fit(spec, options));
}

QJsonObject summaryIn(const QByteArray& output) {
    const qsizetype begin = output.indexOf("summary {");
    const qsizetype end = output.indexOf("\n}", begin);
    return QJsonDocument::fromJson(output.mid(begin + 8, end + 2 - begin - 8)).object();
}

/// "0:gpu2 0:gpu3 1:gpu0": whose replicas computed on what, by local numbers.
QString devicesOf(const QJsonObject& summary) {
    QStringList all;
    for (const QJsonValue& device : summary["devices"].toArray())
        all << QString("%1:%2%3")
                   .arg(device["process_id"].toInt())
                   .arg(device["id"].toString().section(':', 0, 0))
                   .arg(device["local_id"].toInt());
    return all.join(' ');
}

}  // namespace

class DevicesTest : public QObject {
    Q_OBJECT

private:
    QString program_ = QCoreApplication::applicationFilePath();

    static void prepare(Workplace& place) {
        QDir().mkpath(place.path("data"));
        place.write("data/train-images-idx3-ubyte", idxImages(600));
        place.write("data/train-labels-idx1-ubyte", idxLabels(600));
        place.write("data/t10k-images-idx3-ubyte", idxImages(100));
        place.write("data/t10k-labels-idx1-ubyte", idxLabels(100));
        place.write("job.toml", kJob);
        place.setEnvironment("LD_LIBRARY_PATH", kLibraries);
        place.setEnvironment("FAKE_CUDA_DEVICES", "4");
    }

private slots:
    void aJobTakesTheGpusOfItsHostAndSharesThemEvenly_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("devices");
        const QString ids = "cluster.local_device_ids=[3, 1]";
        QTest::newRow("all of them") << QStringList{} << "0:gpu0 0:gpu1 0:gpu2 0:gpu3";
        QTest::newRow("two processes")
            << QStringList{"--processes", "2"} << "0:gpu0 0:gpu1 1:gpu2 1:gpu3";
        QTest::newRow("as many as are given")
            << QStringList{"--set", "cluster.devices_per_process=2"} << "0:gpu0 0:gpu1";
        QTest::newRow("those that the job names") << QStringList{"--set", ids} << "0:gpu3 0:gpu1";
        QTest::newRow("those, by two processes")
            << QStringList{"--processes", "2", "--set", ids} << "0:gpu3 1:gpu1";
        QTest::newRow("the processor where it is to compute")
            << QStringList{"--set", "cluster.device=cpu"} << "0:cpu0";
    }
    void aJobTakesTheGpusOfItsHostAndSharesThemEvenly() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, devices);
        Workplace place;
        prepare(place);
        const Ended ended = place.run(QStringList{"run", "job.toml", "--run-dir", "r"} + arguments);
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(devicesOf(place.summary("r")), devices);
        const bool onGpus = devices.contains("gpu");
        QCOMPARE(place.summary("r")["device"], QJsonValue(onGpus ? "gpu" : "cpu"));
        const bool several = onGpus && devices.contains(' ');
        if (several) QCOMPARE(place.summary("r")["backend"], QJsonValue("nccl"));
    }

    void aGpuThatIsNotThereIsRefusedWithItsNumber() {
        Workplace place;
        prepare(place);
        const Ended ended =
            place.run({"run", "job.toml", "--run-dir", "r", "--set", "cluster.device=gpu", "--set",
                       "cluster.local_device_ids=[4]"});
        REQUIRE_EXIT(ended, 2);
        QVERIFY2(ended.words().contains("local_device_ids names GPU 4, and this process sees 4 "
                                        "GPUs, numbered from 0"),
                 ended.words().constData());
    }

    void theDevicesOfARunAreListed() {
        Workplace place;
        prepare(place);
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "r"}), 0);
        const Ended table = place.run({"devices", "r"});
        REQUIRE_EXIT(table, 0);
        QVERIFY2(table.output.contains("gpu:3") && table.output.contains("GPU-a3a3a3a3-") &&
                     table.output.contains("8.0 GiB") && table.output.contains("Pretended GPU 3"),
                 table.words().constData());
        const Ended json = place.run({"devices", "r", "--json"});
        REQUIRE_EXIT(json, 0);
        const QJsonArray list = QJsonDocument::fromJson(json.output).array();
        QCOMPARE(list.size(), 4);
        QCOMPARE(list[2]["id"], QJsonValue("gpu:2"));
        QCOMPARE(list[2]["memory_bytes"], QJsonValue(qint64(8) << 30));
    }

    /// All share one machine: of two agents, each of which would take GPU 0, none does twice.
    void processesThatAreStartedOneByOneTakeGpusOfTheirOwn_data() {
        QTest::addColumn<QStringList>("first");
        QTest::addColumn<QStringList>("second");
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("devices");
        QTest::newRow("by themselves") << QStringList{} << QStringList{} << ""
                                       << "0:gpu0 0:gpu1 1:gpu2 1:gpu3";
        QTest::newRow("as the arguments say") << QStringList{"--local-device-ids", "2"}
                                              << QStringList{"--local-device-ids", "0"} << ""
                                              << "0:gpu2 1:gpu0";
        QTest::newRow("as a variable says")
            << QStringList{} << QStringList{"--local-device-ids", "0"} << "2"
            << "0:gpu2 1:gpu0";
        QTest::newRow("an argument beats a variable")
            << QStringList{"--local-device-ids", "3"} << QStringList{} << "2"
            << "0:gpu3 1:gpu2";
    }
    void processesThatAreStartedOneByOneTakeGpusOfTheirOwn() {
        QFETCH(const QStringList, first);
        QFETCH(const QStringList, second);
        QFETCH(const QString, variable);
        QFETCH(const QString, devices);
        Workplace place;
        prepare(place);
        if (!variable.isEmpty()) place.setEnvironment("JAX_LOCAL_DEVICE_IDS", variable);
        const QString address = QString("127.0.0.1:%1").arg(freePort());
        const auto start = [&](int id, const QStringList& more) {
            return place.startProgram(
                kWorker,
                QStringList{"job.toml", "--set", "job.run_dir=r", "--num-processes", "2",
                            "--process-id", QString::number(id), "--coordinator-address", address} +
                    more);
        };
        const auto process0 = start(0, first);
        const auto process1 = start(1, second);
        REQUIRE_EXIT(process0->waitForEnd(), 0);
        REQUIRE_EXIT(process1->waitForEnd(), 0);
        QCOMPARE(devicesOf(place.summary("r")), devices);
    }

    void aProgramTrainsOnTheDevicesOfItsDistribution_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("devices");
        QTest::newRow("MirroredStrategy takes all GPUs") << "mirrored"
                                                         << "0:gpu0 0:gpu1 0:gpu2 0:gpu3";
        QTest::newRow("a distribution that is set names them") << "set"
                                                               << "0:gpu3 0:gpu1";
    }
    void aProgramTrainsOnTheDevicesOfItsDistribution() {
        QFETCH(const QString, what);
        QFETCH(const QString, devices);
        Workplace place;
        prepare(place);
        const Ended ended = place.startProgram(program_, {"--program", what})->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(devicesOf(summaryIn(ended.output)), devices);
        QCOMPARE(summaryIn(ended.output)["backend"], QJsonValue("nccl"));
    }

    void aModelIsFittedOnAllGpusUntilACallbackHasEnough() {
        Workplace place;
        prepare(place);
        const Ended ended = place.startProgram(program_, {"--program", "model"})->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        const QJsonObject summary = summaryIn(ended.output);
        QCOMPARE(devicesOf(summary), QString("0:gpu0 0:gpu1 0:gpu2 0:gpu3"));
        QCOMPARE(summary["steps"].toInt(), 3 * 8);  // the ninth batch would be smaller
        QCOMPARE(summary["stopped_early_at_epoch"].toInt(), 3);
        QVERIFY2(ended.output.contains("\nepochs 3 apart "), ended.words().constData());
    }

    /// As four CPUs do, and one GPU.
    void aModelsVariablesAreSharedByGpusUnderAModelParallel() {
        std::map<QString, QList<double>> losses;
        for (const QString how : {"shared gpu mesh", "shared cpu mesh", "shared gpu"}) {
            Workplace place;
            prepare(place);
            const Ended ended = place.startProgram(program_, {"--program", how})->waitForEnd();
            REQUIRE_EXIT(ended, 0);
            for (const QByteArray& line : ended.output.split('\n'))
                if (line.startsWith("loss ")) losses[how].append(line.mid(5).toDouble());
            QCOMPARE(losses[how].size(), 4);  // three epochs, and what evaluate() says
            if (how != "shared gpu mesh") continue;
            QCOMPARE(devicesOf(summaryIn(ended.output)), QString("0:gpu0 0:gpu1 0:gpu2 0:gpu3"));
            QCOMPARE(summaryIn(ended.output)["backend"], QJsonValue("nccl"));
        }
        const QList<double>& mine = losses["shared gpu mesh"];
        QVERIFY(std::abs(mine[3] / mine[2] - 1) < 1e-5);
        QVERIFY(mine[2] < mine[0]);
        for (const char* other : {"shared cpu mesh", "shared gpu"})
            for (qsizetype i = 0; i < mine.size(); ++i)
                QVERIFY2(std::abs(mine[i] / losses[other][i] - 1) < 1e-5,
                         qPrintable(QString("%1, %2: %3 and %4")
                                        .arg(other)
                                        .arg(i)
                                        .arg(mine[i], 0, 'g', 12)
                                        .arg(losses[other][i], 0, 'g', 12)));
    }

    void twoProgramsOfOneHostShareItsGpusAndSumByNccl() {
        Workplace place;
        prepare(place);
        place.setEnvironment("KERAS_DISTRIBUTION_JOB_ADDRESSES",
                             QString("127.0.0.1:%1,127.0.0.1:0").arg(freePort()));
        std::vector<std::unique_ptr<Program>> programs;
        for (const char* id : {"0", "1"}) {
            place.setEnvironment("KERAS_DISTRIBUTION_PROCESS_ID", id);
            programs.push_back(place.startProgram(program_, {"--program", "workers"}));
        }
        for (const auto& program : programs) {
            const Ended ended = program->waitForEnd();
            REQUIRE_EXIT(ended, 0);
            QCOMPARE(devicesOf(summaryIn(ended.output)), QString("0:gpu0 0:gpu1 1:gpu2 1:gpu3"));
            QCOMPARE(summaryIn(ended.output)["backend"], QJsonValue("nccl"));
        }
    }

    void whatContradictsTheDevicesIsRefused_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("a device that is not there")
            << "unknown"
            << QByteArray(
                   "error: 'gpu:7' is not a device of this cluster, which has gpu:0, gpu:1, "
                   "gpu:2 and gpu:3\n");
        QTest::newRow("a job for the processor")
            << "cpu job"
            << QByteArray(
                   "error: the job's cluster.device is \"cpu\", but the devices to train on "
                   "are gpus\n");
    }
    void whatContradictsTheDevicesIsRefused() {
        QFETCH(const QString, what);
        QFETCH(const QByteArray, sentence);
        Workplace place;
        prepare(place);
        const Ended ended = place.startProgram(program_, {"--program", what})->waitForEnd();
        QCOMPARE(ended.status, 2);
        QVERIFY2(ended.output.contains(sentence), ended.words().constData());
    }

    void aResumedRunKeepsItsReplicas() {
        Workplace place;
        prepare(place);
        place.setEnvironment("FAKE_CUDA_DEVICES", "2");
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "r"}), 0);
        place.setEnvironment("FAKE_CUDA_DEVICES", "4");
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "r", "--resume", "--set",
                                "training.epochs=2"}),
                     0);
        QCOMPARE(devicesOf(place.summary("r")), QString("0:gpu0 0:gpu1"));
    }
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == "--program") return runProgram(arguments.value(2));
    DevicesTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_devices.moc"
