// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/tensor/cuda/layers/random_units.h"

namespace lockstep::tensor::cuda {

[[nodiscard]] DropUnits dropUnits(std::uint32_t layer, float rate);

/// The units of a sample: [places, units], of which place p has those of the whole network's from
/// first + p * step on.
struct DropStretches {
    std::size_t units = 1;
    std::size_t places = 1;
    std::size_t first = 0;
    std::size_t step = 0;  ///< 0: the same units at all places.
};
/// y = x / (1 - rate) where a unit is kept, otherwise 0; of a gradient, too.
void launchDropout(cudaStream_t stream, const StepMoment* moment, const DropUnits& drop,
                   const float* x, float* y, std::size_t samples, const DropStretches& stretches);

}  // namespace lockstep::tensor::cuda
