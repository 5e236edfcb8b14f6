// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/tensor/cpu/updates.h"

namespace lockstep::optim {

/// The optimiser's state arrays; as many as momentCount() are used, the others may be empty.
using Moments = std::array<std::span<float>, 3>;

/// What one step of Adam multiplies with: learningRate * sqrt(1 - beta2^step) / (1 - beta1^step).
/// The same bits on every processor.
[[nodiscard]] double adamStepSize(double learningRate, double beta1, double beta2,
                                  std::int64_t step);

/// What one step does to a piece of the buffers.
struct PieceUpdate {
    std::int64_t step = 1;  ///< Counted from 1.
    double learningRate = 0;
    bool decays = true;          ///< Whether weight decay reaches it.
    float gradientScale = 1.0F;  ///< By which norms are clipped.
};

/// SGD as in PyTorch; Adam, AdamW, RMSprop and Lion as in Keras: one pass over a range of flat
/// buffers. A value: the state is the caller's, who may cut the buffers into ranges as it likes
/// without changing a bit of the result.
class Optimizer {
public:
    /// BadInput when a setting is not a finite number in its range.
    [[nodiscard]] static Result<Optimizer> make(const config::TrainingSpec& training);

    /// State arrays as long as the parameters, all zero before step 1.
    [[nodiscard]] int momentCount() const { return momentCount_; }
    /// What PyTorch calls them: none for SGD, momentum_buffer with momentum; exp_avg and exp_avg_sq
    /// (Adam); square_avg (RMSprop), and momentum_buffer; exp_avg (Lion). Behind them "average",
    /// with training.use_ema: what the weights are on average.
    [[nodiscard]] std::vector<std::string> momentNames() const;
    /// Which of the arrays is the weights' average; -1: none is kept.
    [[nodiscard]] int averageIndex() const {
        return training_.average.isUsed ? momentCount_ - 1 : -1;
    }
    /// Takes the weights of a step into their average, as Keras: those of the first step that is
    /// applied as they are.
    void addToAverage(std::span<const float> parameters, std::span<float> average,
                      bool isFirst) const;
    [[nodiscard]] const config::TrainingSpec& settings() const { return training_; }

    /// Updates parameters and moments in [begin, end) from `gradients`, the mean over the global
    /// batch. All spans are whole flat buffers. The sums are of the range's weights.
    tensor::BitSums update(std::size_t begin, std::size_t end, std::span<const float> gradients,
                           std::span<float> parameters, const Moments& moments,
                           const PieceUpdate& update) const;
    /// The same at training.learning_rate, with no norm clipped.
    tensor::BitSums update(std::size_t begin, std::size_t end, std::span<const float> gradients,
                           std::span<float> parameters, const Moments& moments,
                           std::int64_t step) const;

private:
    explicit Optimizer(const config::TrainingSpec& training);
    /// Without the average.
    [[nodiscard]] std::vector<std::string> ruleNames() const;

    /// The rule alone, on spans of one piece.
    tensor::BitSums apply(const tensor::UpdateSpans& spans, const PieceUpdate& update) const;

    config::TrainingSpec training_;
    int momentCount_ = 0;  ///< Of momentNames(): asked in every step, which allocates nothing.
};

}  // namespace lockstep::optim
