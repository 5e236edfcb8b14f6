// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::config {

/// What is made small. Auto: what fits the data's targets: the cross-entropy of classes or tokens,
/// the squared error of numbers.
enum class LossKind : std::uint8_t {
    Auto,
    SparseCategoricalCrossEntropy,
    CategoricalCrossEntropy,
    BinaryCrossEntropy,
    MeanSquaredError,
    MeanAbsoluteError,
    Huber,
};

struct LossSpec {
    LossKind kind = LossKind::Auto;
    double labelSmoothing = 0;  ///< Share of each target that goes to all classes alike.
    int ignoredClass = -1;      ///< Its samples do not count; -1: none.
    double huberDelta = 1;
    /// One a class, in the order of the classes; empty: all count alike.
    std::vector<double> classWeights{};
    bool balancedClassWeights = false;  ///< Weights that make up for the classes' counts instead.
};

/// A moving average of the weights, which validation, checkpoints and predictions use.
struct AverageSpec {
    bool isUsed = false;
    double momentum = 0.99;
};

}  // namespace lockstep::config
