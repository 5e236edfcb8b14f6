// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/losses.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/tensor/cpu/softmax.h"

namespace lockstep::tensor {
namespace {

/// One row; gives its loss.
double crossEntropyRow(std::span<const float> logits, std::size_t label, float smoothing,
                       float scale, std::span<float> gradient, std::int32_t& largest) {
    const float labelLogit = logits[label];
    double meanLogit = 0;
    if (smoothing > 0) {
        for (const float logit : logits)
            meanLogit += static_cast<double>(logit);
        meanLogit /= static_cast<double>(logits.size());
    }
    const SoftmaxRow row = softmaxRow(logits, gradient);
    largest = row.argmax;
    const auto share = static_cast<double>(smoothing);
    const double plain = crossEntropy(row, labelLogit);
    const double loss =
        smoothing > 0 ? plain + share * (static_cast<double>(labelLogit) - meanLogit) : plain;
    if (gradient.empty()) return loss;
    const auto factor = static_cast<float>(static_cast<double>(scale) / row.expSum);
    for (float& value : gradient)
        value *= factor;
    if (smoothing > 0) {
        const auto each = static_cast<float>(static_cast<double>(scale) * share /
                                             static_cast<double>(logits.size()));
        for (float& value : gradient)
            value -= each;
        gradient[label] -= static_cast<float>(static_cast<double>(scale) * (1.0 - share));
    } else {
        gradient[label] -= scale;
    }
    return loss;
}

/// An element's loss and its derivative.
struct ElementLoss {
    double value;
    double derivative;
};

/// Sum over rows of the means over columns of lossOf(prediction, target).
template <typename LossOf>
double sumOfMeans(ConstMatrix y, ConstMatrix targets, float scale, Matrix dy, LossOf lossOf) {
    LS_CHECK(y.rows == targets.rows && y.columns == targets.columns,
             "a target for each prediction is needed");
    LS_CHECK(dy.empty() || dy.size() == y.size(), "dy must be shaped as y");
    const auto columns = static_cast<double>(y.columns);
    const double share = static_cast<double>(scale) / columns;
    double sum = 0;
    for (std::size_t r = 0; r < y.rows; ++r) {
        double row = 0;
        for (std::size_t c = 0; c < y.columns; ++c) {
            const std::size_t i = r * y.columns + c;
            const ElementLoss loss =
                lossOf(static_cast<double>(y.data[i]), static_cast<double>(targets.data[i]));
            row += loss.value;
            if (!dy.empty()) dy.data[i] = static_cast<float>(loss.derivative * share);
        }
        sum += row / columns;
    }
    return sum;
}

}  // namespace

void sparseCrossEntropy(ConstMatrix logits, std::span<const std::int32_t> labels,
                        const CrossEntropyOptions& options, float scale, Matrix dLogits,
                        LossTotals& totals) {
    LS_CHECK(labels.size() == logits.rows, "a label for each row is needed");
    const bool wantGradient = !dLogits.empty();
    LS_CHECK(!wantGradient || dLogits.size() == logits.size(), "dLogits must be shaped as logits");
    for (std::size_t r = 0; r < logits.rows; ++r) {
        const std::span<float> gradient = wantGradient ? dLogits.row(r) : std::span<float>();
        if (options.ignoredClass >= 0 && labels[r] == options.ignoredClass) {
            std::ranges::fill(gradient, 0.0F);
            continue;
        }
        const auto label = static_cast<std::size_t>(labels[r]);
        LS_CHECK(label < logits.columns, "a label is not a class of the network");
        std::int32_t largest = 0;
        totals.lossSum +=
            crossEntropyRow(logits.row(r), label, options.labelSmoothing, scale, gradient, largest);
        totals.correct += largest == labels[r] ? 1 : 0;
        totals.samples += 1;
    }
}

double binaryCrossEntropy(ConstMatrix logits, ConstMatrix targets, float scale, Matrix dLogits) {
    return sumOfMeans(logits, targets, scale, dLogits, [](double logit, double target) {
        // No exponential of what is above 0: it would overflow.
        const double e = std::exp(-std::abs(logit));
        const double loss = std::max(logit, 0.0) + std::log1p(e) - target * logit;
        const double probability = (logit < 0 ? e : 1.0) / (1.0 + e);
        return ElementLoss{std::isnan(logit) ? logit : loss, probability - target};
    });
}

double meanSquaredError(ConstMatrix y, ConstMatrix targets, float scale, Matrix dy) {
    return sumOfMeans(y, targets, scale, dy, [](double value, double target) {
        const double error = value - target;
        return ElementLoss{error * error, 2.0 * error};
    });
}

double meanAbsoluteError(ConstMatrix y, ConstMatrix targets, float scale, Matrix dy) {
    return sumOfMeans(y, targets, scale, dy, [](double value, double target) {
        const double error = value - target;
        // NaN is neither above nor below 0, and stays what it is.
        const double sign = error > 0 ? 1.0 : error < 0 ? -1.0 : error;
        return ElementLoss{std::abs(error), sign};
    });
}

double huber(ConstMatrix y, ConstMatrix targets, float delta, float scale, Matrix dy) {
    const auto limit = static_cast<double>(delta);
    return sumOfMeans(y, targets, scale, dy, [limit](double value, double target) {
        const double error = value - target;
        const double size = std::abs(error);
        if (size > limit)
            return ElementLoss{limit * (size - 0.5 * limit), error > 0 ? limit : -limit};
        return ElementLoss{0.5 * error * error, error};
    });
}

}  // namespace lockstep::tensor
