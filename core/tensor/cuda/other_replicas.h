// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "core/base/result.h"

namespace lockstep::tensor::cuda {

/// What a pass through a network asks of other replicas in its midst, behind what its stream has.
/// The numbers lie in the device's memory.
struct OtherReplicas {
    /// Adds doubles over all replicas that share the batch, in place.
    using Sum = std::function<Result<void>(std::span<double>)>;
    /// What every member of a mesh's row has, in their order, into the second. All of the row call
    /// it as often as the others, with as many numbers.
    using Gather = std::function<Result<void>(std::span<const float>, std::span<float>)>;

    Sum sum;
    Gather gather{};  ///< May be empty where the network is whole.
};

}  // namespace lockstep::tensor::cuda
