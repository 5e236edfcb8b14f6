// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/tensor/cpu/layers/group_normalization.h"
#include "core/tensor/cpu/layers/layer_normalization.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

constexpr float kEpsilon = 1e-3F;

struct Layer {
    GroupShape shape;
    Floats x, dy, weight, bias, mean, inverse, y, dx, dWeight, dBias;

    explicit Layer(const GroupShape& sizes, float offset = 0)
        : shape(sizes),
          x(randomFloats(shape.size(), 1)),
          dy(randomFloats(shape.size(), 2)),
          weight(randomFloats(shape.channels, 3, 0.5F, 2)),
          bias(randomFloats(shape.channels, 4)),
          mean(shape.samples * shape.groups),
          inverse(mean.size()),
          y(x.size()),
          dx(x.size()),
          dWeight(shape.channels),
          dBias(shape.channels) {
        for (float& value : x)
            value += offset;
    }
    void asGroups(VectorIsa isa = bestIsa()) {
        const GroupNormalization with{weight, bias, kEpsilon};
        groupNormalize(shape, x, with, mean, inverse, y, isa);
        groupNormalizeGradient(shape, dy, x, with, mean, inverse, dx, isa);
        groupNormalizeWeightGradient(shape, dy, x, mean, inverse, dWeight, dBias, isa);
    }
    /// Rows are samples: one place, one group.
    void asRows(bool isRootMeanSquare, VectorIsa isa = bestIsa()) {
        const std::size_t rows = shape.samples;
        const std::size_t columns = shape.channels;
        const RowNormalization with{weight, bias, kEpsilon, isRootMeanSquare};
        const ConstMatrix in{x.data(), rows, columns};
        const ConstMatrix gradient{dy.data(), rows, columns};
        layerNormalize(in, with, mean, inverse, {y.data(), rows, columns}, isa);
        layerNormalizeGradient(gradient, in, with, mean, inverse, {dx.data(), rows, columns}, isa);
        layerNormalizeWeightGradient(gradient, in, mean, inverse, dWeight, dBias, isa);
    }
    [[nodiscard]] bool sameAs(const Layer& other) const {
        return sameBits(y, other.y) && sameBits(dx, other.dx) && sameBits(dWeight, other.dWeight) &&
               sameBits(dBias, other.dBias) && sameBits(mean, other.mean) &&
               sameBits(inverse, other.inverse);
    }
};

/// In doubles, a group after the other.
struct Reference {
    Doubles y, dx, dWeight, dBias;

    Reference(const Layer& l, bool takesMean)
        : y(l.x.size()), dx(l.x.size()), dWeight(l.weight.size()), dBias(l.weight.size()) {
        for (std::size_t n = 0; n < l.shape.samples; ++n)
            for (std::size_t g = 0; g < l.shape.groups; ++g)
                group(l, n, g, takesMean);
    }
    void group(const Layer& l, std::size_t n, std::size_t g, bool takesMean) {
        const std::size_t channels = l.shape.channels / l.shape.groups;
        std::vector<std::size_t> members;
        for (std::size_t p = 0; p < l.shape.places; ++p)
            for (std::size_t c = 0; c < channels; ++c)
                members.push_back((n * l.shape.places + p) * l.shape.channels + g * channels + c);
        const auto count = static_cast<double>(members.size());
        double mean = 0, variance = 0;
        for (const std::size_t i : members)
            mean += takesMean ? static_cast<double>(l.x[i]) / count : 0.0;
        for (const std::size_t i : members)
            variance += std::pow(static_cast<double>(l.x[i]) - mean, 2) / count;
        const double inverse = 1 / std::sqrt(variance + static_cast<double>(kEpsilon));
        double offset = 0, slope = 0;
        for (const std::size_t i : members) {
            const std::size_t c = i % l.shape.channels;
            const double xhat = (static_cast<double>(l.x[i]) - mean) * inverse;
            const auto dy = static_cast<double>(l.dy[i]);
            y[i] = xhat * static_cast<double>(l.weight[c]) + static_cast<double>(l.bias[c]);
            dWeight[c] += dy * xhat;
            dBias[c] += dy;
            offset += takesMean ? dy * static_cast<double>(l.weight[c]) / count : 0.0;
            slope += dy * static_cast<double>(l.weight[c]) * xhat / count;
        }
        for (const std::size_t i : members) {
            const double xhat = (static_cast<double>(l.x[i]) - mean) * inverse;
            const double g1 =
                static_cast<double>(l.dy[i]) * static_cast<double>(l.weight[i % l.shape.channels]);
            dx[i] = inverse * (g1 - offset - xhat * slope);
        }
    }
};

void compare(const Layer& layer, bool takesMean) {
    const Reference expected(layer, takesMean);
    QVERIFY(worstError(layer.y, expected.y) < 3e-6);
    // One number alone has no deviation: 1 / sqrt(epsilon) times what cancels.
    QVERIFY(worstError(layer.dx, expected.dx) < 1e-5);
    QVERIFY(worstError(layer.dWeight, expected.dWeight) < 3e-6);
    QVERIFY(worstError(layer.dBias, expected.dBias) < 1e-6);
}

constexpr GroupShape kRows[] = {{1, 1, 1, 1},    {3, 1, 3, 1},    {5, 1, 17, 1},
                                {130, 1, 32, 1}, {70, 1, 128, 1}, {2, 1, 1000, 1}};
constexpr GroupShape kGroups[] = {{1, 1, 1, 1},   {2, 9, 3, 3},   {3, 35, 6, 2},
                                  {2, 64, 32, 8}, {2, 49, 48, 1}, {1, 100, 70, 7}};

}  // namespace

class RowNormalizationTest : public QObject {
    Q_OBJECT

private slots:
    void layerNormalisationFollowsTheFormula() {
        for (const GroupShape& shape : kRows)
            for (const bool isRootMeanSquare : {false, true}) {
                Layer layer(shape);
                layer.asRows(isRootMeanSquare);
                compare(layer, !isRootMeanSquare);
            }
    }
    void groupNormalisationFollowsTheFormula() {
        for (const GroupShape& shape : kGroups) {
            Layer layer(shape);
            layer.asGroups();
            compare(layer, true);
        }
    }
    void aLargeMeanDoesNotHideTheDeviation() {
        Layer groups({2, 64, 32, 8}, 100);
        groups.asGroups();
        QVERIFY(worstError(groups.y, Reference(groups, true).y) < 1e-5);
        Layer rows({8, 1, 512, 1}, 100);
        rows.asRows(false);
        QVERIFY(worstError(rows.y, Reference(rows, true).y) < 2e-5);
    }
    void everyInstructionSetGivesTheSameBits() {
        for (const VectorIsa isa : supportedIsas()) {
            for (const GroupShape& shape : kRows)
                for (const bool isRootMeanSquare : {false, true}) {
                    Layer expected(shape), layer(shape);
                    expected.asRows(isRootMeanSquare, VectorIsa::Baseline);
                    layer.asRows(isRootMeanSquare, isa);
                    QVERIFY(layer.sameAs(expected));
                }
            for (const GroupShape& shape : kGroups) {
                Layer expected(shape), layer(shape);
                expected.asGroups(VectorIsa::Baseline);
                layer.asGroups(isa);
                QVERIFY(layer.sameAs(expected));
            }
        }
    }
    void aSamplesBitsDoNotDependOnTheBatch() {
        Layer all({5, 12, 6, 2});
        all.asGroups();
        Layer one({1, 12, 6, 2});
        std::copy_n(all.x.begin() + 3 * 72, 72, one.x.begin());
        std::copy_n(all.dy.begin() + 3 * 72, 72, one.dy.begin());
        one.asGroups();
        QVERIFY(sameBits(one.y, std::span(all.y).subspan(3 * 72, 72)));
        QVERIFY(sameBits(one.dx, std::span(all.dx).subspan(3 * 72, 72)));
    }
    void weightAndBiasMayBeMissing() {
        for (const int missing : {1, 2, 3}) {
            Layer layer({4, 1, 19, 1}), expected({4, 1, 19, 1});
            if (missing & 1) expected.weight.assign(19, 1.0F);
            if (missing & 2) expected.bias.assign(19, 0.0F);
            expected.asRows(false);
            if (missing & 1) layer.weight.clear();
            if (missing & 2) layer.bias.clear();
            layer.asRows(false);
            QVERIFY(layer.sameAs(expected));
            Layer group({2, 5, 6, 2}), expectedGroup({2, 5, 6, 2});
            if (missing & 1) expectedGroup.weight.assign(6, 1.0F);
            if (missing & 2) expectedGroup.bias.assign(6, 0.0F);
            expectedGroup.asGroups();
            if (missing & 1) group.weight.clear();
            if (missing & 2) group.bias.clear();
            group.asGroups();
            QVERIFY(group.sameAs(expectedGroup));
        }
    }
    void nanStaysWithinItsRow() {
        Layer layer({3, 1, 40, 1});
        layer.x[45] = std::numeric_limits<float>::quiet_NaN();
        layer.asRows(false);
        QVERIFY(std::isnan(layer.y[40]) && !std::isnan(layer.y[39]) && !std::isnan(layer.y[80]));
    }
};

QTEST_GUILESS_MAIN(RowNormalizationTest)
#include "tst_row_normalization.moc"
