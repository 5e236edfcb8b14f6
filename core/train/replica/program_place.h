// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/program/executor.h"
#include "core/tensor/cpu/layers/convolution_method.h"
#include "core/tensor/device.h"
#include "core/tensor/precision.h"

namespace lockstep::train {

/// What a replica's programs run on, where the host does all else: its processor, or a GPU; and
/// how.
struct ProgramPlace {
    std::optional<int> gpu{};  ///< Among those that this process sees.
    tensor::Precision precision = tensor::Precision::Float32;  ///< Of the GPU's products.
    /// Of convolutions on the processor; outlives the programs. Null: the shipped rule.
    const tensor::ConvolutionMethods* methods = nullptr;
    /// Of a mesh, whose members share the network; outlives the programs. Null: it is whole.
    program::MeshGroup* group = nullptr;
};

/// `device` is the host's, and must outlive it. Unavailable: the memory does not suffice.
[[nodiscard]] Result<std::unique_ptr<program::Executor>> makeExecutor(tensor::Device& device,
                                                                      const ProgramPlace& place,
                                                                      program::Program program);

}  // namespace lockstep::train
