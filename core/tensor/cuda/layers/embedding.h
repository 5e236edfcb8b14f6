// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lockstep::tensor::cuda {

/// A table [rows, width], and `count` whole numbers that choose of its rows; as floats, which hold
/// them exactly. One that lies outside takes the nearest row: the data was checked on the host. Of
/// a member of a mesh that has some of the rows: what the others have is zero here, and its
/// gradient is theirs.
struct EmbeddingTable {
    std::size_t rows = 1;
    std::size_t width = 1;
    std::size_t first = 0;     ///< Row of the network's that the first one is.
    std::uint32_t isPart = 0;  ///< Others have the other rows.
};
void launchEmbedding(cudaStream_t stream, const EmbeddingTable& table, const float* weight,
                     const float* chosen, std::size_t count, float* y);
/// Bytes that the gradient works in.
[[nodiscard]] std::size_t embeddingScratch(std::size_t mostChosen);
/// gradient: the sum of the rows of dy that chose each row, in their order; added to what is there
/// if asked for.
void launchEmbeddingGradient(cudaStream_t stream, const EmbeddingTable& table, const float* chosen,
                             std::size_t count, const float* dy, bool adds, std::uint32_t* scratch,
                             float* gradient);

/// y = x + weight: [samples, numbers] and [numbers].
void launchAddPositions(cudaStream_t stream, const float* x, const float* weight,
                        std::size_t samples, std::size_t numbers, float* y);
/// gradient [table]: sums over the samples for the first `numbers`, 0 behind them.
void launchPositionGradient(cudaStream_t stream, const float* dy, std::size_t samples,
                            std::size_t numbers, std::size_t table, bool adds, float* gradient);

}  // namespace lockstep::tensor::cuda
