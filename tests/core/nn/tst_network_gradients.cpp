// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "tests/support/network_runner.h"
#include "tests/support/reference.h"

using namespace lockstep;
using namespace lockstep::testing;

namespace {

/// The golden network's parameters in float64.
ReferenceNetwork exactCopy(const NetworkRunner& runner) {
    ReferenceNetwork reference;
    for (const nn::TensorInfo& tensor : runner.network.tensors()) {
        const auto values = std::span(runner.parameters).subspan(tensor.offset, tensor.size());
        if (tensor.shape.size() == 2)
            reference.weights.emplace_back(tensor.shape[0], tensor.shape[1], values);
        else
            reference.biases.emplace_back(1, tensor.shape[0], values);
    }
    return reference;
}

}  // namespace

class NetworkGradientsTest : public QObject {
    Q_OBJECT
private slots:
    void logitsLossAndGradientsAreThoseOfKeras() {
        GoldenNetwork runner;
        runner.network.forward(*runner.stream, runner.parameters, runner.x, runner.workspace);
        const auto logits = runner.workspace.logits();
        const auto& expected = runner.golden.at("logits").values;
        QCOMPARE(logits.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs(static_cast<double>(logits.flat()[i]) - expected[i]) < 1e-6);
        const auto totals = runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        QVERIFY(std::abs(totals.lossSum / 7 - runner.golden.at("loss").values[0]) < 1e-6);
        QVERIFY(runner.error(runner.gradients, "gradient") < 2e-7);
    }
    void gradientsOfEveryLayerMatchFiniteDifferences() {
        GoldenNetwork runner;
        runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        ReferenceNetwork reference = exactCopy(runner);
        const DoubleMatrix x(runner.x.rows, runner.x.columns, runner.inputs);
        double largest = 0;
        for (std::size_t i = 0; i < runner.network.tensors().size(); ++i) {
            const nn::TensorInfo& tensor = runner.network.tensors()[i];
            auto& values =
                i % 2 == 0 ? reference.weights[i / 2].values : reference.biases[i / 2].values;
            for (std::size_t k = 0; k < values.size(); ++k) {
                const double numeric = reference.derivative(values[k], x, runner.labels);
                const auto ours = static_cast<double>(runner.gradients[tensor.offset + k]);
                QVERIFY2(std::abs(numeric - ours) < 1e-6, tensor.name.c_str());
                largest = std::max(largest, std::abs(ours));
            }
        }
        QVERIFY(largest > 0.01);
    }
    void unevenSharesAddUpToTheWholeBatchsGradient() {
        GoldenNetwork runner;
        const auto whole = runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        const auto expected = runner.gradients;
        std::vector<double> sums(expected.size());
        double lossSum = 0;
        double samples = 0;
        std::size_t row = 0;
        for (const std::size_t share : {3U, 0U, 1U, 2U, 1U}) {
            const tensor::ConstMatrix x{runner.x.data + row * 13, share, 13};
            const auto labels = std::span(runner.labels).subspan(row, share);
            const auto totals = runner.computeGradients(x, labels, 1.0F / 7);
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] += static_cast<double>(runner.gradients[i]);
            lossSum += totals.lossSum;
            samples += totals.samples;
            row += share;
        }
        QCOMPARE(samples, 7.0);
        QVERIFY(std::abs(lossSum - whole.lossSum) < 1e-5);
        for (std::size_t i = 0; i < sums.size(); ++i)
            QVERIFY(std::abs(sums[i] - static_cast<double>(expected[i])) < 1e-7);
    }
    void gapsBetweenTensorsKeepTheirZeros() {
        GoldenNetwork runner;
        std::ranges::fill(runner.gradients, -7.0F);
        runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        QCOMPARE(static_cast<std::size_t>(std::ranges::count(runner.gradients, -7.0F)),
                 runner.network.parameterCount() - runner.network.trainableCount());
    }
    void layersAreReportedFromTheLastToTheFirstWithFinalGradients() {
        GoldenNetwork runner;
        runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        const auto expected = runner.gradients;
        std::ranges::fill(runner.gradients, 0.0F);
        std::vector<std::size_t> order;
        bool final = true;
        runner.network.forward(*runner.stream, runner.parameters, runner.x, runner.workspace);
        runner.network.lossAndGradient(*runner.stream, runner.labels, 1.0F / 7, runner.workspace);
        runner.network.backward(
            *runner.stream, runner.parameters, runner.gradients, runner.workspace,
            [&](std::size_t layer) {
                order.push_back(layer);
                const auto begin = static_cast<long>(runner.network.layerBegins()[layer]);
                final = final && std::equal(runner.gradients.begin() + begin,
                                            runner.gradients.end(), expected.begin() + begin);
            });
        QCOMPARE(order, (std::vector<std::size_t>{2, 1, 0}));
        QVERIFY(final);
    }
    void aLayersParametersAreNotReadOnceItIsDone() {
        GoldenNetwork runner;
        runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        const auto expected = runner.gradients;
        runner.network.forward(*runner.stream, runner.parameters, runner.x, runner.workspace);
        runner.network.lossAndGradient(*runner.stream, runner.labels, 1.0F / 7, runner.workspace);
        // Another replica updates them in place from then on.
        runner.network.backward(
            *runner.stream, runner.parameters, runner.gradients, runner.workspace,
            [&](std::size_t layer) {
                const auto begin = static_cast<long>(runner.network.layerBegins()[layer]);
                std::fill(runner.parameters.begin() + begin, runner.parameters.end(),
                          std::numeric_limits<float>::quiet_NaN());
            });
        QVERIFY(runner.gradients == expected);
    }
    void aSmallBatchInALargeWorkspaceGivesTheSameBits() {
        GoldenNetwork small;
        NetworkRunner large({.layers = {{.units = 17, .activation = config::Activation::Relu},
                                        {.units = 9, .activation = config::Activation::Relu},
                                        {.units = 5}}},
                            13, 100);
        large.parameters = small.parameters;
        small.computeGradients(small.x, small.labels, 0.1F);
        large.computeGradients(small.x, small.labels, 0.1F);
        QVERIFY(small.gradients == large.gradients);
    }
    void aNetworkOfOneLayerIsLogisticRegression() {
        NetworkRunner runner({.layers = {{.units = 3}}}, 2, 1);
        const std::vector<float> x{1, 2};
        const std::vector<std::int32_t> labels{2};
        const auto totals = runner.computeGradients({x.data(), 1, 2}, labels, 1);
        QVERIFY(std::abs(totals.lossSum - std::log(3)) < 1e-6);
        const std::vector<double> expected{1 / 3., 2 / 3., 1 / 3., 2 / 3., -2 / 3., -4 / 3.};
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs(static_cast<double>(runner.gradients[i]) - expected[i]) < 1e-6);
    }
    void evaluationCountsWhatTrainingCounts() {
        GoldenNetwork runner;
        const auto training = runner.computeGradients(runner.x, runner.labels, 1);
        auto& workspace = runner.workspace;
        runner.network.evaluate(*runner.stream, runner.parameters, runner.x, runner.labels,
                                workspace);
        runner.network.evaluate(*runner.stream, runner.parameters, runner.x, runner.labels,
                                workspace);
        const auto twice = workspace.takeTotals();
        QCOMPARE(twice.samples, 14.0);
        QCOMPARE(twice.correct, 2 * training.correct);
        QVERIFY(std::abs(twice.lossSum - 2 * training.lossSum) < 1e-9);
        QCOMPARE(workspace.takeTotals().samples, 0.0);

        std::vector<std::int32_t> predicted(7);
        std::vector<float> memory(35);
        runner.network.predict(*runner.stream, runner.parameters, runner.x, predicted,
                               {memory.data(), 7, 5}, workspace);
        double correct = 0;
        for (std::size_t i = 0; i < 7; ++i)
            correct += predicted[i] == runner.labels[i] ? 1 : 0;
        QCOMPARE(correct, training.correct);
    }
    void notANumberInTheParametersReachesLossAndGradients() {
        for (std::size_t layer = 0; layer < 3; ++layer) {
            GoldenNetwork runner;
            runner.parameters[runner.network.layerBegins()[layer]] =
                std::numeric_limits<float>::quiet_NaN();
            const auto totals = runner.computeGradients(runner.x, runner.labels, 1);
            bool finite = true;
            runner.device->ops().allFinite(*runner.stream, runner.gradients, finite);
            QVERIFY(std::isnan(totals.lossSum));
            QVERIFY(!finite);
        }
    }
};

QTEST_GUILESS_MAIN(NetworkGradientsTest)
#include "tst_network_gradients.moc"
