// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/program/executor.h"
#include "core/program/network.h"
#include "core/tensor/device.h"
#include "core/tensor/matrix.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// Loss and hits over samples, as sums: parts add up. Without samples the means are NaN: an epoch
/// whose every step was left out has no loss, least of all a perfect one.
struct SplitScore {
    double lossSum = 0;
    double correct = 0;
    double samples = 0;

    [[nodiscard]] double loss() const { return mean(lossSum); }
    [[nodiscard]] double accuracy() const { return mean(correct); }

private:
    [[nodiscard]] double mean(double sum) const {
        return samples > 0 ? sum / samples : std::numeric_limits<double>::quiet_NaN();
    }
};

/// What a network computes with: the flat buffers of its tensors.
struct Weights {
    std::span<const float> parameters;
    std::span<float> statistics{};  ///< Only read where nothing is trained.
};

/// Runs a network forward over a split in batches of kBatch, with buffers made once. One thread.
class SplitEvaluator {
public:
    static constexpr std::uint32_t kBatch = 256;

    /// Unavailable when the device lacks the memory. Device and network must outlive it.
    [[nodiscard]] static Result<SplitEvaluator> make(tensor::Device& device,
                                                     const program::Network& network);

    /// Samples [first, first + count) of the split; fewer when `stop` is set meanwhile, which is
    /// looked at before each batch.
    [[nodiscard]] Result<SplitScore> score(const Weights& weights, const data::Split& split,
                                           std::uint32_t first, std::uint32_t count,
                                           const std::atomic<bool>* stop = nullptr);

    /// The whole split with all that the Evaluator page shows: score, accuracy per class,
    /// confusion matrix and `samples` predictions, the hardest (largest loss) first; the last
    /// third of them are spread over the split, so that the easy ones are seen too.
    [[nodiscard]] Result<wire::Evaluation> evaluate(const Weights& weights,
                                                    const data::Split& split, std::size_t samples);

    struct Prediction {
        std::int32_t predicted = 0;
        float probability = 0;
        float truthProbability = 0;
    };

private:
    SplitEvaluator(tensor::Device& device, const program::Network& network,
                   std::unique_ptr<program::Executor> executor,
                   std::unique_ptr<tensor::Stream> stream);
    std::uint32_t gatherBatch(const data::Split& split, std::uint32_t first, std::uint32_t end);
    [[nodiscard]] Result<tensor::ConstMatrix> logits(const Weights& weights, std::uint32_t rows);
    [[nodiscard]] Result<std::vector<Prediction>> predictAll(const Weights& weights,
                                                             const data::Split& split);

    tensor::Device* device_;
    const program::Network* network_;
    std::unique_ptr<program::Executor> executor_;
    std::unique_ptr<tensor::Stream> stream_;
    std::vector<std::uint32_t> indices_;
    std::vector<std::uint8_t> inputs_;   ///< Of the batch, as they are stored.
    std::vector<std::uint8_t> targets_;  ///< Likewise.
    tensor::Buffer samples_;
    tensor::Buffer labels_;
    tensor::Buffer predicted_;
    tensor::Buffer probabilities_;
};

}  // namespace lockstep::train
