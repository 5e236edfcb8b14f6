// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/data/augment/augmenter.h"
#include "core/data/batch_plan.h"
#include "core/data/dataset.h"

namespace lockstep::data {

/// One replica's part of one step, ready to compute on. Points into the prefetcher's ring.
struct Batch {
    std::int64_t step = 0;  ///< Over all epochs, from 0.
    std::int64_t epoch = 0;
    std::uint32_t count = 0;        ///< Samples of this replica; may be 0 in an uneven last batch.
    std::uint32_t globalCount = 0;  ///< Samples of all replicas together.
    /// Of these, what counts in the loss: positions of text, without an ignored class. What
    /// gradients divide by.
    std::uint64_t globalItems = 0;
    /// count x Split::bytesPerSample as they are stored, aligned to 64: made floats by the device,
    /// images on their way there take a quarter of the memory.
    const std::uint8_t* inputs = nullptr;
    InputKind inputKind = InputKind::Pixels;
    const std::uint8_t* targets = nullptr;  ///< count x Split::bytesPerTarget, aligned to 64.
    /// Where samples are mixed: the targets of those that were mixed into them, as many, and of
    /// each sample the share of its own; else null.
    const std::uint8_t* otherTargets = nullptr;
    const float* shares = nullptr;
};

/// Inputs and targets of `indices`, as they are stored, one behind the other.
void gather(const Split& split, std::span<const std::uint32_t> indices, std::uint8_t* inputs,
            std::uint8_t* targets);

/// Makes the batches of one replica, in any order: a batch is a function of its step. Immutable;
/// any thread may use it, each with a workspace of its own.
class BatchMaker {
public:
    static constexpr std::size_t kAlignment = 64;

    /// `augmenter`: null: samples stay as they are stored. `ignoredClass`: as PrefetchOptions'.
    BatchMaker(std::shared_ptr<const Split> split, const BatchPlan& plan, int replica,
               std::shared_ptr<const Augmenter> augmenter, int ignoredClass);

    [[nodiscard]] const BatchPlan& plan() const { return plan_; }
    /// Memory of a batch, a multiple of kAlignment.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// The batch of `step` in `memory`, which is aligned. `order`: of the step's epoch.
    [[nodiscard]] Batch make(std::int64_t step, std::span<const std::uint32_t> order,
                             Augmenter::Workspace& workspace, std::uint8_t* memory) const;

private:
    [[nodiscard]] std::uint64_t itemsOf(std::int64_t step,
                                        std::span<const std::uint32_t> order) const;
    void augment(const SampleRange& share, std::int64_t step, std::span<const std::uint32_t> order,
                 Augmenter::Workspace& workspace, std::uint8_t* memory) const;

    std::shared_ptr<const Split> split_;
    BatchPlan plan_;
    int replica_;
    std::shared_ptr<const Augmenter> augmenter_;
    int ignoredClass_;
    // Where the parts of a batch begin in its memory.
    std::size_t targets_ = 0;
    std::size_t others_ = 0;
    std::size_t shares_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace lockstep::data
