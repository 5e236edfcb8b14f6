// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/train/checkpoints/state_tensors.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

program::Network networkOf(std::vector<int> hidden) {
    return program::makeNetwork(dense(std::move(hidden)), {.input = {20}, .classes = 10}).value();
}

/// Every trainable number another one, gaps zero.
std::vector<float> numbered(const program::Network& network, float first) {
    std::vector<float> flat(network.parameterCount());
    for (const program::PlacedTensor& tensor : network.tensors())
        for (std::size_t i = 0; i < tensor.size(); ++i)
            flat[tensor.offset + i] = first++;
    return flat;
}

std::vector<checkpoint::Tensor> owned(const std::vector<checkpoint::TensorRef>& refs) {
    std::vector<checkpoint::Tensor> tensors;
    for (const checkpoint::TensorRef& ref : refs)
        tensors.push_back({ref.name, ref.shape, {ref.values.begin(), ref.values.end()}});
    return tensors;
}

using Names = std::vector<std::string>;
const Names kAdam{"exp_avg", "exp_avg_sq"};
const Names kMomentum{"momentum_buffer"};

struct AdamState {
    program::Network network = networkOf({7});
    std::vector<float> parameters = numbered(network, 1);
    std::vector<float> first = numbered(network, 10'000);
    std::vector<float> second = numbered(network, 20'000);

    checkpoint::LoadedCheckpoint checkpoint() {
        const std::vector<std::span<float>> moments{first, second};
        checkpoint::LoadedCheckpoint loaded;
        loaded.model = owned(modelTensors(network, parameters));
        loaded.optimizer = owned(optimizerTensors(network, moments, kAdam));
        return loaded;
    }
};

std::string refusalOf(const Result<void>& result) {
    if (result) return "accepted";
    if (result.error().code != ErrorCode::BadInput) return "not called bad input";
    return result.error().remedy.empty() ? "without remedy" : result.error().message;
}

}  // namespace

class StateTensorsTest : public QObject {
    Q_OBJECT
private slots:
    void tensorsAreViewsNamedAndShapedAsInPyTorch() {
        AdamState state;
        const auto model = modelTensors(state.network, state.parameters);
        QCOMPARE(model.size(), std::size_t{4});
        QCOMPARE(model[0].name, std::string("layers.0.weight"));
        QVERIFY((model[0].shape == std::vector<std::int64_t>{7, 20}));
        QCOMPARE(model[3].name, std::string("layers.1.bias"));
        QVERIFY((model[3].shape == std::vector<std::int64_t>{10}));
        QVERIFY(model[0].values.data() == state.parameters.data());
    }
    void momentsHavePyTorchsNames() {
        AdamState state;
        const std::vector<std::span<float>> adam{state.first, state.second};
        const auto tensors = optimizerTensors(state.network, adam, kAdam);
        QCOMPARE(tensors.size(), std::size_t{8});
        QCOMPARE(tensors[0].name, std::string("layers.0.weight.exp_avg"));
        QCOMPARE(tensors[7].name, std::string("layers.1.bias.exp_avg_sq"));
        const std::vector<std::span<float>> momentum{state.first};
        QCOMPARE(optimizerTensors(state.network, momentum, kMomentum)[1].name,
                 std::string("layers.0.bias.momentum_buffer"));
        QVERIFY(optimizerTensors(state.network, {}, {}).empty());
    }
    void whatWasSavedComesBackBitForBit() {
        AdamState state;
        const auto loaded = state.checkpoint();
        std::vector<float> parameters(state.parameters.size());
        auto first = parameters;
        auto second = parameters;
        const std::vector<std::span<float>> moments{first, second};
        QVERIFY(restoreModel(state.network, loaded, parameters));
        QVERIFY(restoreOptimizer(state.network, loaded, moments, kAdam));
        QVERIFY(parameters == state.parameters);
        QVERIFY(first == state.first);
        QVERIFY(second == state.second);
    }
    void aModelOfAnotherWidthIsRefusedNamingTheTensor() {
        const auto wider = networkOf({8});
        std::vector<float> parameters(wider.parameterCount());
        QCOMPARE(refusalOf(restoreModel(wider, AdamState().checkpoint(), parameters)),
                 std::string(
                     "tensor layers.0.weight of the checkpoint is [7, 20], the job's is [8, 20]"));
    }
    void aModelOfAnotherDepthIsRefused() {
        const auto deeper = networkOf({7, 7});
        std::vector<float> parameters(deeper.parameterCount());
        QCOMPARE(refusalOf(restoreModel(deeper, AdamState().checkpoint(), parameters)),
                 std::string("the checkpoint has 4 tensors, the job's model has 6"));
    }
    void aMissingTensorIsNamed() {
        AdamState state;
        auto loaded = state.checkpoint();
        loaded.model[2].name = "layers.9.weight";
        QCOMPARE(refusalOf(restoreModel(state.network, loaded, state.parameters)),
                 std::string("the checkpoint has no tensor layers.1.weight"));
    }
    void anotherOptimizersStateIsRefusedNamingTheTensor() {
        AdamState state;
        const auto loaded = state.checkpoint();
        const std::vector<std::span<float>> momentum{state.first};
        QCOMPARE(refusalOf(restoreOptimizer(state.network, loaded, momentum, kMomentum)),
                 std::string("the checkpoint has no tensor layers.0.weight.momentum_buffer"));
    }
    void sgdNeedsNothingOfAnOptimizersState() {
        AdamState state;
        QVERIFY(restoreOptimizer(state.network, {}, {}, {}));
    }
};

QTEST_GUILESS_MAIN(StateTensorsTest)
#include "tst_state_tensors.moc"
