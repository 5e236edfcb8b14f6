// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::config {

enum class OptimizerKind : std::uint8_t { Sgd, Adam, AdamW, RmsProp, Lion };
/// Which tensors decay. Matrices: those of two dimensions or more, so neither biases nor norms.
enum class DecayOn : std::uint8_t { All, Matrices };
enum class ScheduleKind : std::uint8_t {
    Constant,
    Cosine,
    Exponential,
    Piecewise,
    Polynomial,
    ReduceOnPlateau
};

// Defaults of one optimizer alone.
inline constexpr double kAdamWDecay = 0.004;
inline constexpr double kLionBeta2 = 0.99;

/// How the learning rate changes with the steps. Lengths are given in steps or in epochs; 0: not
/// given.
struct ScheduleSpec {
    ScheduleKind kind = ScheduleKind::Constant;
    std::optional<double> initialLearningRate{};  ///< Absent: training.learning_rate.
    std::int64_t decaySteps = 0;                  ///< Counted behind the warm-up.
    double decayEpochs = 0;
    double alpha = 0;                      ///< Cosine: the share of the rate that is left.
    std::optional<double> warmupTarget{};  ///< Cosine: where the warm-up goes; absent: none.
    std::int64_t warmupSteps = 0;
    double warmupEpochs = 0;
    double decayRate = 0.96;  ///< Exponential, as is the next one.
    bool staircase = false;
    std::vector<double> boundaries{};  ///< Piecewise: steps, ascending.
    std::vector<double> values{};      ///< Piecewise: one rate more than boundaries.
    double endLearningRate = 0.0001;   ///< Polynomial, as are the next two.
    double power = 1;
    bool cycle = false;
    double factor = 0.1;       ///< ReduceOnPlateau, as are the next four: what the rate is times.
    int patience = 10;         ///< Epochs without a better validation loss.
    double minDelta = 0.0001;  ///< What counts as better is better by more than this.
    int cooldown = 0;          ///< Epochs to wait behind a reduction.
    double minLearningRate = 0;
};

}  // namespace lockstep::config
