// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <iterator>

#include "core/model/description/layer_table.h"
#include "core/model/layer_families.h"
#include "tests/core/model/model_text.h"

using namespace lockstep;
using namespace lockstep::model;
using namespace lockstep::model::test;

namespace {

struct Case {
    const char* name;
    const char* layer;
    Shape input;
    Shape output;
    const char* tensors;
};

std::vector<Case> common() {
    return {
        {"valid",
         "type = \"conv2d\", filters = 4, kernel_size = 3",
         {9, 8, 2},
         {7, 6, 4},
         "layers.0.weight 4 x 2 x 3 x 3\nlayers.0.bias 4\n"},
        {"same, stride 2",
         "type = \"conv2d\", filters = 4, kernel_size = 3, strides = 2, padding = "
         "\"same\", use_bias = false",
         {9, 8, 2},
         {5, 4, 4},
         "layers.0.weight 4 x 2 x 3 x 3\n"},
        {"padding of one",
         "type = \"conv2d\", filters = 4, kernel_size = 3, strides = 2, padding = 1,"
         " use_bias = false",
         {8, 8, 2},
         {4, 4, 4},
         "layers.0.weight 4 x 2 x 3 x 3\n"},
        {"padding each way",
         "type = \"conv2d\", filters = 1, kernel_size = 1, padding = [1, 2], "
         "use_bias = false",
         {8, 8, 2},
         {10, 12, 1},
         "layers.0.weight 1 x 2 x 1 x 1\n"},
        {"dilation",
         "type = \"conv2d\", filters = 1, kernel_size = [3, 1], dilation_rate = 3, "
         "use_bias = false",
         {8, 8, 2},
         {2, 8, 1},
         "layers.0.weight 1 x 2 x 3 x 1\n"},
        {"groups",
         "type = \"conv2d\", filters = 6, kernel_size = 1, groups = 2",
         {8, 8, 4},
         {8, 8, 6},
         "layers.0.weight 6 x 2 x 1 x 1\nlayers.0.bias 6\n"},
        {"conv1d",
         "type = \"conv1d\", filters = 6, kernel_size = 3, strides = 2",
         {9, 4},
         {4, 6},
         "layers.0.weight 6 x 4 x 3\nlayers.0.bias 6\n"},
        {"conv1d, array",
         "type = \"conv1d\", filters = 6, kernel_size = [3], padding = \"same\"",
         {9, 4},
         {9, 6},
         "layers.0.weight 6 x 4 x 3\nlayers.0.bias 6\n"},
        {"depthwise",
         "type = \"depthwise_conv2d\", kernel_size = 3, depth_multiplier = 2",
         {8, 8, 4},
         {6, 6, 8},
         "layers.0.weight 8 x 1 x 3 x 3\nlayers.0.bias 8\n"},
        {"separable",
         "type = \"separable_conv2d\", filters = 5, kernel_size = 3",
         {8, 8, 4},
         {6, 6, 5},
         "layers.0.depthwise.weight 4 x 1 x 3 x 3\nlayers.0.pointwise.weight 5 x 4 x 1 x 1\n"
         "layers.0.pointwise.bias 5\n"},
        {"max pooling", "type = \"max_pooling2d\"", {9, 8, 4}, {4, 4, 4}, ""},
        {"overlapping",
         "type = \"average_pooling2d\", pool_size = 3, strides = 2, padding = \"same\"",
         {9, 8, 4},
         {5, 4, 4},
         ""},
        {"pooling of sequences", "type = \"max_pooling1d\", pool_size = 3", {9, 4}, {3, 4}, ""},
        {"average of sequences", "type = \"average_pooling1d\"", {9, 4}, {4, 4}, ""},
        {"global", "type = \"global_average_pooling2d\"", {9, 8, 4}, {4}, ""},
        {"global maximum", "type = \"global_max_pooling1d\"", {9, 4}, {4}, ""},
        {"flatten", "type = \"flatten\"", {9, 8, 4}, {288}, ""},
        {"reshape", "type = \"reshape\", target_shape = [4, -1]", {9, 8, 4}, {4, 72}, ""},
        {"group",
         "type = \"group_normalization\", groups = 2",
         {9, 8, 4},
         {9, 8, 4},
         "layers.0.weight 4\nlayers.0.bias 4\n"},
        {"root mean square", "type = \"rms_normalization\"", {9, 8}, {9, 8}, "layers.0.weight 8\n"},
        {"padded",
         "type = \"zero_padding2d\", padding = [[1, 2], [3, 4]]",
         {9, 8, 4},
         {12, 15, 4},
         ""},
        {"up", "type = \"up_sampling2d\", size = [2, 3]", {9, 8, 4}, {18, 24, 4}, ""},
        {"rescaling", "type = \"rescaling\", scale = 0.5", {9, 8, 4}, {9, 8, 4}, ""},
        {"softmax", "type = \"activation\", activation = \"softmax\"", {9}, {9}, ""},
        {"dense on an image of the data",
         "type = \"dense\", units = 2",
         {4, 4, 3},
         {2},
         "layers.0.weight 2 x 48\nlayers.0.bias 2\n"},
        {"dense on a sequence",
         "type = \"dense\", units = 2",
         {4, 3},
         {4, 2},
         "layers.0.weight 2 x 3\nlayers.0.bias 2\n"},
        {"position",
         "type = \"position_embedding\", sequence_length = 8",
         {4, 3},
         {4, 3},
         "layers.0.weight 8 x 3\n"},
        {"attention",
         "type = \"multi_head_attention\", num_heads = 2",
         {4, 6},
         {4, 6},
         "layers.0.in_proj_weight 18 x 6\nlayers.0.in_proj_bias 18\n"
         "layers.0.out_proj.weight 6 x 6\nlayers.0.out_proj.bias 6\n"},
    };
}

std::vector<Case> transposedAndRecurrent() {
    return {
        {"transposed",
         "type = \"conv2d_transpose\", filters = 6, kernel_size = 3, strides = 2",
         {4, 5, 3},
         {9, 11, 6},
         "layers.0.weight 3 x 6 x 3 x 3\nlayers.0.bias 6\n"},
        {"transposed, same",
         "type = \"conv2d_transpose\", filters = 6, kernel_size = [4, 2], strides = [2, 3], "
         "padding = \"same\", use_bias = false",
         {4, 5, 3},
         {8, 15, 6},
         "layers.0.weight 3 x 6 x 4 x 2\n"},
        {"transposed, as PyTorch",
         "type = \"conv2d_transpose\", filters = 6, kernel_size = 3, strides = 2, padding = 1, "
         "output_padding = 1",
         {4, 5, 3},
         {8, 10, 6},
         "layers.0.weight 3 x 6 x 3 x 3\nlayers.0.bias 6\n"},
        {"lstm",
         "type = \"lstm\", units = 5",
         {4, 6},
         {5},
         "layers.0.weight_ih_l0 20 x 6\nlayers.0.bias_ih_l0 20\n"
         "layers.0.weight_hh_l0 20 x 5\nlayers.0.bias_hh_l0 20\n"},
        {"lstm, sequences",
         "type = \"lstm\", units = 5, return_sequences = true, use_bias = false, dropout = 0.5",
         {4, 6},
         {4, 5},
         "layers.0.weight_ih_l0 20 x 6\nlayers.0.weight_hh_l0 20 x 5\n"},
        {"gru",
         "type = \"gru\", units = 5, go_backwards = true",
         {4, 6},
         {5},
         "layers.0.weight_ih_l0 15 x 6\nlayers.0.bias_ih_l0 15\n"
         "layers.0.weight_hh_l0 15 x 5\nlayers.0.bias_hh_l0 15\n"},
    };
}

const std::vector<Case>& cases() {
    static const std::vector<Case> kCases = [] {
        std::vector<Case> all = common();
        std::ranges::copy(transposedAndRecurrent(), std::back_inserter(all));
        return all;
    }();
    return kCases;
}

}  // namespace

class ModelShapesTest : public QObject {
    Q_OBJECT
private slots:
    void layersGiveTheShapesKerasSays_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(cases().size()); ++i)
            QTest::newRow(cases()[std::size_t(i)].name) << i;
    }
    void layersGiveTheShapesKerasSays() {
        QFETCH(const int, index);
        const Case& one = cases()[std::size_t(index)];
        const Graph graph =
            graphOf(std::string("{ ") + one.layer + " }", {.input = one.input, .columns = {}});
        QVERIFY(!graph.nodes.empty());
        QCOMPARE(toString(graph.output()), toString(one.output));
        QCOMPARE(tensorLines(graph), std::string(one.tensors));
        QVERIFY(graph.layers.back().output == one.output);
    }
    void everyTypeOfTheTableCanBeBuilt() {
        for (const LayerType& type : layerTypes()) {
            QVERIFY2(findBuilder(type.name) != nullptr, type.name.c_str());
            QVERIFY(!type.help.empty());
            for (const OptionType& option : type.options) {
                QVERIFY2(!option.help.empty(), option.name.c_str());
                QVERIFY2(!option.defaultValue || !misfit(*option.defaultValue, option),
                         (type.name + "." + option.name).c_str());
                QVERIFY(!(option.isRequired && option.defaultValue));
            }
        }
    }
    void anLstmTrainsOneOfItsTwoBiasesAndAGruBoth() {
        const DataFacts facts{.input = {4, 6}, .columns = {}};
        // As Keras counts them: 4 * 5 * (6 + 5 + 1) and 3 * 5 * (6 + 5 + 2).
        QCOMPARE(graphOf("{ type = \"lstm\", units = 5 }", facts).trainableCount(),
                 std::int64_t{240});
        QCOMPARE(graphOf("{ type = \"gru\", units = 5 }", facts).trainableCount(),
                 std::int64_t{195});
    }
    void aRecurrentLayersWorkAndMemoryAreCounted() {
        const Graph graph =
            graphOf("{ type = \"lstm\", units = 5 }", {.input = {4, 6}, .columns = {}});
        QCOMPARE(graph.layers[0].flops, std::int64_t{2} * 4 * 20 * (6 + 5));
        // The gates, the cells and states of all steps, the last state.
        QCOMPARE(graph.layers[0].activations, std::int64_t{4} * (20 + 5 + 5) + 5);
    }
    void anOddSamePaddingGoesBelowAndRight() {
        const Graph graph = graphOf(
            "{ type = \"conv2d\", filters = 1, kernel_size = 3, strides = 2, padding = \"same\" }",
            images(8, 1));
        const auto& window = std::get<Convolution>(graph.nodes[1].operation).window;
        QVERIFY((window.before == Extent{0, 0} && window.after == Extent{1, 1}));
    }
    void denseOnAnImageFlattensWithinItsOwnLayer() {
        const Graph graph = graphOf("{ units = 4 }, { units = 2 }", images(5, 3));
        QCOMPARE(graph.nodes.size(), std::size_t{4});
        QVERIFY(std::holds_alternative<Flatten>(graph.nodes[1].operation));
        QCOMPARE(graph.nodes[1].layer, 0);
        QCOMPARE(graph.layers.size(), std::size_t{2});
    }
    void activationsAreNodesOfTheirOwn() {
        const Graph graph =
            graphOf("{ units = 4, activation = \"leaky_relu\" }", {.input = {5}, .columns = {}});
        QCOMPARE(graph.nodes.size(), std::size_t{3});
        const auto& activation = std::get<Activation>(graph.nodes[2].operation);
        QCOMPARE(int(activation.function), int(Function::LeakyRelu));
        QCOMPARE(activation.slope, 0.3F);
        QCOMPARE(graph.layers[0].activations, std::int64_t{8});
    }
    void defaultsHoldForAllLayersOfTheirType() {
        const Graph graph = graphOf(
            "[model]\nlayers = [{ type = \"batch_normalization\" },"
            " { type = \"batch_normalization\", epsilon = 0.5 }]\n"
            "[model.defaults]\nbatch_normalization = { momentum = 0.9, epsilon = 1e-5 }\n",
            {.input = {5}, .columns = {}});
        const auto& first = std::get<BatchNormalization>(graph.nodes[1].operation);
        const auto& second = std::get<BatchNormalization>(graph.nodes[2].operation);
        QCOMPARE(first.momentum, 0.9F);
        QCOMPARE(first.epsilon, 1e-5F);
        QCOMPARE(second.momentum, 0.9F);
        QCOMPARE(second.epsilon, 0.5F);
        QVERIFY(first.isSynchronized);
    }
    void normalizationIsAnAffineMap() {
        const Graph graph =
            graphOf("{ type = \"normalization\", mean = [1, 2], variance = [4, 0] }",
                    {.input = {2}, .columns = {}});
        const auto& affine = std::get<Affine>(graph.nodes[1].operation);
        QCOMPARE(affine.scale, (std::vector<float>{0.5F, 1e7F}));
        QCOMPARE(affine.offset, (std::vector<float>{-0.5F, -2e7F}));
    }
    void repeatedBlocksCountThemselves() {
        const Graph graph = graphOf(
            "[model]\nlayers = [{ block = \"stage\", name = \"s\", repeat = 2, width = 3 },"
            " { block = \"unit\", width = 2 }, { name = \"mix\", residual = [{ units = 2 }] }]\n"
            "[model.blocks.unit]\nlayers = [{ units = \"$width\", use_bias = false }]\n"
            "[model.blocks.stage]\nlayers = [{ block = \"unit\", name = \"u\", width = \"$width\" "
            "},"
            " { type = \"concatenate\", inputs = [\"input\", \"u\"] }]\n",
            {.input = {5}, .columns = {}});
        QCOMPARE(QString::fromStdString(tensorLines(graph)),
                 QStringLiteral("s.0.u.layers.0.weight 3 x 5\ns.1.u.layers.0.weight 3 x 8\n"
                                "layers.1.layers.0.weight 2 x 11\nmix.residual.0.weight 2 x 2\n"
                                "mix.residual.0.bias 2\n"));
    }
    void tenThousandLayersArePossible() {
        const std::string text =
            "[model]\nlayers = [{ block = \"a\", repeat = 10000 }]\n"
            "[model.blocks.a]\nlayers = [{ type = \"activation\", activation = \"relu\" }]\n";
        QCOMPARE(graphOf(text, {.input = {5}, .columns = {}}).layers.size(), kMostLayers);
    }
    void normalizedInputIsWhatEveryLayerTakes() {
        DataFacts facts = images(8, 3);
        facts.inputScale = {2, 3, 4};
        facts.inputOffset = {-1, -2, -3};
        const Graph graph = graphOf(
            "[model]\nlayers = [{ block = \"b\", name = \"b\" },"
            " { type = \"concatenate\", inputs = [\"data\", \"b\"] }]\n"
            "[model.blocks.b]\nlayers = ["
            "{ type = \"conv2d\", filters = 1, kernel_size = 1, input = \"data\" }]\n",
            facts);
        const auto& affine = std::get<Affine>(graph.nodes[1].operation);
        QCOMPARE(affine.offset, facts.inputOffset);
        QCOMPARE(graph.nodes[2].inputs, std::vector<int>{1});
        QCOMPARE(graph.nodes[3].inputs, (std::vector<int>{1, 2}));
        QCOMPARE(graph.tensors[0].name, std::string("b.layers.0.weight"));
        const Graph dense = graphOf("{ units = 3 }", facts);
        QCOMPARE(dense.output(), Shape{3});
    }
};

QTEST_GUILESS_MAIN(ModelShapesTest)
#include "tst_model_shapes.moc"
