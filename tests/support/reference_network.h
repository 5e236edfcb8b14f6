// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/model/graph.h"

namespace lockstep::testing {

/// Numbers of a graph's tensors, by their index in Graph::tensors.
using TensorValues = std::vector<std::vector<double>>;

/// Whether dropout `layer` keeps unit `unit` of row `row` of the batch. Units of attention's
/// weights: (head * positions + query) * positions + key.
using KeepsUnit =
    std::function<bool(std::int64_t layer, float rate, std::int64_t row, std::int64_t unit)>;

/// What a graph computes, in float64 and as plainly as it can be written, after the definitions of
/// Keras and PyTorch. It shares nothing with the program but the graph.
class ReferenceGraph {
public:
    /// In training mode normalisations take the batch's moments, and units that `keepsUnit` refuses
    /// are dropped.
    ReferenceGraph(const model::Graph& graph, bool isTraining, KeepsUnit keepsUnit = {})
        : graph_(graph), isTraining_(isTraining), keepsUnit_(std::move(keepsUnit)) {}

    struct Pass {
        std::vector<double> output;  ///< Rows x the graph's output.
        TensorValues tensors;        ///< As given, the statistics moved on in training mode.
        /// How far the nearest number is from a place where its derivative jumps: zero before a
        /// ReLU, the runner-up of a maximum. Exact zeros and ties do not count: they come of zeros
        /// and of copies, and stay what they are when parameters move.
        double kinkDistance = std::numeric_limits<double>::infinity();
        /// By how much normalisations of numbers that are all equal, but for less than epsilon,
        /// magnify what is rounded: the product of their 1 / sqrt(variance + epsilon).
        double magnification = 1;
        std::uint64_t branches = 0;  ///< Which side of every such place was taken, hashed.
    };
    /// `samples`: rows x the graph's input.
    [[nodiscard]] Pass run(TensorValues tensors, std::span<const float> samples,
                           std::int64_t rows) const;

    /// The derivative at t = 0 of the sum of `coefficients` * output for tensors + t * direction,
    /// by central differences; nothing where a kink lies between them.
    [[nodiscard]] std::optional<double> slope(const TensorValues& tensors,
                                              const TensorValues& direction,
                                              std::span<const float> samples, std::int64_t rows,
                                              std::span<const float> coefficients) const;

private:
    const model::Graph& graph_;
    bool isTraining_;
    KeepsUnit keepsUnit_;
};

}  // namespace lockstep::testing
