// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/tensor/cuda/layers/random_units.h"

namespace lockstep::tensor::cuda {

[[nodiscard]] DropUnits dropUnits(std::uint32_t layer, float rate);

/// y = x / (1 - rate) where a unit is kept, otherwise 0: [samples, places, units], the same units
/// at all places of a sample; of a gradient, too.
void launchDropout(cudaStream_t stream, const StepMoment* moment, const DropUnits& drop,
                   const float* x, float* y, std::size_t samples, std::size_t places,
                   std::size_t units);

}  // namespace lockstep::tensor::cuda
