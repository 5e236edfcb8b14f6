// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/device.h"
#include "core/tensor/ops.h"

namespace lockstep::nn {

class Network;

/// The memory one replica needs to run a network on batches of up to `maxBatch` samples, made once.
/// It carries a batch from forward() to lossAndGradient() to backward(). One thread at a time.
class Workspace {
public:
    /// Unavailable when the device lacks the memory. `device` must outlive the workspace.
    [[nodiscard]] static Result<Workspace> make(tensor::Device& device, const Network& network,
                                                std::size_t maxBatch);

    [[nodiscard]] std::size_t maxBatch() const { return maxBatch_; }
    /// Rows of the batch of the last forward(); 0 before.
    [[nodiscard]] std::size_t batch() const { return x_.rows; }
    /// Output of the last forward() [batch, classes]; lossAndGradient() turns it into its gradient.
    [[nodiscard]] tensor::ConstMatrix logits() const;

    /// Sums since the last takeTotals(), after Stream::synchronize(); begins anew at zero.
    [[nodiscard]] tensor::LossTotals takeTotals();

private:
    friend class Network;
    Workspace() = default;

    [[nodiscard]] tensor::LossTotals& totals();
    /// Output of a layer for the current batch.
    [[nodiscard]] tensor::Matrix output(std::size_t layer) const;
    /// Gradient of an inner layer's output for the current batch, until that of the layer two
    /// below is written.
    [[nodiscard]] tensor::Matrix delta(std::size_t layer) const;

    tensor::Ops* ops_ = nullptr;
    std::size_t maxBatch_ = 0;
    tensor::ConstMatrix x_;                 ///< The caller's input batch, read again by backward().
    std::vector<tensor::Buffer> outputs_;   ///< One a layer, [maxBatch, outputSize].
    std::vector<std::size_t> widths_;       ///< outputSize of each layer.
    std::array<tensor::Buffer, 2> deltas_;  ///< Gradients of inner outputs, used in turn.
    tensor::Buffer totals_;                 ///< One LossTotals, host-visible.
};

}  // namespace lockstep::nn
