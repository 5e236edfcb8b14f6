// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"
#include "core/optim/optimizer.h"
#include "core/program/network.h"
#include "core/train/replica/flat_state.h"

namespace lockstep::train {

/// The flat buffers as named tensors of a checkpoint: views, nothing is copied.
[[nodiscard]] std::vector<checkpoint::TensorRef> modelTensors(
    const program::Network& network, std::span<const float> parameters,
    std::span<const float> statistics = {});
/// `moments` has as many flat buffers as there are `names`: those of Optimizer::momentNames().
[[nodiscard]] std::vector<checkpoint::TensorRef> optimizerTensors(
    const program::Network& network, std::span<const std::span<float>> moments,
    std::span<const std::string> names);

/// What of a run's flat buffers a checkpoint calls the model, and what stands beside it. With an
/// average of the weights that is the model, so that whoever reads a checkpoint uses it; the
/// weights that training goes on with are "trained" among the optimiser's tensors.
struct SavedBuffers {
    std::span<float> model;
    std::vector<std::span<float>> state;
    std::vector<std::string> names;  ///< Of state.
};
[[nodiscard]] SavedBuffers savedBuffers(const optim::Optimizer& optimizer, const FlatState& state);

/// The way back: copies a checkpoint's tensors into flat buffers. BadInput, naming the tensor, when
/// the checkpoint is of another model or optimiser. Where an average of the weights is wanted and
/// the checkpoint has none, "trained" is its model, at which the average begins.
[[nodiscard]] Result<void> restoreModel(const program::Network& network,
                                        const checkpoint::LoadedCheckpoint& checkpoint,
                                        std::span<float> parameters,
                                        std::span<float> statistics = {});
[[nodiscard]] Result<void> restoreOptimizer(const program::Network& network,
                                            const checkpoint::LoadedCheckpoint& checkpoint,
                                            std::span<const std::span<float>> moments,
                                            std::span<const std::string> names);

/// BadInput, naming both, where a checkpoint's tensor has another shape than the job's, or its
/// model another number of tensors.
[[nodiscard]] Result<void> checkShape(const std::string& name,
                                      const std::vector<std::int64_t>& saved,
                                      const std::vector<std::int64_t>& wanted);
[[nodiscard]] Result<void> checkTensorCount(const program::Network& network, std::size_t saved);

/// Whether it was written with an average of the weights: that is its model then.
[[nodiscard]] bool hasAverage(const checkpoint::LoadedCheckpoint& checkpoint);
/// restoreModel() with the weights that training went on with, of which the checkpoint's model may
/// be an average.
[[nodiscard]] Result<void> restoreTrained(const program::Network& network,
                                          const checkpoint::LoadedCheckpoint& checkpoint,
                                          std::span<float> parameters,
                                          std::span<float> statistics = {});

/// Gives the optimiser's state of a checkpoint of an older format the values of this one.
/// `learningRate`: with which it was saved.
void modernise(checkpoint::LoadedCheckpoint& checkpoint, double learningRate);

}  // namespace lockstep::train
