// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "core/tensor/cuda/kernels.h"

namespace lockstep::tensor::cuda {

/// The norm of all gradients as it is measured, and what they are multiplied with. Sums are of
/// whole numbers, as the host's: the norm is the same bits whatever the order of its terms.
struct GradientNorm {
    unsigned int largest = 0;            ///< Bits of the largest magnitude.
    unsigned long long squares[2] = {};  ///< In units: the lower 32 bits of each part, the others.
    float scale = 1;
};

/// Measures the gradients of `pieces` of the arrays, decides the scale that clips their norm to
/// `limit`, and tells the norm to the figures of the step at the cursor. As the host's
/// GradientClip.
void launchGradientNorm(cudaStream_t stream, std::span<const EnginePiece> pieces,
                        const float* gradients, double limit, GradientNorm* norm,
                        const StepState& state);

}  // namespace lockstep::tensor::cuda
