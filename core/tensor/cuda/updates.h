// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/layers/random_units.h"

namespace lockstep::tensor::cuda {

/// The update of the step at the cursor, of `pieces` of the arrays, in their order: unless a loss
/// was not finite or an earlier step ended the run. It takes the time at which the sums are there.
/// Gradients are multiplied with `scale`, which may be null: 1.
void launchStepUpdate(cudaStream_t stream, const UpdateSettings& settings,
                      std::span<const EnginePiece> pieces, const UpdateArrays& arrays,
                      const float* scale, const StepState& state);
/// Where the step is not applied its statistics are not, either: they become what they were.
void launchKeepStatistics(cudaStream_t stream, const StepState& state, const float* before,
                          std::size_t count, float* statistics);
/// Where the step at the cursor stands.
void launchBeginStep(cudaStream_t stream, const StepState& state, std::uint64_t seed,
                     StepMoment* moment);

}  // namespace lockstep::tensor::cuda
