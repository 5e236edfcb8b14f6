// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/collective_place.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/program/executor.h"
#include "core/program/network.h"
#include "core/tensor/device.h"
#include "core/tensor/matrix.h"
#include "core/train/objective/objective.h"
#include "core/train/objective/score.h"
#include "core/train/replica/continue_tokens.h"
#include "core/train/replica/program_place.h"

namespace lockstep::train {

/// What a network computes with: the flat buffers of its tensors.
struct Weights {
    std::span<const float> parameters;
    std::span<float> statistics{};  ///< Only read where nothing is trained.
};

/// Runs a network forward over a split in batches, with buffers made once. One thread.
class SplitEvaluator {
public:
    static constexpr std::uint32_t kMostRows = 256;  ///< Samples of a batch.
    /// Of a batch's samples and values, unless one sample takes more: a batch has as many samples
    /// as the program's memory plan has room for in this.
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    /// The largest program whose samples, values and outputs stay within their limits, as its
    /// memory plan says; of one sample at least.
    [[nodiscard]] static program::Program programFor(const program::Network& network);

    /// Unavailable when the device lacks the memory. Device, network and objective must outlive it.
    [[nodiscard]] static Result<SplitEvaluator> make(tensor::Device& device,
                                                     const program::Network& network,
                                                     const Objective& objective,
                                                     const ProgramPlace& place = {});

    /// Samples [first, first + count) of the split; fewer when `stop` is set meanwhile, which is
    /// looked at before each batch. With each a point is reached in `place`: it is seen to move.
    [[nodiscard]] Result<SplitScore> score(const Weights& weights, const data::Split& split,
                                           std::uint32_t first, std::uint32_t count,
                                           const std::atomic<bool>* stop = nullptr,
                                           CollectivePlace* place = nullptr);

    /// Of one sample's class.
    struct Prediction {
        std::int32_t predicted = 0;
        float probability = 0;
        float truthProbability = 0;
    };
    /// What a sample's outputs say of its class.
    [[nodiscard]] Prediction predictionOf(std::span<const float> outputs, std::int32_t truth);

    /// What the network writes behind `prompt`; it sees as many tokens as it was trained on.
    [[nodiscard]] Result<std::vector<std::uint16_t>> continueText(
        const Weights& weights, std::span<const std::uint16_t> prompt,
        const GenerationOptions& options);

    [[nodiscard]] const Objective& objective() const { return *objective_; }
    [[nodiscard]] std::uint32_t batch() const { return batch_; }  ///< Samples at a time.

    /// A batch that has been computed: samples first, first + 1, ….
    struct Computed {
        std::uint32_t first = 0;
        std::uint32_t rows = 0;
        std::span<const float> outputs;
        BatchTargets targets;
    };
    using Visit = std::function<void(const Computed&)>;
    /// Computes samples [first, first + count), batch by batch, until `stop` is set.
    [[nodiscard]] Result<void> forEachBatch(const Weights& weights, const data::Split& split,
                                            std::uint32_t first, std::uint32_t count,
                                            const std::atomic<bool>* stop, const Visit& visit);

private:
    SplitEvaluator(const program::Network& network, const Objective& objective,
                   std::unique_ptr<program::Executor> executor, std::uint32_t batch);

    const program::Network* network_;
    const Objective* objective_;
    std::unique_ptr<program::Executor> executor_;
    std::uint32_t batch_;
    std::vector<std::uint32_t> indices_;
    std::vector<std::uint8_t> inputs_;         ///< Of the batch, as they are stored.
    std::vector<std::uint8_t> storedTargets_;  ///< Likewise.
    TargetBuffer targets_;
    tensor::Buffer samples_;
    std::vector<float> probabilities_;  ///< Of a sample.
};

}  // namespace lockstep::train
