// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::job {

/// A metric besides loss and accuracy: "top_5_accuracy".
struct FigureView {
    std::string name;
    double value = 0;
};

/// A figure that a network is judged by.
struct Score {
    std::string name;  ///< "accuracy", "root_mean_squared_error", "loss".
    double value = 0;
    bool largerIsBetter = false;
    bool operator==(const Score&) const = default;
};

/// What a checkpoint scored. Immutable once published.
struct EvaluationView {
    /// imageHeight x imageWidth x 1 (grey) or 3 (RGB); null: the sample is no picture.
    using Pixels = std::shared_ptr<const std::vector<std::uint8_t>>;
    struct Sample {
        int index = 0;
        int truth = 0;
        int prediction = 0;
        float probability = 0;
        float truthProbability = 0;
        Pixels pixels;
    };
    std::int64_t step = 0;
    int epoch = 0;
    /// Samples of one class that were taken for another, or for their own.
    struct Cell {
        int truth = 0;
        int prediction = 0;
        std::uint32_t count = 0;
    };
    /// Predicted numbers in the targets' own unit, one a target.
    struct Value {
        int index = 0;
        std::vector<float> truth;
        std::vector<float> prediction;
    };
    /// Of prediction - truth over all samples; quantiles at 0, 0.05, 0.25, 0.5, 0.75, 0.95 and 1.
    struct Residuals {
        double mean = 0;
        double deviation = 0;
        std::vector<double> quantiles;
    };
    struct Text {
        std::string prompt;
        std::string continuation;  ///< What the network wrote behind it.
        double temperature = 0;
    };
    std::string split;  ///< "validation" or "test".
    double loss = 0;
    double accuracy = 0;  ///< NaN where nothing is right or wrong: numbers.
    std::vector<FigureView> figures;
    int classes = 0;                      ///< 0: the targets are no classes, or it is not known.
    std::vector<float> perClassAccuracy;  ///< Empty where there are too many classes.
    /// classes x classes, row = truth, column = prediction; empty where there are many classes.
    std::vector<std::uint32_t> confusion;
    std::vector<Cell> cells;               ///< Of many classes instead, the fullest first.
    std::uint64_t cellsLeftOut = 0;        ///< Samples in cells that are not told.
    std::vector<std::string> targetNames;  ///< Of numbers, as the next two.
    std::vector<Value> values;             ///< Samples spread over the split.
    std::vector<Residuals> residuals;      ///< One a target.
    int targetsLeftOut = 0;                ///< That values and residuals do not tell.
    std::vector<Text> texts;
    std::vector<Sample> samples;  ///< The hardest first.
    double seconds = 0;
    double wallTime = 0;
    std::string error;
};

}  // namespace lockstep::job
