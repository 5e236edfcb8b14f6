// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/tensor/cpu/layers/attention.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

struct Case {
    std::size_t batch;
    AttentionShape shape;
    float rate;
};

constexpr Case kCases[] = {
    {1, {1, 1, 1, false}, 0},    {2, {3, 6, 2, true}, 0},       {2, {17, 10, 2, false}, 0},
    {2, {64, 32, 4, true}, 0},   {1, {65, 8, 1, false}, 0},     {1, {150, 12, 3, true}, 0},
    {2, {20, 8, 2, true}, 0.3F}, {1, {130, 6, 2, false}, 0.2F},
};

AttentionDropout dropoutOf(float rate) {
    return {.key = {.seed = 3, .step = 7, .layer = 2, .rate = rate}, .firstPlace = 5};
}

struct Layer {
    Case sizes;
    Floats qkv, dy, y, logSums, dQkv;

    explicit Layer(const Case& c)
        : sizes(c),
          qkv(randomFloats(c.batch * c.shape.positions * 3 * c.shape.width, 1, -2, 2)),
          dy(randomFloats(qkv.size() / 3, 2)),
          y(dy.size(), 7),
          logSums(c.batch * c.shape.heads * c.shape.positions),
          dQkv(qkv.size(), 7) {}

    void run(VectorIsa isa = bestIsa()) {
        Attention attention(sizes.shape, isa);
        attention.forward(sizes.batch, qkv, dropoutOf(sizes.rate), logSums, y);
        attention.gradient(sizes.batch, qkv, dropoutOf(sizes.rate), logSums, dy, dQkv);
    }
};

/// In doubles, with whole matrices of weights.
struct Reference {
    Doubles y, dQkv;

    explicit Reference(const Layer& l) : y(l.y.size()), dQkv(l.qkv.size()) {
        for (std::size_t n = 0; n < l.sizes.batch; ++n)
            for (std::size_t h = 0; h < l.sizes.shape.heads; ++h)
                head(l, n, h);
    }
    void head(const Layer& l, std::size_t n, std::size_t h) {
        const auto& s = l.sizes.shape;
        const std::size_t d = s.width / s.heads;
        const std::size_t count = s.positions;
        // Element i of part 0 (query), 1 (key), 2 (value) at position t.
        const auto at = [&](std::size_t part, std::size_t t, std::size_t i) {
            return (n * count + t) * 3 * s.width + part * s.width + h * d + i;
        };
        const auto result = [&](std::size_t t, std::size_t i) {
            return (n * count + t) * s.width + h * d + i;
        };
        const auto value = [&](std::size_t part, std::size_t t, std::size_t i) {
            return static_cast<double>(l.qkv[at(part, t, i)]);
        };
        const double scale = 1 / std::sqrt(static_cast<double>(d));
        for (std::size_t q = 0; q < count; ++q) {
            const std::size_t seen = s.isCausal ? q + 1 : count;
            Doubles weights(seen), kept(seen), gradient(seen);
            double sum = 0;
            for (std::size_t k = 0; k < seen; ++k) {
                double score = 0;
                for (std::size_t i = 0; i < d; ++i)
                    score += value(0, q, i) * value(1, k, i) * scale;
                sum += weights[k] = std::exp(score);
            }
            for (std::size_t k = 0; k < seen; ++k) {
                weights[k] /= sum;
                float one = 1;
                dropoutUnits(dropoutOf(l.sizes.rate).key, 5 + n, (h * count + q) * count + k,
                             std::span(&one, 1), std::span(&one, 1));
                kept[k] = static_cast<double>(one);
            }
            double dot = 0;
            for (std::size_t k = 0; k < seen; ++k)
                for (std::size_t i = 0; i < d; ++i) {
                    const auto dy = static_cast<double>(l.dy[result(q, i)]);
                    y[result(q, i)] += weights[k] * kept[k] * value(2, k, i);
                    dQkv[at(2, k, i)] += weights[k] * kept[k] * dy;
                    gradient[k] += kept[k] * dy * value(2, k, i);
                    dot += weights[k] * kept[k] * dy * value(2, k, i);
                }
            for (std::size_t k = 0; k < seen; ++k)
                for (std::size_t i = 0; i < d; ++i) {
                    const double score = weights[k] * (gradient[k] - dot) * scale;
                    dQkv[at(0, q, i)] += score * value(1, k, i);
                    dQkv[at(1, k, i)] += score * value(0, q, i);
                }
        }
    }
};

}  // namespace

class AttentionTest : public QObject {
    Q_OBJECT

private slots:
    void bothDirectionsFollowTheFormula() {
        for (const Case& sizes : kCases) {
            Layer layer(sizes);
            layer.run();
            const Reference expected(layer);
            QVERIFY(worstError(layer.y, expected.y) < 2e-6);
            QVERIFY(worstError(layer.dQkv, expected.dQkv) < 5e-6);
        }
    }
    void theReferencesGradientIsThatOfItsResult() {
        Layer layer(kCases[6]);
        const Reference reference(layer);
        const auto loss = [&] {
            const Reference at(layer);
            double sum = 0;
            for (std::size_t i = 0; i < at.y.size(); ++i)
                sum += at.y[i] * static_cast<double>(layer.dy[i]);
            return sum;
        };
        for (std::size_t i = 0; i < layer.qkv.size(); i += 131) {
            const float before = layer.qkv[i];
            layer.qkv[i] = before + 0x1p-10F;
            const double above = loss();
            layer.qkv[i] = before - 0x1p-10F;
            const double slope = (above - loss()) / 0x1p-9;
            layer.qkv[i] = before;
            QVERIFY(std::abs(slope - reference.dQkv[i]) < 1e-5);
        }
    }
    void aPositionDoesNotSeeThoseBehindIt() {
        Layer layer(kCases[5]);
        layer.run();
        Layer other(kCases[5]);
        const std::size_t behind = 100;
        for (std::size_t i = behind * 36; i < other.qkv.size(); ++i)
            other.qkv[i] = std::numeric_limits<float>::max();
        other.run();
        QVERIFY(worstError(std::span(other.y).first(behind * 12),
                           toDoubles(std::span(layer.y).first(behind * 12))) < 1e-6);
    }
    void everyInstructionSetGivesTheSameBits() {
        for (const Case& sizes : kCases) {
            Layer expected(sizes);
            expected.run(VectorIsa::Baseline);
            for (const VectorIsa isa : supportedIsas()) {
                Layer layer(sizes);
                layer.run(isa);
                QVERIFY(sameBits(layer.y, expected.y) && sameBits(layer.dQkv, expected.dQkv));
            }
        }
    }
    void aSamplesBitsDoNotDependOnTheBatch() {
        for (const float rate : {0.0F, 0.3F}) {
            Layer all({4, {70, 8, 2, true}, rate});
            all.run();
            Layer one({1, {70, 8, 2, true}, rate});
            const std::size_t size = one.y.size();
            std::copy_n(all.qkv.begin() + static_cast<long>(6 * size), 3 * size, one.qkv.begin());
            std::copy_n(all.dy.begin() + static_cast<long>(2 * size), size, one.dy.begin());
            Attention attention(one.sizes.shape);
            AttentionDropout dropout = dropoutOf(rate);
            dropout.firstPlace += 2;
            attention.forward(1, one.qkv, dropout, one.logSums, one.y);
            attention.gradient(1, one.qkv, dropout, one.logSums, one.dy, one.dQkv);
            QVERIFY(sameBits(one.y, std::span(all.y).subspan(2 * size, size)));
            QVERIFY(sameBits(one.dQkv, std::span(all.dQkv).subspan(6 * size, 3 * size)));
        }
    }
    void largeScoresDoNotOverflowAndNanIsNotHidden() {
        Layer layer(kCases[3]);
        for (float& value : layer.qkv)
            value *= 1000;
        layer.run();
        QVERIFY(std::ranges::all_of(layer.y, [](float v) { return std::isfinite(v); }));
        layer.qkv[0] = std::numeric_limits<float>::quiet_NaN();
        layer.run();
        QVERIFY(std::isnan(layer.y[0]));
    }
};

QTEST_GUILESS_MAIN(AttentionTest)
#include "tst_attention.moc"
