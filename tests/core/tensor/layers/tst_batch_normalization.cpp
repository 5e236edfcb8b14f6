// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/tensor/cpu/layers/batch_normalization.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

constexpr std::pair<std::size_t, std::size_t> kShapes[] = {
    {1, 1}, {1, 3}, {2, 17}, {65, 1}, {100, 3}, {64, 16}, {129, 31}, {77, 32}, {200, 33}, {66, 131},
};
constexpr float kEpsilon = 1e-3F;

struct Layer {
    std::size_t rows, channels;
    Floats x, dy, weight, bias;
    Floats mean, variance, inverse, y, dx;
    Doubles sum, squares, sumDy, sumDyXhat;

    Layer(std::size_t rowCount, std::size_t channelCount, float offset = 0)
        : rows(rowCount),
          channels(channelCount),
          x(randomFloats(rows * channels, 1)),
          dy(randomFloats(rows * channels, 2)),
          weight(randomFloats(channels, 3, 0.5F, 2)),
          bias(randomFloats(channels, 4)),
          mean(channels),
          variance(channels),
          inverse(channels),
          y(rows * channels),
          dx(rows * channels),
          sum(channels),
          squares(channels),
          sumDy(channels),
          sumDyXhat(channels) {
        for (float& value : x)
            value += offset;
    }
    [[nodiscard]] ConstMatrix rowsOf(const Floats& values) const {
        return {values.data(), rows, channels};
    }
    [[nodiscard]] Normalization with() const { return {mean, inverse, weight, bias}; }

    void forward(bool relu, VectorIsa isa = bestIsa()) {
        batchSums(rowsOf(x), sum, squares, isa);
        batchMoments(sum, squares, static_cast<double>(rows), kEpsilon, mean, variance, inverse);
        normalize(rowsOf(x), with(), relu, {y.data(), rows, channels}, isa);
    }
    void backward(bool relu, VectorIsa isa = bestIsa()) {
        const ConstMatrix mask = relu ? rowsOf(y) : ConstMatrix{};
        batchGradientSums(rowsOf(dy), rowsOf(x), mask, with(), sumDy, sumDyXhat, isa);
        batchInputGradient(rowsOf(dy), rowsOf(x), mask, with(), sumDy, sumDyXhat,
                           static_cast<double>(rows), {dx.data(), rows, channels}, isa);
    }
};

/// Normalises in doubles, two passes.
struct Reference {
    Doubles mean, variance, y, dx, dWeight, dBias;

    Reference(const Layer& l, bool relu)
        : mean(l.channels),
          variance(l.channels),
          y(l.x.size()),
          dx(l.x.size()),
          dWeight(l.channels),
          dBias(l.channels) {
        const auto n = static_cast<double>(l.rows);
        Doubles xhat(l.x.size()), dy(l.x.size());
        for (std::size_t i = 0; i < l.x.size(); ++i)
            mean[i % l.channels] += static_cast<double>(l.x[i]) / n;
        for (std::size_t i = 0; i < l.x.size(); ++i) {
            const double d = static_cast<double>(l.x[i]) - mean[i % l.channels];
            variance[i % l.channels] += d * d / n;
        }
        const auto inverse = [&](std::size_t c) {
            return 1 / std::sqrt(variance[c] + static_cast<double>(kEpsilon));
        };
        for (std::size_t i = 0; i < l.x.size(); ++i) {
            const std::size_t c = i % l.channels;
            xhat[i] = (static_cast<double>(l.x[i]) - mean[c]) * inverse(c);
            y[i] = xhat[i] * static_cast<double>(l.weight[c]) + static_cast<double>(l.bias[c]);
            dy[i] = relu && y[i] <= 0 ? 0.0 : static_cast<double>(l.dy[i]);
            if (relu) y[i] = std::max(y[i], 0.0);
            dBias[c] += dy[i];
            dWeight[c] += dy[i] * xhat[i];
        }
        for (std::size_t i = 0; i < l.x.size(); ++i) {
            const std::size_t c = i % l.channels;
            dx[i] = static_cast<double>(l.weight[c]) * inverse(c) *
                    (dy[i] - dBias[c] / n - xhat[i] * dWeight[c] / n);
        }
    }
};

Floats rounded(const Doubles& values) {
    return {values.begin(), values.end()};
}

}  // namespace

class BatchNormalizationTest : public QObject {
    Q_OBJECT

private slots:
    void bothDirectionsFollowTheFormula() {
        for (const auto& [rows, channels] : kShapes)
            for (const bool relu : {false, true}) {
                Layer layer(rows, channels);
                layer.forward(relu);
                layer.backward(relu);
                const Reference expected(layer, relu);
                QVERIFY(worstError(layer.mean, expected.mean) < 1e-6);
                QVERIFY(worstError(layer.variance, expected.variance) < 1e-6);
                QVERIFY(worstError(layer.y, expected.y) < 2e-6);
                QVERIFY(worstError(rounded(layer.sumDy), expected.dBias) < 1e-6);
                QVERIFY(worstError(rounded(layer.sumDyXhat), expected.dWeight) < 2e-6);
                QVERIFY(worstError(layer.dx, expected.dx) < 5e-6);
            }
    }
    void aLargeMeanTakesNoDigitsFromTheVariance() {
        Layer layer(5000, 5, 100);
        layer.forward(false);
        layer.backward(false);
        const Reference expected(layer, false);
        // The mean itself is a float: 4e-6 of a deviation.
        QVERIFY(worstError(layer.variance, expected.variance) < 1e-7);
        QVERIFY(worstError(layer.y, expected.y) < 1e-5);
        QVERIFY(worstError(layer.dx, expected.dx) < 1e-5);
    }
    void aConstantChannelHasNoVariance() {
        Layer layer(300, 2);
        layer.x.assign(layer.x.size(), 1234.567F);
        layer.forward(false);
        QCOMPARE(layer.variance[0], 0.0F);
        for (std::size_t i = 0; i < layer.y.size(); ++i)
            QCOMPARE(layer.y[i], layer.bias[i % 2]);
    }
    void scaleAndCenterMayBeMissing() {
        Layer layer(40, 7);
        layer.forward(false);
        Floats plain(layer.x.size());
        normalize(layer.rowsOf(layer.x), {layer.mean, layer.inverse, {}, {}}, false,
                  {plain.data(), 40, 7});
        layer.weight.assign(7, 1.0F);
        layer.bias.assign(7, 0.0F);
        layer.forward(false);
        QVERIFY(sameBits(plain, layer.y));
    }
    void sumsOfPartsAddUpToThoseOfTheWhole() {
        // What replicas do: the result follows from the added sums, whoever held the rows.
        Layer whole(120, 3);
        whole.forward(false);
        Doubles sum(3), squares(3);
        for (const std::size_t first : {0U, 50U}) {
            const std::size_t count = first == 0 ? 50 : 70;
            Doubles partSum(3), partSquares(3);
            batchSums({whole.x.data() + first * 3, count, 3}, partSum, partSquares);
            for (std::size_t c = 0; c < 3; ++c) {
                sum[c] += partSum[c];
                squares[c] += partSquares[c];
            }
        }
        Floats mean(3), variance(3), inverse(3);
        batchMoments(sum, squares, 120, kEpsilon, mean, variance, inverse);
        QVERIFY(sameBits(mean, whole.mean) && sameBits(inverse, whole.inverse));
    }
    void everyInstructionSetGivesTheSameBits() {
        for (const auto& [rows, channels] : kShapes)
            for (const bool relu : {false, true}) {
                Layer expected(rows, channels);
                expected.forward(relu, VectorIsa::Baseline);
                expected.backward(relu, VectorIsa::Baseline);
                for (const VectorIsa isa : supportedIsas()) {
                    Layer layer(rows, channels);
                    layer.forward(relu, isa);
                    layer.backward(relu, isa);
                    QVERIFY(layer.sum == expected.sum && layer.squares == expected.squares);
                    QVERIFY(layer.sumDy == expected.sumDy);
                    QVERIFY(layer.sumDyXhat == expected.sumDyXhat);
                    QVERIFY(sameBits(layer.y, expected.y) && sameBits(layer.dx, expected.dx));
                }
            }
    }
    void itWorksInPlace() {
        Layer apart(70, 5);
        apart.forward(true);
        apart.backward(true);
        Layer within(70, 5);
        within.forward(true);
        within.backward(true);
        Floats gradient = within.dy;
        batchInputGradient(within.rowsOf(gradient), within.rowsOf(within.x),
                           within.rowsOf(within.y), within.with(), within.sumDy, within.sumDyXhat,
                           70, {gradient.data(), 70, 5});
        Floats values = within.x;
        normalize(within.rowsOf(values), within.with(), true, {values.data(), 70, 5});
        QVERIFY(sameBits(values, apart.y) && sameBits(gradient, apart.dx));
    }
    void nanIsNotHidden() {
        Layer layer(70, 5);
        layer.x[12] = std::numeric_limits<float>::quiet_NaN();
        layer.forward(true);
        QVERIFY(std::isnan(layer.variance[2]) && std::isnan(layer.y[2]));
        QVERIFY(!std::isnan(layer.y[1]));
    }
};

QTEST_GUILESS_MAIN(BatchNormalizationTest)
#include "tst_batch_normalization.moc"
