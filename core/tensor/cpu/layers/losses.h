// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/loss_totals.h"
#include "core/tensor/matrix.h"

namespace lockstep::tensor {

// Losses are sums over samples (rows), in doubles. Where the
// gradient is not empty it becomes `scale` times the derivative of that sum; scale is 1 / (samples
// of the whole batch) for a mean. The gradient may be the predictions themselves. A row's numbers
// do not depend on the other rows.

struct CrossEntropyOptions {
    /// This share of each target goes to all classes alike.
    float labelSmoothing = 0;
    /// Rows with this label count neither as samples nor in the loss, and have a gradient of 0; -1:
    /// no class is ignored.
    std::int32_t ignoredClass = -1;
    /// What a row's loss is multiplied by, one a class; empty: nothing. Rows count as one sample
    /// whatever their weight.
    std::span<const float> classWeights{};
    /// Gets the losses without smoothing and weights, too; null: nobody wants them.
    double* plainLoss = nullptr;
};

/// The classes of rows: labels, smaller than the columns; or two of them a row.
struct ClassTargets {
    std::span<const std::int32_t> labels;
    std::span<const std::int32_t> others{};  ///< Empty, or a second one for each row,
    std::span<const float> shares{};         ///< which is 1 less this share, of the label's.
};

/// -sum of target * log softmax(logits) for each row. A row of two classes has the weight of, and
/// is right with, the one with the larger share.
void sparseCrossEntropy(ConstMatrix logits, const ClassTargets& targets,
                        const CrossEntropyOptions& options, float scale, Matrix dLogits,
                        LossTotals& totals);
/// Of one class a row.
void sparseCrossEntropy(ConstMatrix logits, std::span<const std::int32_t> labels,
                        const CrossEntropyOptions& options, float scale, Matrix dLogits,
                        LossTotals& totals);
/// Of targets that are shares of the classes. A row is right where its largest logit is that of
/// its largest target.
void categoricalCrossEntropy(ConstMatrix logits, ConstMatrix targets,
                             const CrossEntropyOptions& options, float scale, Matrix dLogits,
                             LossTotals& totals);

// The losses of a row are the means over its columns.

/// Of logits and targets in [0, 1]: log(1 + exp(logit)) - target * logit.
double binaryCrossEntropy(ConstMatrix logits, ConstMatrix targets, float scale, Matrix dLogits);
/// (y - target)².
double meanSquaredError(ConstMatrix y, ConstMatrix targets, float scale, Matrix dy);
/// |y - target|; its gradient at 0 is 0.
double meanAbsoluteError(ConstMatrix y, ConstMatrix targets, float scale, Matrix dy);
/// Half the square of an error of at most `delta`, otherwise delta * (|error| - delta / 2).
double huber(ConstMatrix y, ConstMatrix targets, float delta, float scale, Matrix dy);

}  // namespace lockstep::tensor
