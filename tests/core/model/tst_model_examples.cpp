// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/model/description/write_description.h"
#include "core/model/report.h"
#include "tests/core/model/model_text.h"

using namespace lockstep;
using namespace lockstep::model;
using namespace lockstep::model::test;

namespace {

DataFacts characters() {
    return {.input = {256}, .columns = {}, .classes = 0, .vocabulary = 65};
}

DataFacts houses() {
    return {.input = {8}, .columns = {{.name = "ocean_proximity", .shape = {}, .vocabulary = 9}}};
}

std::string written(const Description& description) {
    std::string text = "[model]\nlayers = " + layersToml(description) + "\n";
    const std::string defaults = defaultsToml(description);
    const std::string blocks = blocksToml(description);
    if (!defaults.empty()) text += "defaults = " + defaults + "\n";
    if (!blocks.empty()) text += "blocks = " + blocks + "\n";
    return text;
}

/// Layers, floating-point operations and numbers kept of one type.
std::int64_t flopsOf(const Graph& graph, const std::string& name) {
    for (const Layer& layer : graph.layers)
        if (layer.name == name) return layer.flops;
    return -1;
}

}  // namespace

class ModelExamplesTest : public QObject {
    Q_OBJECT
private slots:
    void resNet18HasTheTensorsOfPyTorchsModule() {
        const Graph graph = graphOf(modelFile("resnet18-cifar10.toml"), images(32, 3));
        QCOMPARE(tensorLines(graph), modelFile("resnet18-cifar10.tensors"));
        QCOMPARE(graph.tensors.size(), std::size_t{102});
        QCOMPARE(graph.trainableCount(), std::int64_t{11'173'962});
        QCOMPARE(statisticCount(graph), std::int64_t{9'600});
        QVERIFY((graph.output() == Shape{10}));
    }
    void theGuidesCnnHasTheSizeKerasSays() {
        const Graph graph = graphOf(modelFile("mnist-cnn.toml"), images(28, 1));
        QCOMPARE(tensorLines(graph), modelFile("mnist-cnn.tensors"));
        QCOMPARE(graph.trainableCount(), std::int64_t{49'210});
        QCOMPARE(statisticCount(graph), std::int64_t{136});
        QVERIFY((graph.output() == Shape{10}));
    }
    void theTinyGptHasTheTensorsOfNanoGptsModule() {
        const Graph graph = graphOf(modelFile("tiny-gpt.toml"), characters());
        QCOMPARE(tensorLines(graph), modelFile("tiny-gpt.tensors"));
        QCOMPARE(graph.trainableCount(), std::int64_t{10'745'088});
        QVERIFY((graph.output() == Shape{256, 65}));
        // The last product reads the table of the first layer.
        QVERIFY((graph.nodes.back().tensors == std::vector<int>{0}));
    }
    void housesReadAColumnOfTheirOwn() {
        const Graph graph = graphOf(modelFile("houses.toml"), houses());
        QCOMPARE(graph.trainableCount(), std::int64_t{34'853});
        QCOMPARE(graph.tensors.size(), std::size_t{9});
        QVERIFY((graph.output() == Shape{1}));
        QCOMPARE(QString::fromStdString(tensorLines(graph)),
                 QStringLiteral("proximity.weight 9 x 4\nlayers.2.weight 128 x 12\n"
                                "layers.2.bias 128\nlayers.3.residual.0.weight 128 x 128\n"
                                "layers.3.residual.0.bias 128\n"
                                "layers.3.residual.1.weight 128 x 128\n"
                                "layers.3.residual.1.bias 128\nlayers.4.weight 1 x 128\n"
                                "layers.4.bias 1\n"));
    }
    void everyNodeStandsBehindItsInputs() {
        for (const auto& [file, facts] : {std::pair{"resnet18-cifar10.toml", images(32, 3)},
                                          {"tiny-gpt.toml", characters()},
                                          {"houses.toml", houses()},
                                          {"mnist-cnn.toml", images(28, 1)}}) {
            const Graph graph = graphOf(modelFile(file), facts);
            QVERIFY(!graph.nodes.empty());
            for (std::size_t i = 0; i < graph.nodes.size(); ++i)
                for (const int input : graph.nodes[i].inputs)
                    QVERIFY(input >= 0 && std::size_t(input) < i);
        }
    }
    void whatIsWrittenBackReadsTheSame() {
        for (const char* file :
             {"resnet18-cifar10.toml", "tiny-gpt.toml", "houses.toml", "mnist-cnn.toml"}) {
            const DescriptionReading first = read(modelFile(file));
            QVERIFY(first.problems.empty());
            const std::string text = written(first.description);
            const DescriptionReading second = read(text);
            QVERIFY2(second.problems.empty(), text.c_str());
            QVERIFY2(sameDescription(first.description, second.description), text.c_str());
            QCOMPARE(written(second.description), text);
        }
    }
    void anOptionThatDiffersMakesAnotherDescription() {
        const Description one = read("{ type = \"dense\", units = 4 }").description;
        for (const char* other :
             {"{ type = \"dense\", units = 5 }", "{ type = \"dense\", units = 4, name = \"a\" }",
              "{ type = \"dense\", units = 4, input = \"data\" }",
              "{ type = \"dense\", units = 4, use_bias = true }",
              "{ residual = [{ type = \"dense\", units = 4 }] }"})
            QVERIFY2(!sameDescription(one, read(other).description), other);
        QVERIFY(sameDescription(one, read("{ units = 4, type = \"dense\" }").description));
    }
    void theWorkOfConvolutionsAndProductsIsCounted() {
        const Graph cnn = graphOf(modelFile("mnist-cnn.toml"), images(28, 1));
        QCOMPARE(flopsOf(cnn, "layers.0"), std::int64_t{2} * 28 * 28 * 12 * 9);
        QCOMPARE(flopsOf(cnn, "layers.3"), std::int64_t{2} * 14 * 14 * 24 * 12 * 36);
        QCOMPARE(flopsOf(cnn, "layers.10"), std::int64_t{2} * 32 * 256);
        const Graph gpt = graphOf(modelFile("tiny-gpt.toml"), characters());
        QCOMPARE(flopsOf(gpt, "transformer.h.0.attn"),
                 std::int64_t{2} * 256 * 384 * 384 * 4 + std::int64_t{4} * 256 * 256 * 384);
        QCOMPARE(flopsOf(gpt, "transformer.h.5.ln_1"), std::int64_t{0});
    }
    void theReportShowsEachLayerAndTheTotals() {
        const Graph graph = graphOf(
            "{ type = \"conv2d\", name = \"stem\", filters = 12, kernel_size = 3, padding = "
            "\"same\" }, { type = \"batch_normalization\", activation = \"relu\" }, "
            "{ units = 1000 }",
            images(28, 1));
        QCOMPARE(QString::fromStdString(reportText(graph)),
                 QStringLiteral("layer     type                 output          parameters       "
                                "FLOPs  bytes a sample\n"
                                "stem      conv2d               28 x 28 x 12           120     "
                                "169,344          37,632\n"
                                "layers.1  batch_normalization  28 x 28 x 12            24         "
                                "  0          75,264\n"
                                "layers.2  dense                28 x 28 x 1000      13,000  "
                                "18,816,000       3,136,000\n"
                                "total                          28 x 28 x 1000      13,144  "
                                "18,985,344       3,248,896\n"
                                "13,144 of the parameters are trained; running statistics: 24\n"));
    }
    void whatStaysAsLoadedIsNotCountedAsTrained() {
        const Graph graph = graphOf(
            "{ type = \"dense\", units = 4, trainable = false }, { type = \"dense\", units = 2 }",
            {.input = {3}, .columns = {}});
        QCOMPARE(graph.trainableCount(), std::int64_t{10});
        QVERIFY(!graph.tensors[0].isTrainable && !graph.tensors[1].isTrainable);
    }
    void dropoutsAreCountedThroughoutTheGraph() {
        const Graph graph = graphOf(modelFile("tiny-gpt.toml"), characters());
        std::vector<std::int64_t> numbers;
        for (const Node& node : graph.nodes) {
            if (const auto* dropout = std::get_if<Dropout>(&node.operation))
                numbers.push_back(dropout->layer);
            if (const auto* attention = std::get_if<Attention>(&node.operation))
                numbers.push_back(attention->layer);
        }
        QCOMPARE(numbers.size(), std::size_t{19});
        for (std::size_t i = 0; i < numbers.size(); ++i)
            QCOMPARE(numbers[i], std::int64_t(i));
    }
};

QTEST_GUILESS_MAIN(ModelExamplesTest)
#include "tst_model_examples.moc"
