// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/rng.h"
#include "core/model/initialise.h"
#include "tests/core/model/model_text.h"

using namespace lockstep;
using namespace lockstep::model;
using namespace lockstep::model::test;

namespace {

std::vector<float> valuesOf(const Tensor& tensor, std::uint64_t seed) {
    std::vector<float> values(static_cast<std::size_t>(tensor.size()), -1.0F);
    initialise(tensor, seed, values);
    return values;
}

double largest(const std::vector<float>& values) {
    double most = 0;
    for (const float value : values)
        most = std::max(most, std::abs(double(value)));
    return most;
}

double deviation(const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values)
        sum += double(value) * double(value);
    return std::sqrt(sum / double(values.size()));
}

const Tensor& tensorNamed(const Graph& graph, const std::string& name) {
    return *std::ranges::find(graph.tensors, name, &Tensor::name);
}

}  // namespace

class InitialValuesTest : public QObject {
    Q_OBJECT
private slots:
    /// As every version before: checkpoints and seeds of old jobs depend on it.
    void aDenseLayerDrawsFromItsNumberAlone() {
        const Graph graph = graphOf(
            "{ units = 33, activation = \"relu\" },\n"
            "{ units = 17, activation = \"relu\" }, { units = 10 }",
            images(28, 1));
        QCOMPARE(graph.tensors.size(), std::size_t{6});
        const std::size_t sizes[] = {784, 33, 17, 10};
        for (const std::uint64_t seed :
             {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{1} << 60})
            for (std::size_t layer = 0; layer < 3; ++layer) {
                const auto weight = valuesOf(graph.tensors[2 * layer], seed);
                QCOMPARE(weight.size(), sizes[layer] * sizes[layer + 1]);
                const auto limit = static_cast<float>(
                    std::sqrt(6.0 / static_cast<double>(sizes[layer] + sizes[layer + 1])));
                CounterRng rng(seed, layer);
                for (const float value : weight)
                    QCOMPARE(value, rng.nextFloat(-limit, limit));
                for (const float value : valuesOf(graph.tensors[2 * layer + 1], seed))
                    QCOMPARE(value, 0.0F);
            }
    }
    void convolutionsCountTheirWindowInTheFans() {
        const Graph graph =
            graphOf("{ type = \"conv2d\", filters = 16, kernel_size = [3, 5] }", images(28, 4));
        const Initializer& begin = graph.tensors[0].initializer;
        QCOMPARE(begin.fanIn, 3.0 * 5 * 4);
        QCOMPARE(begin.fanOut, 3.0 * 5 * 16);
        const double limit = std::sqrt(6.0 / (60 + 240));
        const double most = largest(valuesOf(graph.tensors[0], 1));
        QVERIFY(most <= limit && most > 0.95 * limit);
    }
    void heNormalHasItsDeviationAndIsCutAtTwiceThat() {
        const Graph graph = graphOf(
            "{ type = \"conv2d\", filters = 256, kernel_size = 3, "
            "kernel_initializer = \"he_normal\" }",
            images(28, 64));
        const std::vector<float> values = valuesOf(graph.tensors[0], 3);
        const double wanted = std::sqrt(2.0 / (9 * 64));
        QVERIFY(std::abs(deviation(values) / wanted - 1) < 0.01);
        QVERIFY(largest(values) <= 2 * wanted / 0.87962566 * 1.000001);
        QVERIFY(largest(values) > 1.9 * wanted / 0.87962566);
    }
    void attentionsInputBeginsByThirds() {
        const Graph graph = graphOf("{ type = \"multi_head_attention\", num_heads = 6 }",
                                    {.input = {16, 384}, .columns = {}});
        const std::vector<float> in = valuesOf(tensorNamed(graph, "layers.0.in_proj_weight"), 1);
        const std::vector<float> out = valuesOf(tensorNamed(graph, "layers.0.out_proj.weight"), 1);
        QVERIFY(std::abs(largest(in) - 0.0884) < 1e-4);  // 0.0625 if its fans were those of all
        QVERIFY(std::abs(largest(out) - 0.0884) < 1e-4);
        QVERIFY(!std::equal(out.begin(), out.end(), in.begin()));
    }
    void embeddingsBeginNearZeroAndNormalisationsAtOne() {
        const Graph graph = graphOf(
            "{ type = \"embedding\", input_dim = 100, output_dim = 8 },\n"
            "{ type = \"layer_normalization\" }, { type = \"batch_normalization\" }",
            {.input = {16}, .columns = {}, .classes = 0, .vocabulary = 100});
        const double most = largest(valuesOf(graph.tensors[0], 1));
        QVERIFY(most <= 0.05 && most > 0.045);
        for (const char* ones : {"layers.1.weight", "layers.2.weight", "layers.2.running_var"})
            QVERIFY(std::ranges::all_of(valuesOf(tensorNamed(graph, ones), 1),
                                        [](float value) { return value == 1.0F; }));
        for (const char* zeros : {"layers.1.bias", "layers.2.bias", "layers.2.running_mean"})
            QVERIFY(std::ranges::all_of(valuesOf(tensorNamed(graph, zeros), 1),
                                        [](float value) { return value == 0.0F; }));
    }
    void orthogonalRowsAndColumnsStandAtRightAngles() {
        for (const auto& [rows, columns] : {std::pair{128, 32}, {32, 128}, {40, 40}, {3, 1}}) {
            Tensor tensor{.name = "w", .shape = {rows, columns}, .initializer = {}};
            tensor.initializer.kind = Initializer::Kind::Orthogonal;
            const std::vector<float> values = valuesOf(tensor, 5);
            const bool byColumns = rows > columns;
            const int count = byColumns ? columns : rows;
            const int length = byColumns ? rows : columns;
            const auto at = [&](int vector, int i) {
                return double(
                    values[std::size_t(byColumns ? i * columns + vector : vector * columns + i)]);
            };
            for (int a = 0; a < count; ++a)
                for (int b = a; b < count; ++b) {
                    double product = 0;
                    for (int i = 0; i < length; ++i)
                        product += at(a, i) * at(b, i);
                    QVERIFY(std::abs(product - (a == b ? 1 : 0)) < 1e-6);
                }
        }
    }
    /// As drawn evenly: the numbers of one have no mean, and deviate by 1 / sqrt(length).
    void orthogonalMatricesLeanToNoSide() {
        Tensor tensor{.name = "w", .shape = {256, 64}, .initializer = {}};
        tensor.initializer.kind = Initializer::Kind::Orthogonal;
        double diagonal = 0;
        double fourth = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const std::vector<float> values = valuesOf(tensor, seed);
            QVERIFY(std::abs(deviation(values) - 1.0 / 16) < 1e-6);
            for (std::size_t i = 0; i < 64; ++i)
                diagonal += double(values[i * 64 + i]) / (20 * 64);
            for (const float value : values)
                fourth += std::pow(double(value) * 16, 4) / double(20 * values.size());
        }
        QVERIFY(std::abs(diagonal) < 4.0 / 16 / std::sqrt(20.0 * 64));
        QVERIFY(std::abs(fourth - 3.0 * 256 / 258) < 0.05);  // of a number of a sphere's point
    }
    void forgetGatesBeginOpen() {
        const DataFacts facts{.input = {4, 6}, .columns = {}};
        const auto biasOf = [&](const char* options) {
            const Graph graph =
                graphOf(std::string("{ type = \"lstm\", units = 2") + options + " }", facts);
            return valuesOf(tensorNamed(graph, "layers.0.bias_ih_l0"), 1);
        };
        QVERIFY((biasOf("") == std::vector<float>{0, 0, 1, 1, 0, 0, 0, 0}));
        QVERIFY((biasOf(", unit_forget_bias = false") == std::vector<float>(8, 0.0F)));
        const auto drawn = biasOf(", bias_initializer = \"uniform\"");
        QVERIFY(drawn[2] == 1 && drawn[3] == 1 && drawn[0] != 0 && drawn[4] != drawn[5]);
    }
    void aRecurrentLayerBeginsAsKeras() {
        const Graph graph =
            graphOf("{ type = \"gru\", units = 20 }", {.input = {4, 40}, .columns = {}});
        const double most = largest(valuesOf(tensorNamed(graph, "layers.0.weight_ih_l0"), 1));
        const double limit = std::sqrt(6.0 / (40 + 60));  // fans of all gates together
        QVERIFY(most <= limit && most > 0.98 * limit);
        QVERIFY(tensorNamed(graph, "layers.0.weight_hh_l0").initializer.kind ==
                Initializer::Kind::Orthogonal);
    }
    void seedsAndLayersDrawDifferently() {
        const Graph graph = graphOf("{ units = 8 }, { units = 8 }", {.input = {8}, .columns = {}});
        const Tensor& first = graph.tensors[0];
        QVERIFY(valuesOf(first, 1) == valuesOf(first, 1));
        QVERIFY(valuesOf(first, 1) != valuesOf(first, 2));
        QVERIFY(valuesOf(first, 1) != valuesOf(graph.tensors[2], 1));
    }
};

QTEST_GUILESS_MAIN(InitialValuesTest)
#include "tst_initial_values.moc"
