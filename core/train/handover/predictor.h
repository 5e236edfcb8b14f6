// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/task.h"
#include "core/program/executor.h"
#include "core/tensor/device.h"
#include "core/train/handover/saved_network.h"

namespace lockstep::train {

/// A class with its probability.
struct RankedClass {
    std::int64_t index = 0;
    std::string name;
    double probability = 0;
    /// What the network gave for it; where it gives one number for two classes, the logarithm of
    /// the odds.
    double logit = 0;
};

/// A number that was asked for, in its own units; a chance where the loss takes logits.
struct PredictedValue {
    std::string name;
    double value = 0;
};

/// What a network says of one sample.
struct Prediction {
    std::vector<RankedClass> classes;    ///< The most probable ones first.
    std::vector<PredictedValue> values;  ///< Of a network that was trained on numbers.
};

/// A saved network that is asked about samples. One thread.
class Predictor {
public:
    using Take = std::function<void(std::uint32_t index, const Prediction&)>;

    /// `top`: classes of each prediction. Unavailable when the memory is not there.
    [[nodiscard]] static Result<std::unique_ptr<Predictor>> make(SavedNetwork saved,
                                                                 std::size_t top);

    /// All samples of the split, in order, as long as `goesOn`, where it is given, says so.
    /// BadInput where the network gives something else than classes or numbers.
    [[nodiscard]] Result<void> predict(const data::Split& split, const Take& take,
                                       const std::function<bool()>& goesOn = {});

    using TakeOutputs = std::function<void(std::uint32_t index, std::span<const float> outputs)>;
    /// What the last layer gives for each sample, as it is.
    [[nodiscard]] Result<void> compute(const data::Split& split, const TakeOutputs& take,
                                       const std::function<bool()>& goesOn = {});

    [[nodiscard]] const SavedNetwork& saved() const { return *saved_; }

private:
    Predictor(std::unique_ptr<SavedNetwork> saved, std::unique_ptr<tensor::Device> device,
              std::size_t top);
    [[nodiscard]] std::vector<double> valuesOf(std::span<const float> outputs) const;
    [[nodiscard]] Prediction predictionOf(std::span<const float> outputs) const;
    [[nodiscard]] std::vector<RankedClass> ranked(std::span<const float> logits) const;

    std::unique_ptr<SavedNetwork> saved_;
    std::unique_ptr<tensor::Device> device_;
    std::unique_ptr<program::Executor> executor_;
    config::Task::Output output_;
    std::size_t top_;
};

}  // namespace lockstep::train
