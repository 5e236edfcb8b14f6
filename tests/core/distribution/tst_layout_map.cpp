// SPDX-License-Identifier: Apache-2.0
// Layouts of variables by patterns of their paths, as Keras' LayoutMap and ModelParallel have them.
#include <QtTest>

#include "core/distribution/dataset_shard.h"
#include "core/distribution/devices.h"
#include "core/distribution/model_parallel.h"
#include "core/distribution/tensor_part.h"

using namespace lockstep;
using namespace lockstep::distribution;

namespace {

using Shape = std::vector<std::uint64_t>;

std::string errorOf(const auto& result) {
    return result ? std::string("no error") : result.error().message;
}

DeviceMesh mesh(std::vector<int> shape = {2, 2},
                std::vector<std::string> axes = {"batch", "model"}) {
    return DeviceMesh::make(std::move(shape), std::move(axes)).value();
}

LayoutMap mapOf(const std::vector<std::pair<std::string, TensorLayout::Axes>>& entries) {
    LayoutMap map(mesh());
    for (const auto& [key, axes] : entries)
        if (const auto put = map.insert(key, axes); !put) qFatal("%s", errorOf(put).c_str());
    return map;
}

std::string found(const LayoutMap& map, const std::string& path) {
    const auto layout = map.find(path);
    if (!layout) return layout.error().message;
    return *layout ? (*layout)->text() : "None";
}

}  // namespace

class LayoutMapTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        qputenv("CUDA_VISIBLE_DEVICES", "");
        QVERIFY(setCpuDeviceCount(4).has_value());
    }

    void aKeyMustMatchAllOfAPathAndAWrittenOneGoesFirst() {
        const LayoutMap map = mapOf({{".*dense.*/kernel", {std::nullopt, "model"}},
                                     {"dense_2/kernel", {"model", std::nullopt}},
                                     {".*bias", {"model"}},
                                     {"kernel", {std::nullopt, std::nullopt}}});
        QCOMPARE(found(map, "dense_1/kernel"), std::string("(None, 'model')"));
        QCOMPARE(found(map, "block/dense_2/kernel"), std::string("(None, 'model')"));
        QCOMPARE(found(map, "dense_2/kernel"), std::string("('model', None)"));
        QCOMPARE(found(map, "dense_1/bias"), std::string("('model',)"));
        QCOMPARE(found(map, "conv/kernel"), std::string("None"));
        QCOMPARE(map.unmatched({"dense_1/kernel", "conv/kernel"}),
                 (std::vector<std::string>{".*bias", "dense_2/kernel", "kernel"}));
    }

    void whatAMapDoesNotTakeIsSaidInKerasWords() {
        LayoutMap map = mapOf({{"dense/.*", {"model"}}, {".*/bias", {std::nullopt}}});
        QCOMPARE(
            errorOf(map.insert("dense/.*", {std::nullopt, "model"})),
            std::string("dense/.* already exist in the LayoutMap with value ('model',). Please "
                        "make sure to not use duplicated keys."));
        QCOMPARE(
            found(map, "dense/bias"),
            std::string("Path 'dense/bias' matches multiple layout specification keys: "
                        "['dense/.*', '.*/bias']. Please make sure each tensor/variable path "
                        "only matches at most one layout specification key in the LayoutMap."));
        QCOMPARE(errorOf(map.insert("x", {"modle"})),
                 std::string("Invalid axis names for Layout. Valid axis names: ['batch', 'model'], "
                             "Got ['modle']"));
        QCOMPARE(errorOf(map.insert("(", {std::nullopt})),
                 std::string("LayoutMap: '(' is no regular expression"));
        const auto other = TensorLayout::make({"model"}, mesh({1, 4}));
        QCOMPARE(errorOf(map.insert("y", *other)),
                 std::string("the layout of 'y' is of another mesh than the LayoutMap"));
        QCOMPARE(map.size(), std::size_t{2});
    }

    void aModelParallelKnowsItsReplicasAndLayouts() {
        const auto made =
            ModelParallel::make({.layoutMap = mapOf({{"d/kernel", {std::nullopt, "model"}}})});
        QVERIFY(made.has_value());
        const ModelParallel& parallel = **made;
        QCOMPARE(parallel.batchDimName(), std::string("batch"));
        QCOMPARE(parallel.numModelReplicas(), 2);
        QCOMPARE(parallel.dataLayout(3)->text(), std::string("('batch', None, None)"));
        QCOMPARE(parallel.variableLayout("d/kernel", 2)->text(), std::string("(None, 'model')"));
        QCOMPARE(parallel.variableLayout("d/bias", 1)->text(), std::string("(None,)"));
        const auto other = ModelParallel::make({.layoutMap = mapOf({}), .batchDimName = "model"});
        QCOMPARE((*other)->dataLayout(1)->text(), std::string("('model',)"));
        QVERIFY((*other)->text() != parallel.text());
        // One process reads everything: there is nothing to share out.
        QCOMPARE(shardDataset(parallel, 32)->count, 1);
        setDistribution(*made);
        QCOMPARE(distribution::distribution().get(), static_cast<const Distribution*>(made->get()));
        {
            const DistributionScope scope(*other);
            QCOMPARE(distribution::distribution()->batchDimName(), std::string("model"));
        }
        QCOMPARE(distribution::distribution()->batchDimName(), std::string("batch"));
        setDistribution(nullptr);
    }

    void aModelParallelThatIsNoneIsRefused() {
        QCOMPARE(errorOf(ModelParallel::make({})),
                 std::string("You must specify a layout_map argument."));
        QCOMPARE(errorOf(ModelParallel::make({.layoutMap = mapOf({}), .deviceMesh = mesh({1, 4})})),
                 std::string("deviceMesh is another mesh than that of layoutMap"));
        QCOMPARE(errorOf(ModelParallel::make({.layoutMap = mapOf({}), .batchDimName = "data"})),
                 std::string("batchDimName is 'data', but the mesh has the axes batch and model"));
    }

    void aDeviceHoldsTheBlockThatItsPlaceInTheMeshSays() {
        const DeviceMesh grid = mesh();
        QCOMPARE(*grid.placeOf("cpu:2"), (std::vector<int>{1, 0}));
        QVERIFY(!grid.placeOf("cpu:4"));
        const auto both = TensorLayout::make({"model", std::nullopt, "batch"}, grid).value();
        const auto part = partOf(both, {4, 3, 6}, "cpu:2").value();
        QCOMPARE(part.begin, (Shape{0, 0, 3}));
        QCOMPARE(part.shape, (Shape{2, 3, 3}));
        QCOMPARE(partOf(both, {4, 3, 6}, "cpu:3")->begin, (Shape{2, 0, 3}));
        // Dimensions behind the layout's are whole.
        const auto first = TensorLayout::make({"batch"}, grid).value();
        QCOMPARE(partOf(first, {4, 5}, "cpu:1")->shape, (Shape{2, 5}));
        QCOMPARE(errorOf(partOf(first, {5, 5}, "cpu:1")),
                 std::string("dimension 0 of a tensor of shape (5, 5) lies along 'batch', among "
                             "whose 2 places its 5 cannot be divided"));
        QCOMPARE(errorOf(partOf(both, {4, 4}, "cpu:1")),
                 std::string("the layout ('model', None, 'batch') has more axes than a tensor of "
                             "shape (4, 4) has dimensions"));
        QCOMPARE(errorOf(partOf(first, {4}, "gpu:0")),
                 std::string("'gpu:0' is no device of the layout's mesh, which has cpu:0, cpu:1, "
                             "cpu:2 and cpu:3"));
    }
};

QTEST_GUILESS_MAIN(LayoutMapTest)
#include "tst_layout_map.moc"
