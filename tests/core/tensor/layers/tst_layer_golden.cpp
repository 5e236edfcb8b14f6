// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/tensor/cpu/layers/activations.h"
#include "core/tensor/cpu/layers/attention.h"
#include "core/tensor/cpu/layers/batch_normalization.h"
#include "core/tensor/cpu/layers/convolution.h"
#include "core/tensor/cpu/layers/group_normalization.h"
#include "core/tensor/cpu/layers/layer_normalization.h"
#include "core/tensor/cpu/layers/losses.h"
#include "core/tensor/cpu/layers/pooling.h"
#include "tests/support/golden_file.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

const GoldenFile& golden() {
    static const GoldenFile file(LOCKSTEP_SOURCE_DIR "/tests/golden/kernels.txt");
    return file;
}

/// What PyTorch has for one case.
struct Golden {
    std::string name;

    [[nodiscard]] const Doubles& doubles(const std::string& part) const {
        return golden().at(name + '.' + part).values;
    }
    [[nodiscard]] Floats floats(const std::string& part) const {
        const Doubles& values = doubles(part);
        return {values.begin(), values.end()};
    }
    [[nodiscard]] std::size_t extent(const std::string& part, std::size_t index) const {
        return golden().at(name + '.' + part).shape[index];
    }
    [[nodiscard]] Floats room(const std::string& part) const {
        return Floats(doubles(part).size(), 7.0F);
    }
    [[nodiscard]] bool agrees(const std::string& part, const Floats& found) const {
        const double error = worstError(found, doubles(part));
        if (!(error < 3e-6)) qWarning("%s.%s: %g", name.c_str(), part.c_str(), error);
        return error < 3e-6;
    }
};

void convolution(const char* name, const Window& window, std::size_t groups) {
    const Golden g{name};
    const ConvolutionShape shape{.batch = g.extent("x", 0),
                                 .height = g.extent("x", 1),
                                 .width = g.extent("x", 2),
                                 .channels = g.extent("x", 3),
                                 .filters = g.extent("weight", 0),
                                 .window = window,
                                 .groups = groups};
    auto made = Convolution::make(shape);
    QVERIFY(made.has_value());
    Floats y = g.room("y"), dx = g.room("x"), dWeight = g.room("weight"), dBias = g.room("bias");
    made->forward(g.floats("x"), g.floats("weight"), g.floats("bias"), y, false);
    made->weightGradient(g.floats("x"), g.floats("dy"), dWeight, dBias);
    made->inputGradient(g.floats("dy"), g.floats("weight"), dx);
    QVERIFY(g.agrees("y", y) && g.agrees("dx", dx));
    QVERIFY(g.agrees("dweight", dWeight) && g.agrees("dbias", dBias));
}

}  // namespace

/// Layers against PyTorch: tests/golden/make_kernel_golden.py.
class LayerGoldenTest : public QObject {
    Q_OBJECT

private slots:
    void convolutions() {
        convolution("conv_same_after", {.size = {3, 3}, .strides = {2, 2}, .after = {1, 1}}, 1);
        convolution("conv_grouped",
                    {.size = {3, 3}, .dilation = {2, 1}, .before = {2, 1}, .after = {2, 1}}, 2);
        convolution("conv_depthwise", {.size = {3, 3}, .before = {1, 1}, .after = {1, 1}}, 3);
    }
    void batchNormalisation() {
        for (const char* name : {"batch_norm_0", "batch_norm_100"}) {
            const Golden g{name};
            const std::size_t channels = g.doubles("weight").size();
            const std::size_t rows = g.doubles("x").size() / channels;
            const Floats x = g.floats("x"), dy = g.floats("dy");
            const Floats weight = g.floats("weight"), bias = g.floats("bias");
            Floats mean(channels), variance(channels), inverse(channels);
            Floats y = g.room("y"), dx = g.room("x");
            Doubles sum(channels), squares(channels);
            const ConstMatrix in{x.data(), rows, channels};
            const Normalization with{mean, inverse, weight, bias};
            batchSums(in, sum, squares);
            batchMoments(sum, squares, static_cast<double>(rows), 1e-3F, mean, variance, inverse);
            normalize(in, with, false, {y.data(), rows, channels});
            batchGradientSums({dy.data(), rows, channels}, in, {}, with, sum, squares);
            batchInputGradient({dy.data(), rows, channels}, in, {}, with, sum, squares,
                               static_cast<double>(rows), {dx.data(), rows, channels});
            QVERIFY(worstError(y, g.doubles("y")) < 1e-5);
            QVERIFY(worstError(dx, g.doubles("dx")) < 1e-5);
            QVERIFY(worstError(Floats(sum.begin(), sum.end()), g.doubles("dbias")) < 1e-5);
            QVERIFY(worstError(Floats(squares.begin(), squares.end()), g.doubles("dweight")) <
                    1e-5);
        }
    }
    void rowNormalisations() {
        for (const char* name : {"layer_norm", "rms_norm"}) {
            const Golden g{name};
            const bool isRootMeanSquare = g.name == "rms_norm";
            const Floats x = g.floats("x"), dy = g.floats("dy"), weight = g.floats("weight");
            const Floats bias = isRootMeanSquare ? Floats() : g.floats("bias");
            Floats mean(5), inverse(5), y(35), dx(35), dWeight(7), dBias(7);
            const RowNormalization with{weight, bias, 1e-3F, isRootMeanSquare};
            layerNormalize({x.data(), 5, 7}, with, mean, inverse, {y.data(), 5, 7});
            layerNormalizeGradient({dy.data(), 5, 7}, {x.data(), 5, 7}, with, mean, inverse,
                                   {dx.data(), 5, 7});
            layerNormalizeWeightGradient({dy.data(), 5, 7}, {x.data(), 5, 7}, mean, inverse,
                                         dWeight, dBias);
            QVERIFY(g.agrees("y", y) && g.agrees("dx", dx) && g.agrees("dweight", dWeight));
            if (!isRootMeanSquare) QVERIFY(g.agrees("dbias", dBias));
        }
    }
    void groupNormalisation() {
        const Golden g{"group_norm"};
        const GroupShape shape{2, 6, 6, 2};
        const Floats weight = g.floats("weight"), bias = g.floats("bias");
        const GroupNormalization with{weight, bias, 1e-3F};
        Floats mean(4), inverse(4), y(72), dx(72), dWeight(6), dBias(6);
        groupNormalize(shape, g.floats("x"), with, mean, inverse, y);
        groupNormalizeGradient(shape, g.floats("dy"), g.floats("x"), with, mean, inverse, dx);
        groupNormalizeWeightGradient(shape, g.floats("dy"), g.floats("x"), mean, inverse, dWeight,
                                     dBias);
        QVERIFY(g.agrees("y", y) && g.agrees("dx", dx));
        QVERIFY(g.agrees("dweight", dWeight) && g.agrees("dbias", dBias));
    }
    void poolings() {
        const PoolingShape shape{
            2, 7, 6, 3, {.size = {3, 3}, .strides = {2, 2}, .before = {1, 1}, .after = {1, 1}}};
        const Golden maximum{"max_pool"}, average{"average_pool"};
        Floats y = maximum.room("y"), dx = maximum.room("x");
        maxPooling(shape, maximum.floats("x"), y);
        maxPoolingGradient(shape, maximum.floats("x"), y, maximum.floats("dy"), dx);
        QVERIFY(maximum.agrees("y", y) && maximum.agrees("dx", dx));
        averagePooling(shape, average.floats("x"), y);
        averagePoolingGradient(shape, average.floats("dy"), dx);
        QVERIFY(average.agrees("y", y) && average.agrees("dx", dx));
    }
    void activations() {
        constexpr std::pair<const char*, ElementFunction> kFunctions[] = {
            {"relu", ElementFunction::Relu}, {"leaky_relu", ElementFunction::LeakyRelu},
            {"gelu", ElementFunction::Gelu}, {"gelu_tanh", ElementFunction::GeluTanh},
            {"silu", ElementFunction::Silu}, {"sigmoid", ElementFunction::Sigmoid},
            {"tanh", ElementFunction::Tanh}, {"elu", ElementFunction::Elu},
        };
        for (const auto& [name, function] : kFunctions) {
            const Golden g{name};
            Floats y = g.room("y"), dx = g.room("x");
            activate(function, 0.3F, g.floats("x"), y);
            activationGradient(function, 0.3F, g.floats("dy"),
                               gradientNeedsOutput(function) ? y : g.floats("x"), dx);
            QVERIFY(g.agrees("y", y) && g.agrees("dx", dx));
        }
        const Golden g{"softmax"};
        Floats y = g.floats("x"), dx = g.floats("dy");
        softmax({y.data(), 3, 11}, {y.data(), 3, 11});
        softmaxGradient({dx.data(), 3, 11}, {y.data(), 3, 11}, {dx.data(), 3, 11});
        QVERIFY(g.agrees("y", y) && g.agrees("dx", dx));
    }
    void attentions() {
        for (const bool isCausal : {false, true}) {
            const Golden g{isCausal ? "attention_causal" : "attention"};
            Attention attention({.positions = 5, .width = 8, .heads = 2, .isCausal = isCausal});
            Floats y = g.room("y"), dQkv = g.room("qkv"), logSums(attention.logSumsSize(2));
            attention.forward(2, g.floats("qkv"), {}, logSums, y);
            attention.gradient(2, g.floats("qkv"), {}, logSums, g.floats("dy"), dQkv);
            QVERIFY(g.agrees("y", y) && g.agrees("dqkv", dQkv));
        }
    }
    void crossEntropies() {
        const Floats labels = Golden{"losses"}.floats("labels");
        const std::vector<std::int32_t> classes(labels.begin(), labels.end());
        const std::pair<const char*, CrossEntropyOptions> cases[] = {
            {"cross_entropy", {}},
            {"cross_entropy_smooth", {.labelSmoothing = 0.125F}},
            {"cross_entropy_ignore", {.ignoredClass = 2}},
        };
        for (const auto& [name, options] : cases) {
            const Golden g{name};
            Floats dx = g.floats("x");
            LossTotals totals;
            sparseCrossEntropy({dx.data(), 6, 5}, classes, options, 1, {dx.data(), 6, 5}, totals);
            QVERIFY(g.agrees("loss", {static_cast<float>(totals.lossSum)}) && g.agrees("dx", dx));
        }
    }
    void lossesOfNumbers() {
        const Floats targets = Golden{"losses"}.floats("targets");
        const auto huberLoss = [](ConstMatrix y, ConstMatrix t, float scale, Matrix dy) {
            return huber(y, t, 0.75F, scale, dy);
        };
        using Loss = std::function<double(ConstMatrix, ConstMatrix, float, Matrix)>;
        const std::pair<const char*, Loss> losses[] = {
            {"binary_cross_entropy", binaryCrossEntropy},
            {"mean_squared_error", meanSquaredError},
            {"mean_absolute_error", meanAbsoluteError},
            {"huber", huberLoss},
        };
        for (const auto& [name, loss] : losses) {
            const Golden g{name};
            Floats dx = g.floats("x");
            const double sum =
                loss({dx.data(), 6, 5}, {targets.data(), 6, 5}, 1, {dx.data(), 6, 5});
            QVERIFY(g.agrees("loss", {static_cast<float>(sum)}) && g.agrees("dx", dx));
        }
    }
};

QTEST_GUILESS_MAIN(LayerGoldenTest)
#include "tst_layer_golden.moc"
