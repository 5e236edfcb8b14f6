// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

// What a member of a mesh does with the parts that all members have of a value or a tensor:
// core/model/tensor_shard.h, on the device.
namespace lockstep::tensor::cuda {

/// A matrix [rows, members * own], each of whose rows lies in `segments` stretches, each of which
/// is cut among the members.
struct MeshParts {
    std::size_t rows = 0;
    std::size_t own = 1;  ///< Numbers of a row that one member has.
    std::size_t members = 1;
    std::size_t segments = 1;
};

/// sums[i] = parts[0][i] + parts[1][i] + ... in this order; `parts` are [members, count].
void launchSumParts(cudaStream_t stream, const float* parts, std::size_t members, std::size_t count,
                    float* sums);
void launchSumParts(cudaStream_t stream, const double* parts, std::size_t members,
                    std::size_t count, double* sums);
/// The whole of what the members have: `parts` are [members, rows, own].
void launchJoinParts(cudaStream_t stream, const MeshParts& shape, const float* parts, float* whole);
/// The part of member `index`, or that added to `part`.
void launchTakePart(cudaStream_t stream, const MeshParts& shape, std::size_t index, bool adds,
                    const float* whole, float* part);

}  // namespace lockstep::tensor::cuda
