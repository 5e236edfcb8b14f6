// SPDX-License-Identifier: Apache-2.0
// Networks whose variables several devices share, trained from a program under a ModelParallel: as
// one device trains them, to the bits of the job file that says the same. This program starts
// itself as the members of a group.
#include <QTemporaryDir>
#include <QtTest>
#include <cstdio>

#include "core/config/document/job_file.h"
#include "core/distribution/devices.h"
#include "core/distribution/model_parallel.h"
#include "core/distribution/strategy.h"
#include "core/fit/distributed_tensor.h"
#include "core/job/fit.h"
#include "tests/core/distribution/member_group.h"
#include "tests/core/fit/two_moons.h"

using namespace lockstep;
using namespace lockstep::tests;
using distribution::DataParallel;
using distribution::DeviceMesh;
using distribution::LayoutMap;
using distribution::ModelParallel;

namespace {

using Axes = distribution::TensorLayout::Axes;
using Entries = std::vector<std::pair<std::string, Axes>>;

/// Megatron's pair, by the axes of Keras' kernels.
Entries pair() {
    return {{"layers.0/kernel", {std::nullopt, "model"}}, {"layers.1/kernel", {"model", {}}}};
}

struct Grid {
    std::vector<int> shape{2, 2};
    std::vector<std::string> axes{"batch", "model"};
    std::string batch{};
    std::vector<std::string> devices{};  ///< Empty: as many as it takes.
    bool autoShard = true;
};

Result<std::shared_ptr<const ModelParallel>> parallelOf(const Entries& entries,
                                                        const Grid& grid = {}) {
    std::vector<std::string> devices = grid.devices;
    int count = 1;
    for (const int size : grid.shape)
        count *= size;
    for (int i = 0; i < count && grid.devices.empty(); ++i)
        devices.push_back("cpu:" + std::to_string(i));
    auto mesh = DeviceMesh::make(grid.shape, grid.axes, devices);
    if (!mesh) return fail(mesh.error());
    LayoutMap map(*mesh);
    for (const auto& [key, axes] : entries)
        if (auto put = map.insert(key, axes); !put) return fail(put.error());
    return ModelParallel::make({.layoutMap = map,
                                .deviceMesh = *mesh,
                                .batchDimName = grid.batch,
                                .autoShardDataset = grid.autoShard});
}

std::shared_ptr<const distribution::Distribution> oneDevice() {
    return DataParallel::make({.devices = std::vector<std::string>{"cpu:0"}}).value();
}

config::JobSpec digits(config::DistributionSpec distribution = {}) {
    auto job = config::JobDocument::parse(R"(
[cluster]
evaluator = false
[data]
dataset = "digits"
validation_samples = 50000
[model]
layers = [{ type = "dense", units = 12, activation = "relu" }, { type = "dense", units = 10 }]
[training]
global_batch_size = 500
epochs = 1
seed = 7
)",
                                          "job.toml")
                   .value()
                   .checked()
                   .value();
    job.distribution = std::move(distribution);
    return job;
}

/// Under what is set.
Result<fit::History> fitMoons(const QString& run, int epochs = 2) {
    auto model = moonsModel();
    fit::FitOptions options{.validation = Moons(60, 3).dataset().batch(20), .epochs = epochs};
    options.runFolder = run.toStdString();
    options.seed = 5;
    auto history = model.fit(Moons(120).dataset().shuffle(120).batch(24), options);
    if (!history) return history;
    const auto scores = model.evaluate(Moons(60, 3).dataset());
    if (!scores) return fail(scores.error());
    if (std::abs(scores->at("loss") - history->values.at("val_loss").back()) > 1e-6)
        return fail(ErrorCode::Internal, "evaluate() says something else than fit()");
    return history;
}

int failed(const Error& error) {
    std::printf("error: %s\n", error.message.c_str());
    return 9;
}

/// 2 x 6 numbers on two devices of as many processes, put together and laid out anew.
int distributeTogether(const DeviceMesh& mesh) {
    const auto whole =
        fit::Tensor::make(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 6}).value();
    const auto columns = distribution::TensorLayout::make({std::nullopt, "model"}, mesh).value();
    const auto rows = distribution::TensorLayout::make({"model"}, mesh).value();
    const auto distributed = fit::distributeTensor(whole, columns);
    if (!distributed) return failed(distributed.error());
    const auto again = fit::relayout(*distributed, rows);
    if (!again) return failed(again.error());
    const auto back = again->whole();
    if (!back) return failed(back.error());
    if (distributed->parts().size() != 1 || again->parts().size() != 1 || *back != whole) return 7;
    std::printf("parts:");
    for (const auto* one : {&*distributed, &*again})
        for (const float number : one->parts().begin()->second.values<float>())
            std::printf(" %g", static_cast<double>(number));
    std::printf("\n");
    return 0;
}

/// Tensors of two shapes are no tensor, and none outlives its group.
int distributeBadly(const DeviceMesh& mesh) {
    // Of one shape and one layout: nothing but the numbers tells them apart.
    const float number = distribution::processId() == 0 ? 2 : 4;
    const auto tensor = fit::Tensor::make(std::vector<float>(4, number), {2, 2}).value();
    const auto layout = distribution::TensorLayout::make({std::nullopt, "model"}, mesh).value();
    const auto distributed = fit::distributeTensor(tensor, layout).value();
    std::ignore = failed(distributed.whole().error());
    if (!distribution::shutdown()) return 8;
    return failed(distributed.whole().error());
}

int runMember(const QString& what, const QString& run) {
    if (auto formed = distribution::initialize(); !formed) return failed(formed.error());
    const bool isSecond = distribution::processId() == 1;
    if (what == "all devices") {
        if (isSecond) distribution::setDistribution(DataParallel::make().value());
        const auto history = fitMoons(run);
        if (history) std::printf("state %s\n", history->stateHash.c_str());
        const int status = history ? 0 : failed(history.error());
        return distribution::shutdown() ? status : 8;
    }
    Grid grid{.shape = {1, 2}};
    if (what == "backwards") grid.devices = {"cpu:1", "cpu:0"};
    if (what == "others'" && isSecond) grid.shape = {2, 1};
    if (what == "own shards") grid.autoShard = false;
    Entries entries = pair();
    if (what == "slip") entries.emplace_back("layer.0/.*", Axes{"model"});
    const auto parallel = parallelOf(entries, grid);
    if (!parallel) return failed(parallel.error());
    if (what == "other tensors") return distributeBadly((*parallel)->deviceMesh());
    if (what == "tensors") {
        const int status = distributeTogether((*parallel)->deviceMesh());
        return distribution::shutdown() ? status : 8;
    }
    distribution::setDistribution(*parallel);
    const auto history = fitMoons(run);
    const int status = history ? 0 : failed(history.error());
    if (history) std::printf("state %s\n", history->stateHash.c_str());
    return distribution::shutdown() ? status : 8;
}

}  // namespace

class ModelParallelFitTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    int runs_ = 0;

    QString newRun() { return folder_.filePath(QString("run-%1").arg(++runs_)); }

    std::string jobRefusal(const Result<std::shared_ptr<const ModelParallel>>& parallel,
                           const config::JobSpec& job = digits()) {
        if (!parallel) return parallel.error().message;
        const distribution::DistributionScope scope(*parallel);
        const auto result = job::fit(job, {.runFolder = newRun().toStdString()});
        return refusal(result) + (result ? "" : "; " + result.error().remedy);
    }

    QString jobFileOf(const QString& run) const {
        QFile file(run + "/job.toml");
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    /// What each of two members has printed.
    QStringList together(const QString& what, int status) {
        Group group(2, {what});
        const QString run = newRun();
        for (int id = 0; id < 2; ++id)
            group.start(id, {run});
        QStringList lines;
        for (std::size_t id = 0; id < 2; ++id) {
            const auto [ended, output] = group.end(id);
            if (ended != status) qWarning("%s", qPrintable(output));
            for (const QString& line : output.split('\n'))
                if (line.startsWith("state ") || line.startsWith("error: ") ||
                    line.startsWith("parts:") || line.startsWith("warning: LayoutMap") ||
                    line.startsWith("note: each of "))
                    lines << line;
        }
        return lines;
    }

private slots:
    void initTestCase() {
        qputenv("CUDA_VISIBLE_DEVICES", "");
        // The digits are generated once for all tests.
        qputenv("XDG_CACHE_HOME", LOCKSTEP_BINARY_DIR "/tests/cache");
        QVERIFY(distribution::setCpuDeviceCount(4).has_value());
    }

    void everyMeshTrainsAsOneDeviceDoes_data() {
        QTest::addColumn<QList<int>>("shape");
        QTest::addRow("1 x 2") << QList<int>{1, 2};
        QTest::addRow("2 x 1") << QList<int>{2, 1};
        QTest::addRow("2 x 2") << QList<int>{2, 2};
    }
    void everyMeshTrainsAsOneDeviceDoes() {
        QFETCH(const QList<int>, shape);
        Result<fit::History> one = fail(ErrorCode::Internal, "");
        {
            const distribution::DistributionScope scope(oneDevice());
            one = fitMoons(newRun());
        }
        QCOMPARE(refusal(one), std::string("it went well"));
        const auto parallel = parallelOf(pair(), {.shape = {shape[0], shape[1]}});
        QCOMPARE(refusal(parallel), std::string("it went well"));
        const distribution::DistributionScope scope(*parallel);
        const auto many = fitMoons(newRun());
        QCOMPARE(refusal(many), std::string("it went well"));
        QCOMPARE(many->steps, one->steps);
        for (const auto& [name, values] : one->values)
            for (std::size_t epoch = 0; epoch < values.size(); ++epoch) {
                const double mine = many->values.at(name)[epoch];
                QVERIFY2(std::abs(mine - values[epoch]) <= 1e-6 * std::abs(values[epoch]),
                         qPrintable(QString("%1 of epoch %2: %3 and %4")
                                        .arg(QString::fromStdString(name))
                                        .arg(epoch)
                                        .arg(mine, 0, 'g', 12)
                                        .arg(values[epoch], 0, 'g', 12)));
            }
    }

    void itEndsWithTheBitsOfTheJobFileThatSaysTheSame() {
        const QString run = newRun();
        const auto parallel = parallelOf(pair());
        Result<job::FitResult> mine = fail(ErrorCode::Internal, "");
        {
            const distribution::DistributionScope scope(*parallel);
            mine = job::fit(digits(), {.runFolder = run.toStdString()});
        }
        QCOMPARE(refusal(mine), std::string("it went well"));
        QVERIFY2(jobFileOf(run).contains(
                     R"(layout = { "layers\\.0\\.weight" = "out", "layers\\.1\\.weight" = "in" })"),
                 qPrintable(jobFileOf(run)));
        QVERIFY(jobFileOf(run).contains("\nmesh.batch = 2\nmesh.model = 2\n"));
        const auto file =
            job::fit(digits({.batch = 2,
                             .model = 2,
                             .layout = {{"layers.0.weight", "out"}, {"layers.1.weight", "in"}}}),
                     {.runFolder = newRun().toStdString()});
        QCOMPARE(refusal(file), std::string("it went well"));
        QCOMPARE(mine->stateHash, file->stateHash);
        // Were the axes read as those of the tensors in files, it would be this one.
        const auto turned = parallelOf(
            {{"layers.0/kernel", {"model", {}}}, {"layers.1/kernel", {std::nullopt, "model"}}});
        const distribution::DistributionScope scope(*turned);
        const auto other = job::fit(digits(), {.runFolder = newRun().toStdString()});
        QCOMPARE(refusal(other), std::string("it went well"));
        QVERIFY(other->stateHash != mine->stateHash);
    }

    void twoProcessesEndWithTheBitsOfOne() {
        const auto parallel = parallelOf(pair(), {.shape = {1, 2}});
        const distribution::DistributionScope scope(*parallel);
        const auto alone = fitMoons(newRun());
        QCOMPARE(refusal(alone), std::string("it went well"));
        const QString state = "state " + QString::fromStdString(alone->stateHash);
        const QStringList lines = together("together", 0);  // and the price is told
        QVERIFY2(lines.value(1).startsWith("note: each of 2 columns holds "), qPrintable(lines[1]));
        QCOMPARE(lines, (QStringList{state, lines[1], state}));
    }

    void fitGoesOnOnAnotherMeshAndWithoutOne() {
        auto model = moonsModel();
        fit::FitOptions options{.epochs = 1, .seed = 5};
        options.runFolder = newRun().toStdString();
        const auto data = Moons(120).dataset().batch(24);
        std::vector<double> losses;
        for (const std::vector<int>& shape : {std::vector{2, 2}, std::vector{1, 2}, {}}) {
            const distribution::DistributionScope scope(
                shape.empty() ? oneDevice() : parallelOf(pair(), {.shape = shape}).value());
            const auto history = model.fit(data, options);
            QCOMPARE(refusal(history), std::string("it went well"));
            losses.push_back(history->values.at("loss").back());
            options.runFolder.clear();
        }
        auto undisturbed = moonsModel();
        const distribution::DistributionScope scope(oneDevice());
        const auto whole =
            undisturbed.fit(data, {.epochs = 3, .runFolder = newRun().toStdString(), .seed = 5});
        QCOMPARE(refusal(whole), std::string("it went well"));
        for (std::size_t epoch = 0; epoch < losses.size(); ++epoch)
            QVERIFY(std::abs(losses[epoch] / whole->values.at("loss")[epoch] - 1) < 1e-6);
    }

    void aKeyThatMeansNothingIsSaidByProcessZero() {
        const QStringList lines = together("slip", 0);
        QVERIFY(
            lines.contains("warning: LayoutMap: no variable is called as layer.0/.*; there are "
                           "layers.0/kernel, layers.0/bias, layers.1/kernel, layers.1/bias, "
                           "layers.2/kernel and layers.2/bias"));
    }

    void theBatchMayLieAlongAnotherAxis() {
        const Entries entries{{"layers.0/kernel", {std::nullopt, "shards"}}};
        const auto parallel = parallelOf(
            entries, {.shape = {1, 2, 2}, .axes = {"spare", "rows", "shards"}, .batch = "rows"});
        QCOMPARE(jobRefusal(parallel), std::string("it went well"));
    }

    void anAxisOfOnePlaceCutsNothing() {
        const QString run = newRun();
        const auto parallel = parallelOf(pair(), {.shape = {2, 1}});
        const distribution::DistributionScope scope(*parallel);
        const auto result = job::fit(digits(), {.runFolder = run.toStdString()});
        QCOMPARE(refusal(result), std::string("it went well"));
        QVERIFY(!jobFileOf(run).contains("layout ="));
    }

    void whatCannotBeTrainedIsRefusedByVariableAndAxis() {
        QCOMPARE(jobRefusal(parallelOf({{"layers.0/kernel", {"batch", "model"}}})),
                 std::string("layers.0/kernel: its axis 0 lies along 'batch', the axis of the "
                             "batch, along which no variable is shared here; Share it along the "
                             "other axis of the mesh. What an optimiser keeps of it is shared "
                             "along the batch's axis anyway."));
        QCOMPARE(jobRefusal(parallelOf({{"layers.0/bias", {std::nullopt, "model"}}})),
                 std::string("layers.0/bias has 1 axis, but its layout (None, 'model') has 2; Give "
                             "an axis of the mesh, or none, for each of its own."));
        QCOMPARE(jobRefusal(
                     parallelOf({{"layers.1/kernel", {std::nullopt, "model"}}}, {.shape = {1, 4}})),
                 std::string("layers.1/kernel (12, 10): its axis 1 cannot be divided among 4 "
                             "devices; Its size there must be a multiple of 4."));
        QCOMPARE(jobRefusal(parallelOf({{"layers.0.weight", {std::nullopt, "model"}}})),
                 std::string("LayoutMap: 'layers.0.weight' is the name of a tensor in files; a key "
                             "is the path of a variable, whose axes are Keras'; Write it as one "
                             "of: layers.0/kernel, layers.0/bias, layers.1/kernel and "
                             "layers.1/bias."));
        QCOMPARE(jobRefusal(parallelOf({{"layers.0/output", {std::nullopt, "model"}}})),
                 std::string("LayoutMap: 'layers.0/output' is what a layer gives, which lies here "
                             "as the layers' variables want it; Leave the key out."));
        QCOMPARE(jobRefusal(parallelOf(
                     {{".*kernel", {std::nullopt, "model"}}, {"layers.0/.*", {"model"}}})),
                 std::string("Path 'layers.0/kernel' matches multiple layout specification keys: "
                             "['.*kernel', 'layers.0/.*']. Please make sure each tensor/variable "
                             "path only matches at most one layout specification key in the "
                             "LayoutMap.; "));
        QCOMPARE(jobRefusal(parallelOf(pair()), digits({.model = 2, .layout = {}})),
                 std::string("the job has a [distribution] of its own, and a ModelParallel is set; "
                             "Leave one of them out."));
        QCOMPARE(jobRefusal(parallelOf({}, {.shape = {1, 2, 2}, .axes = {"batch", "a", "b"}})),
                 std::string("the mesh shares variables along 'a' and along 'b', but they are "
                             "shared along one axis here, beside the batch's, 'batch'; Use a mesh "
                             "of two axes; others may have a size of 1."));
    }

    void whatIsWrongAmongProcessesIsToldToAll() {
        const QString backwards =
            "the mesh has cpu:0 of process 0 behind cpu:1 of process 1, where it is read "
            "row by row along 'batch'; processes fill it in order";
        QCOMPARE(together("backwards", 9),
                 (QStringList{"error: " + backwards,
                              "error: process 0 could not start the run: " + backwards}));
        const QString other = "error: fit(): process 1 has set another distribution than process 0";
        QCOMPARE(together("others'", 9), (QStringList{other, other}));
        const QStringList own = together("own shards", 9);
        QCOMPARE(own.size(), 2);
        QVERIFY2(own[0].startsWith("error: autoShardDataset is false: "), qPrintable(own[0]));
    }

    void aTensorIsCutOverTheDevicesAndPutTogether() {
        const auto mesh = parallelOf({}).value()->deviceMesh();
        const auto whole =
            fit::Tensor::make(std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}, {2, 4});
        const auto both = distribution::TensorLayout::make({"batch", "model"}, mesh).value();
        const auto distributed = fit::distributeTensor(*whole, both);
        QCOMPARE(refusal(distributed), std::string("it went well"));
        QCOMPARE(distributed->parts().size(), std::size_t{4});
        QCOMPARE(distributed->parts().at("cpu:2").values<int>(), (std::vector<int>{4, 5}));
        QVERIFY(distributed->whole().value() == *whole);
        const auto columns = distribution::TensorLayout::make({std::nullopt, "model"}, mesh);
        const auto again = fit::relayout(*distributed, *columns);
        QCOMPARE(again->parts().at("cpu:1").values<int>(), (std::vector<int>{2, 3, 6, 7}));
        QCOMPARE(again->parts().at("cpu:3").values<int>(), (std::vector<int>{2, 3, 6, 7}));
        const auto uneven = fit::Tensor::make(std::vector<float>(3), {3});
        QCOMPARE(refusal(fit::distributeTensor(
                     *uneven, distribution::TensorLayout::make({"model"}, mesh).value())),
                 std::string("dimension 0 of a tensor of shape (3) lies along 'model', among whose "
                             "2 places its 3 cannot be divided"));
    }

    void processesPutATensorTogetherThatEachHasAPartOf() {
        QCOMPARE(together("tensors", 0), (QStringList{"parts: 0 1 2 6 7 8 0 1 2 3 4 5",
                                                      "parts: 3 4 5 9 10 11 6 7 8 9 10 11"}));
    }
    void aTensorIsThatOfAllAndOfItsGroup() {
        const QString gone =
            "error: whole(): this tensor was distributed over devices that the processes have no "
            "longer (";
        const QStringList lines = together("other tensors", 9);
        QCOMPARE(lines.size(), 4);
        for (const int first : {0, 2}) {
            QCOMPARE(lines[first], QStringLiteral("error: whole(): process 1 asks for another "
                                                  "tensor than process 0"));
            QVERIFY2(lines[first + 1].startsWith(gone), qPrintable(lines[first + 1]));
        }
    }
    void noDistributionIsAllDevices() {
        const QStringList states = together("all devices", 0);
        QCOMPARE(states.size(), 2);
        QCOMPARE(states[0], states[1]);
    }
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == "--member") return runMember(arguments.value(2), arguments.value(3));
    ModelParallelFitTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_model_parallel_fit.moc"
