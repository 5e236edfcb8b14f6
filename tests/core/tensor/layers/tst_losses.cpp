// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <functional>
#include <numeric>

#include "core/tensor/cpu/layers/losses.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

constexpr std::size_t kRows = 7;
constexpr std::size_t kColumns = 5;
constexpr float kScale = 0.125F;
const std::vector<std::int32_t> kLabels{0, 4, 2, 2, 1, 3, 0};

struct Outcome {
    LossTotals totals;
    Floats gradient;
};

Outcome crossEntropy(const Floats& logits, const CrossEntropyOptions& options) {
    Outcome result{{}, Floats(logits.size(), 7)};
    sparseCrossEntropy({logits.data(), kRows, kColumns}, kLabels, options, kScale,
                       {result.gradient.data(), kRows, kColumns}, result.totals);
    return result;
}

/// The loss of one row in doubles.
double rowLoss(const double* logits, std::size_t label, double smoothing) {
    double sum = 0;
    for (std::size_t c = 0; c < kColumns; ++c)
        sum += std::exp(logits[c]);
    double loss = 0;
    for (std::size_t c = 0; c < kColumns; ++c) {
        const double target = (c == label ? 1 - smoothing : 0.0) + smoothing / kColumns;
        loss -= target * (logits[c] - std::log(sum));
    }
    return loss;
}

using PairLoss = std::function<double(double, double)>;
using Loss = std::function<double(ConstMatrix, ConstMatrix, Matrix)>;

/// The sum of means, and its derivatives by central differences.
void compare(const Loss& loss, const PairLoss& expected, const Floats& y, const Floats& targets) {
    Floats gradient(y.size(), 7);
    const double found = loss({y.data(), kRows, kColumns}, {targets.data(), kRows, kColumns},
                              {gradient.data(), kRows, kColumns});
    QCOMPARE(loss({y.data(), kRows, kColumns}, {targets.data(), kRows, kColumns}, {}), found);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto at = static_cast<double>(y[i]);
        const auto target = static_cast<double>(targets[i]);
        sum += expected(at, target) / kColumns;
        const double slope = (expected(at + 1e-6, target) - expected(at - 1e-6, target)) / 2e-6;
        QVERIFY(std::abs(static_cast<double>(gradient[i]) -
                         static_cast<double>(kScale) * slope / kColumns) < 5e-8);
    }
    QVERIFY(std::abs(sum - found) < 1e-12 * std::abs(sum));
    Floats within = y;
    loss({within.data(), kRows, kColumns}, {targets.data(), kRows, kColumns},
         {within.data(), kRows, kColumns});
    QVERIFY(sameBits(within, gradient));
}

}  // namespace

class LossesTest : public QObject {
    Q_OBJECT
    const Floats logits_ = randomFloats(kRows * kColumns, 1, -4, 4);
    const Floats targets_ = randomFloats(kRows * kColumns, 2, -4, 4);

private slots:
    void smoothedCrossEntropyFollowsTheFormula() {
        for (const double smoothing : {0.0, 0.1, 0.9}) {
            const Outcome found =
                crossEntropy(logits_, {.labelSmoothing = static_cast<float>(smoothing)});
            const auto share = static_cast<double>(static_cast<float>(smoothing));
            const Doubles logits = toDoubles(logits_);
            double sum = 0;
            for (std::size_t r = 0; r < kRows; ++r) {
                const auto label = static_cast<std::size_t>(kLabels[r]);
                sum += rowLoss(logits.data() + r * kColumns, label, share);
                for (std::size_t c = 0; c < kColumns; ++c) {
                    Doubles row(logits.begin() + static_cast<long>(r * kColumns),
                                logits.begin() + static_cast<long>((r + 1) * kColumns));
                    row[c] += 1e-6;
                    const double above = rowLoss(row.data(), label, share);
                    row[c] -= 2e-6;
                    const double slope = (above - rowLoss(row.data(), label, share)) / 2e-6;
                    QVERIFY(std::abs(static_cast<double>(found.gradient[r * kColumns + c]) -
                                     static_cast<double>(kScale) * slope) < 5e-8);
                }
            }
            QVERIFY(std::abs(sum - found.totals.lossSum) < 1e-6);
        }
    }
    void ignoredRowsCountNowhere() {
        const Outcome all = crossEntropy(logits_, {});
        const Outcome found = crossEntropy(logits_, {.ignoredClass = 2});
        QCOMPARE(found.totals.samples, all.totals.samples - 2);
        const Doubles logits = toDoubles(logits_);
        double ignored = 0;
        for (const std::size_t r : {2U, 3U})
            ignored += rowLoss(logits.data() + r * kColumns, 2, 0);
        QVERIFY(std::abs(all.totals.lossSum - ignored - found.totals.lossSum) < 1e-6);
        for (std::size_t i = 0; i < logits_.size(); ++i) {
            const bool isIgnored = kLabels[i / kColumns] == 2;
            QCOMPARE(found.gradient[i], isIgnored ? 0.0F : all.gradient[i]);
        }
    }
    void lossesOfNumbersFollowTheirFormulas() {
        Floats zeroToOne = targets_;
        for (float& target : zeroToOne)
            target = target / 8 + 0.5F;
        compare([](auto y, auto t, auto dy) { return binaryCrossEntropy(y, t, kScale, dy); },
                [](double z, double t) { return std::log1p(std::exp(z)) - t * z; }, logits_,
                zeroToOne);
        compare([](auto y, auto t, auto dy) { return meanSquaredError(y, t, kScale, dy); },
                [](double y, double t) { return (y - t) * (y - t); }, logits_, targets_);
        compare([](auto y, auto t, auto dy) { return meanAbsoluteError(y, t, kScale, dy); },
                [](double y, double t) { return std::abs(y - t); }, logits_, targets_);
        compare([](auto y, auto t, auto dy) { return huber(y, t, 1.5F, kScale, dy); },
                [](double y, double t) {
                    const double e = std::abs(y - t);
                    return e <= 1.5 ? e * e / 2 : 1.5 * (e - 0.75);
                },
                logits_, targets_);
    }
    void largeLogitsDoNotOverflow() {
        const Floats logits{1000, -1000, 1000, -1000};
        const Floats targets{1, 0, 0, 1};
        Floats gradient(4);
        const double loss = binaryCrossEntropy({logits.data(), 4, 1}, {targets.data(), 4, 1}, 1,
                                               {gradient.data(), 4, 1});
        QCOMPARE(loss, 2000.0);
        QVERIFY(sameBits(gradient, Floats{0, 0, 1, -1}));
    }
    void nanIsNotHidden() {
        Floats y = logits_;
        y[3] = std::numeric_limits<float>::quiet_NaN();
        const ConstMatrix rows{y.data(), kRows, kColumns};
        const ConstMatrix targets{targets_.data(), kRows, kColumns};
        for (const auto& loss : {binaryCrossEntropy, meanSquaredError, meanAbsoluteError}) {
            Floats gradient(y.size());
            QVERIFY(std::isnan(loss(rows, targets, 1, {gradient.data(), kRows, kColumns})));
            QVERIFY(std::isnan(gradient[3]) && !std::isnan(gradient[2]));
        }
        QVERIFY(std::isnan(huber(rows, targets, 1, 1, {})));
        QVERIFY(std::isnan(crossEntropy(y, {.labelSmoothing = 0.1F}).totals.lossSum));
    }
};

QTEST_GUILESS_MAIN(LossesTest)
#include "tst_losses.moc"
