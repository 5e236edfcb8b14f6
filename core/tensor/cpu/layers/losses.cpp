// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/losses.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/check.h"
#include "core/tensor/cpu/softmax.h"

namespace lockstep::tensor {
namespace {

/// What a row is to be: one class, or two by shares.
struct RowTarget {
    std::size_t label = 0;
    std::size_t other = 0;
    double share = 1;  ///< Of `label`; what is left is `other`'s.
    float weight = 1;

    [[nodiscard]] std::size_t main() const { return share >= 0.5 ? label : other; }
};

/// One row of logits whose exponentials are in its gradient, where that is wanted.
struct LogitRow {
    SoftmaxRow softmax;
    float labelLogit = 0;
    float otherLogit = 0;
    double mean = 0;  ///< Of the logits; where targets are smoothed.
};

LogitRow lookAt(std::span<const float> logits, const RowTarget& target, bool isSmoothed,
                std::span<float> gradient) {
    LogitRow row{{}, logits[target.label], logits[target.other], 0};
    if (isSmoothed) {
        for (const float logit : logits)
            row.mean += static_cast<double>(logit);
        row.mean /= static_cast<double>(logits.size());
    }
    row.softmax = softmaxRow(logits, gradient);  // which may be the logits themselves
    return row;
}

double plainLossOf(const LogitRow& row, const RowTarget& target) {
    const double plain = crossEntropy(row.softmax, row.labelLogit);
    if (target.share == 1) return plain;
    return plain + (1 - target.share) *
                       (static_cast<double>(row.labelLogit) - static_cast<double>(row.otherLogit));
}

/// From exponentials to scale * (softmax - target).
void finishGradient(std::span<float> gradient, const SoftmaxRow& row, const RowTarget& target,
                    float smoothing, float scale) {
    const auto factor = static_cast<float>(static_cast<double>(scale) / row.expSum);
    for (float& value : gradient)
        value *= factor;
    if (smoothing == 0 && target.share == 1) {
        gradient[target.label] -= scale;
        return;
    }
    const auto share = static_cast<double>(smoothing);
    const auto each = static_cast<float>(static_cast<double>(scale) * share /
                                         static_cast<double>(gradient.size()));
    if (smoothing > 0)
        for (float& value : gradient)
            value -= each;
    const double sharp = static_cast<double>(scale) * (1.0 - share);
    gradient[target.label] -= static_cast<float>(sharp * target.share);
    if (target.share != 1) gradient[target.other] -= static_cast<float>(sharp * (1 - target.share));
}

/// One row; gives its loss.
double crossEntropyRow(std::span<const float> logits, const RowTarget& target,
                       const CrossEntropyOptions& options, float scale, std::span<float> gradient,
                       std::int32_t& largest) {
    const float smoothing = options.labelSmoothing;
    const LogitRow row = lookAt(logits, target, smoothing > 0, gradient);
    largest = row.softmax.argmax;
    const double plain = plainLossOf(row, target);
    if (options.plainLoss != nullptr) *options.plainLoss += plain;
    double loss = plain;
    if (smoothing > 0) {
        const double targetLogit = target.share * static_cast<double>(row.labelLogit) +
                                   (1 - target.share) * static_cast<double>(row.otherLogit);
        loss += static_cast<double>(smoothing) * (targetLogit - row.mean);
    }
    if (!gradient.empty())
        finishGradient(gradient, row.softmax, target, smoothing,
                       target.weight == 1 ? scale : scale * target.weight);
    return target.weight == 1 ? loss : loss * static_cast<double>(target.weight);
}

RowTarget targetOf(const ClassTargets& targets, std::size_t row, std::size_t classes,
                   std::span<const float> weights) {
    RowTarget target{.label = static_cast<std::size_t>(targets.labels[row])};
    target.other = target.label;
    if (!targets.others.empty()) {
        target.other = static_cast<std::size_t>(targets.others[row]);
        target.share = static_cast<double>(targets.shares[row]);
    }
    LS_CHECK(target.label < classes && target.other < classes,
             "a label is not a class of the network");
    if (!weights.empty()) target.weight = weights[target.main()];
    return target;
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

void sparseCrossEntropy(ConstMatrix logits, const ClassTargets& targets,
                        const CrossEntropyOptions& options, float scale, Matrix dLogits,
                        LossTotals& totals) {
    LS_CHECK(targets.labels.size() == logits.rows, "a label for each row is needed");
    LS_CHECK(targets.others.size() == targets.shares.size() &&
                 (targets.others.empty() || targets.others.size() == logits.rows),
             "a second label and a share for each row are needed");
    const bool wantGradient = !dLogits.empty();
    LS_CHECK(!wantGradient || dLogits.size() == logits.size(), "dLogits must be shaped as logits");
    for (std::size_t r = 0; r < logits.rows; ++r) {
        const std::span<float> gradient = wantGradient ? dLogits.row(r) : std::span<float>();
        if (options.ignoredClass >= 0 && targets.labels[r] == options.ignoredClass) {
            std::ranges::fill(gradient, 0.0F);
            continue;
        }
        const RowTarget target = targetOf(targets, r, logits.columns, options.classWeights);
        std::int32_t largest = 0;
        totals.lossSum += crossEntropyRow(logits.row(r), target, options, scale, gradient, largest);
        totals.correct += static_cast<std::size_t>(largest) == target.main() ? 1 : 0;
        totals.samples += 1;
    }
}

void sparseCrossEntropy(ConstMatrix logits, std::span<const std::int32_t> labels,
                        const CrossEntropyOptions& options, float scale, Matrix dLogits,
                        LossTotals& totals) {
    sparseCrossEntropy(logits, ClassTargets{.labels = labels}, options, scale, dLogits, totals);
}

void categoricalCrossEntropy(ConstMatrix logits, ConstMatrix targets,
                             const CrossEntropyOptions& options, float scale, Matrix dLogits,
                             LossTotals& totals) {
    LS_CHECK(logits.rows == targets.rows && logits.columns == targets.columns,
             "a target for each logit is needed");
    LS_CHECK(dLogits.empty() || dLogits.size() == logits.size(),
             "dLogits must be shaped as logits");
    const auto smoothing = static_cast<double>(options.labelSmoothing);
    const double each = smoothing / static_cast<double>(logits.columns);
    std::vector<double> targetsOfRow(logits.columns);
    for (std::size_t r = 0; r < logits.rows; ++r) {
        double whole = 0;
        double plain = 0;  // sums of target * logit
        double smooth = 0;
        for (std::size_t c = 0; c < logits.columns; ++c) {
            const auto target = static_cast<double>(targets.row(r)[c]);
            targetsOfRow[c] = target * (1 - smoothing) + each;
            whole += target;
            plain += target * static_cast<double>(logits.row(r)[c]);
            smooth += targetsOfRow[c] * static_cast<double>(logits.row(r)[c]);
        }
        const double smoothWhole = whole * (1 - smoothing) + smoothing;
        const auto gradient = dLogits.empty() ? std::span<float>() : dLogits.row(r);
        const SoftmaxRow row = softmaxRow(logits.row(r), gradient);
        const double logSum = std::log(row.expSum) + static_cast<double>(row.largest);
        if (options.plainLoss != nullptr) *options.plainLoss += whole * logSum - plain;
        totals.lossSum += smoothWhole * logSum - smooth;
        const auto truth = std::ranges::max_element(targets.row(r)) - targets.row(r).begin();
        totals.correct += truth == row.argmax ? 1 : 0;
        totals.samples += 1;
        for (std::size_t c = 0; c < gradient.size(); ++c)
            gradient[c] = static_cast<float>(
                static_cast<double>(scale) *
                (static_cast<double>(gradient[c]) / row.expSum * smoothWhole - targetsOfRow[c]));
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
