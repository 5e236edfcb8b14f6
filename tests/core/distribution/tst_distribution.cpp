// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/distribution/dataset_shard.h"
#include "core/distribution/device_plan.h"
#include "core/distribution/devices.h"
#include "core/distribution/distribution.h"
#include "core/distribution/initialize.h"
#include "core/distribution/local_devices.h"
#include "core/distribution/strategy.h"

using namespace lockstep;
using namespace lockstep::distribution;

namespace {

using Names = std::vector<std::string>;

/// A distribution of as many processes and replicas as a test wants.
class SampleDistribution final : public Distribution {
public:
    SampleDistribution(DeviceMesh mesh, int replicas, bool autoShard)
        : Distribution(std::move(mesh), "batch", autoShard), replicas_(replicas) {}
    [[nodiscard]] int numModelReplicas() const override { return replicas_; }
    [[nodiscard]] Result<TensorLayout> dataLayout(int) const override {
        return TensorLayout::make({"batch"}, deviceMesh());
    }
    [[nodiscard]] Result<TensorLayout> variableLayout(const std::string&, int) const override {
        return TensorLayout::make({}, deviceMesh());
    }

private:
    int replicas_;
};

std::string errorOf(const auto& result) {
    return result ? std::string("no error") : result.error().message;
}

/// A process of `replicas` on a machine with four GPUs, which its launcher calls its host's second.
wire::Register placedSecond(std::uint32_t replicas) {
    tensor::GpuSupport support;
    support.state = tensor::GpuState::Usable;
    for (int index = 0; index < 4; ++index)
        support.devices.push_back(
            {.index = index, .name = "GPU", .uuid = "GPU-" + std::to_string(index), .pciBus = {}});
    wire::Register self;
    self.set_replicas(replicas);
    GpuWish wish;
    wish.byLauncher = {1};
    if (!addDevices(support, wish, 0, false, self)) self.clear_devices();
    return self;
}

}  // namespace

class DistributionTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { qputenv("CUDA_VISIBLE_DEVICES", ""); }  // what follows counts CPUs

    void devicesAreSetBeforeTheyAreUsedAndCountedWithoutGaps() {
        QCOMPARE(errorOf(setCpuDeviceCount(0)),
                 std::string("a process has 1 to 1024 CPU devices, not 0"));
        QVERIFY(setCpuDeviceCount(4).has_value());
        QCOMPARE(listDevices().value(), (Names{"cpu:0", "cpu:1", "cpu:2", "cpu:3"}));
        QCOMPARE(listDevices("CPU").value().size(), std::size_t(4));
        const auto described = describeDevices().value();
        QCOMPARE(described[3].id, std::string("cpu:3"));
        QCOMPARE(described[3].localId, 3);
        QVERIFY(described[3].memoryBytes > 0 && !described[3].name.empty());
        QCOMPARE(deviceCount("gpu").value(), 0);
        QVERIFY(errorOf(setCpuDeviceCount(2)).find("before devices are used") != std::string::npos);
    }

    void aLaunchersPlaceIsTheGpuOfAProcessWithOneReplica() {
        const wire::Register one = placedSecond(1);
        QCOMPARE(one.gpu_claim(), wire::GPU_CLAIM_CHOSEN);
        QCOMPARE(one.devices_size(), 1);
        QCOMPARE(one.devices(0).uuid(), std::string("GPU-1"));
        const wire::Register four = placedSecond(4);
        QCOMPARE(four.gpu_claim(), wire::GPU_CLAIM_REPLICAS);
        QCOMPARE(four.devices_size(), 4);
    }

    void onlyCpuAndGpuAreDeviceTypes() {
        QCOMPARE(errorOf(listDevices("tpu")),
                 std::string("device_type is 'tpu': there are no TPUs here"));
        const auto typo = listDevices("gup");
        QCOMPARE(typo.error().remedy, std::string("Did you mean 'gpu'?"));
    }

    void initializeComesBeforeDevices() {
        QVERIFY(errorOf(initialize())
                    .starts_with("initialize() must be called before anything that uses devices"));
        QVERIFY(!isInitialized());
    }

    void aMeshThatDoesNotFitIsRefusedInKerasWords() {
        QCOMPARE(errorOf(DeviceMesh::make({}, {})),
                 std::string("Shape and axis_names cannot be empty. Received: shape=(), "
                             "axis_names=[]"));
        QCOMPARE(errorOf(DeviceMesh::make({2, 2}, {"batch"})),
                 std::string("Shape and axis_names should have same size. Received: shape=(2, 2), "
                             "axis_names=['batch']"));
        QCOMPARE(errorOf(DeviceMesh::make({3}, {"batch"})),
                 std::string("Shape does not match the number of devices. Received: shape=(3,); "
                             "devices.shape=(4,)"));
        QCOMPARE(errorOf(DeviceMesh::make({2, 2}, {"batch", "batch"})),
                 std::string("The axes of a mesh have different names. Received: "
                             "axis_names=['batch', 'batch']"));
        QCOMPARE(errorOf(DeviceMesh::make({4}, {""})),
                 std::string("An axis of a mesh has a name. Received: axis_names=['']"));
        QCOMPARE(errorOf(DeviceMesh::make({2}, {"batch"}, Names{"cpu:0", "cpu:4"})),
                 std::string("'cpu:4' is not a device of this cluster, which has cpu:0, cpu:1, "
                             "cpu:2 and cpu:3"));
        QCOMPARE(errorOf(DeviceMesh::make({1}, {"batch"}, Names{"gpu:99"})),
                 std::string("'gpu:99' is not a device of this cluster, which has none of this "
                             "type"));
        const auto mesh = DeviceMesh::make({2, 2}, {"batch", "model"});
        QVERIFY(mesh.has_value());
        QCOMPARE(errorOf(TensorLayout::make({"batch", "batch"}, *mesh)),
                 std::string("An axis of the mesh splits one dimension of a tensor: 'batch' is "
                             "given 2 times"));
        QCOMPARE(mesh->sizeOf("model"), 2);
        QCOMPARE(errorOf(TensorLayout::make({"bach", std::nullopt}, *mesh)),
                 std::string("Invalid axis names for Layout. Valid axis names: ['batch', 'model'], "
                             "Got ['bach', 'None']"));
    }

    void dataIsSplitAlongTheBatchAndVariablesAreEverywhere() {
        const auto data = DataParallel::make().value();
        QCOMPARE(data->numModelReplicas(), 4);
        QCOMPARE(data->batchDimName(), std::string("batch"));
        QCOMPARE(*data->dataLayout(3)->axes().front(), std::string("batch"));
        QVERIFY(!data->dataLayout(3)->axes().back());
        QVERIFY(data->variableLayout("layers.0.weight", 2)->isReplicated());
        QVERIFY(!data->dataLayout(0));
        // A mesh beats devices, and its first axis is the batch's.
        DataParallelOptions options;
        options.deviceMesh = DeviceMesh::make({2, 2}, {"data", "model"}).value();
        options.devices = Names{"cpu:0"};
        QCOMPARE(DataParallel::make(options).value()->batchDimName(), std::string("data"));
    }

    void theDistributionIsSetForTheProcessAndAScopeRestoresIt() {
        QVERIFY(!distribution::distribution());
        const auto outer = DataParallel::make().value();
        const auto inner = DataParallel::make().value();
        setDistribution(outer);
        {
            const DistributionScope scope(inner);
            QCOMPARE(distribution::distribution().get(), inner.get());
        }
        QCOMPARE(distribution::distribution().get(), outer.get());
        setDistribution(nullptr);
    }

    void aStrategyMirrorsTheDevicesOfThisProcess() {
        const auto all = MirroredStrategy::make().value();
        QCOMPARE(all->numReplicasInSync(), 4);
        QVERIFY(all->isChief() && !all->isEvaluator());
        const auto two = MirroredStrategy::make({"cpu:1", "cpu:3"}).value();
        QCOMPARE(two->localReplicas(), 2);
        QCOMPARE(planDevices(*two->distribution())->localIds,
                 (std::vector<std::vector<int>>{{1, 3}}));
        QVERIFY(errorOf(MirroredStrategy::make({"gpu:0"})).starts_with("'gpu:0' is not a device"));
        {
            const auto scope = two->scope();
            QCOMPARE(distribution::distribution().get(), two->distribution().get());
        }
        QVERIFY(!distribution::distribution());
    }

    void aDatasetIsShardedByBatchesOfOneProcess() {
        const DatasetShard second{3, 1, 4};
        using Batches = std::vector<DatasetShard::Batch>;
        QCOMPARE(second.batches(30), (Batches{{4, 8}, {16, 20}, {28, 30}}));
        QCOMPARE((DatasetShard{1, 0, 16}).batches(20), (Batches{{0, 16}, {16, 20}}));
    }

    void shardingRefusesInKerasWords() {
        const auto mesh = DeviceMesh::make({4}, {"batch"}).value();
        const SampleDistribution four(mesh, 4, true);
        QVERIFY(errorOf(shardDataset(four, std::nullopt))
                    .starts_with("The batch size of the input dataset is unknown. Please config"));
        // One process: it reads everything, in whole global batches.
        QCOMPARE(shardDataset(four, 256)->batchSize, std::size_t(256));
        QCOMPARE(four.numDataShards(), 1);
        const SampleDistribution off(mesh, 4, false);
        QCOMPARE(shardDataset(off, 7)->count, 1);
    }
};

QTEST_GUILESS_MAIN(DistributionTest)
#include "tst_distribution.moc"
