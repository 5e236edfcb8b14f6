// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/matrix.h"

namespace lockstep::tensor {

/// What, beside the sample's place in the global batch and the unit's index in the sample, decides
/// whether a unit is kept. Steps below 2^48 and layers below 2^16 are told apart.
struct DropoutKey {
    std::uint64_t seed = 0;
    std::uint64_t step = 0;
    std::uint32_t layer = 0;  ///< Counts the dropouts of a network.
    float rate = 0;           ///< Of what is dropped, in [0, 1).
};

/// y = x / (1 - rate) where a unit is kept, otherwise 0: x and y are [samples, units], and sample i
/// stands at `firstPlace + i` of the global batch. A pure function of these numbers, so that
/// neither the number of replicas nor a resumed run changes it; the same call is the gradient:
/// dx from dy. y may be x. A unit is dropped where its 32 random bits (Philox4x32-10) are below
/// rate * 2^32: the chance is exact to 2^-33. Units below 2^34.
void dropout(const DropoutKey& key, std::uint64_t firstPlace, ConstMatrix x, Matrix y,
             VectorIsa isa = bestIsa());

/// The same of units `firstUnit`… of one sample.
void dropoutUnits(const DropoutKey& key, std::uint64_t place, std::uint64_t firstUnit,
                  std::span<const float> x, std::span<float> y, VectorIsa isa = bestIsa());

}  // namespace lockstep::tensor
