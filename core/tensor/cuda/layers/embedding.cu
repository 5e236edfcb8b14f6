// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/embedding.h"

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

constexpr std::uint32_t kNone = ~0U;

/// kNone: another member's.
__device__ std::uint32_t rowOf(const EmbeddingTable& table, float chosen) {
    if (table.isPart != 0) {
        const float row = chosen - static_cast<float>(table.first);
        return row >= 0 && row < static_cast<float>(table.rows) ? static_cast<std::uint32_t>(row)
                                                                : kNone;
    }
    if (!(chosen > 0)) return 0;
    const auto row = static_cast<std::uint32_t>(chosen);
    return row < table.rows ? row : static_cast<std::uint32_t>(table.rows - 1);
}

__global__ void embeddingKernel(EmbeddingTable table, const float* weight, const float* chosen,
                                std::size_t count, float* y) {
    for (std::size_t i = firstElement(); i < count * table.width; i += elementStride()) {
        const std::uint32_t row = rowOf(table, chosen[i / table.width]);
        y[i] = row == kNone ? 0.0F : weight[row * table.width + i % table.width];
    }
}

/// next[i]: who chose the same row next after i; begins[i]: 1 where nobody did before it.
__global__ void linkChoicesKernel(EmbeddingTable table, const float* chosen, std::uint32_t count,
                                  std::uint32_t* next, std::uint32_t* begins) {
    for (auto i = static_cast<std::uint32_t>(firstElement()); i < count;
         i += static_cast<std::uint32_t>(elementStride())) {
        const std::uint32_t row = rowOf(table, chosen[i]);
        begins[i] = 0;
        if (row == kNone) continue;
        std::uint32_t after = i + 1;
        while (after < count && rowOf(table, chosen[after]) != row)
            ++after;
        next[i] = after < count ? after : kNone;
        std::uint32_t before = i;
        while (before > 0 && rowOf(table, chosen[before - 1]) != row)
            --before;
        begins[i] = before == 0 ? 1 : 0;
    }
}

/// A thread takes a column of a row of the table: it follows the chain of those who chose it.
__global__ void embeddingGradientKernel(EmbeddingTable table, const float* chosen,
                                        std::uint32_t count, const float* dy,
                                        const std::uint32_t* next, const std::uint32_t* begins,
                                        bool adds, float* gradient) {
    for (std::size_t i = firstElement(); i < count * table.width; i += elementStride()) {
        auto one = static_cast<std::uint32_t>(i / table.width);
        const std::size_t column = i % table.width;
        if (begins[one] == 0) continue;
        float* to = gradient + rowOf(table, chosen[one]) * table.width + column;
        float sum = 0;
        for (; one != kNone; one = next[one])
            sum += dy[one * table.width + column];
        *to = adds ? *to + sum : sum;
    }
}

__global__ void zeroKernel(float* values, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        values[i] = 0;
}

__global__ void addPositionsKernel(const float* x, const float* weight, std::size_t count,
                                   std::size_t numbers, float* y) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        y[i] = x[i] + weight[i % numbers];
}

__global__ void positionGradientKernel(const float* dy, std::size_t samples, std::size_t numbers,
                                       std::size_t table, bool adds, float* gradient) {
    for (std::size_t i = firstElement(); i < table; i += elementStride()) {
        float sum = 0;
        for (std::size_t sample = 0; sample < samples && i < numbers; ++sample)
            sum += dy[sample * numbers + i];
        gradient[i] = adds ? gradient[i] + sum : sum;
    }
}

}  // namespace

void launchEmbedding(cudaStream_t stream, const EmbeddingTable& table, const float* weight,
                     const float* chosen, std::size_t count, float* y) {
    if (count == 0) return;
    embeddingKernel<<<blocksFor(count * table.width), kThreads, 0, stream>>>(table, weight, chosen,
                                                                             count, y);
}

std::size_t embeddingScratch(std::size_t mostChosen) {
    return 2 * mostChosen * sizeof(std::uint32_t);
}

void launchEmbeddingGradient(cudaStream_t stream, const EmbeddingTable& table, const float* chosen,
                             std::size_t count, const float* dy, bool adds, std::uint32_t* scratch,
                             float* gradient) {
    const std::size_t size = table.rows * table.width;
    if (!adds) {
        zeroKernel<<<blocksFor(size), kThreads, 0, stream>>>(gradient, size);
    }
    if (count == 0) return;
    const auto choices = static_cast<std::uint32_t>(count);
    linkChoicesKernel<<<blocksFor(count), kThreads, 0, stream>>>(table, chosen, choices, scratch,
                                                                 scratch + count);
    embeddingGradientKernel<<<blocksFor(count * table.width), kThreads, 0, stream>>>(
        table, chosen, choices, dy, scratch, scratch + count, adds, gradient);
}

void launchAddPositions(cudaStream_t stream, const float* x, const float* weight,
                        std::size_t samples, std::size_t numbers, float* y) {
    const std::size_t count = samples * numbers;
    if (count == 0) return;
    addPositionsKernel<<<blocksFor(count), kThreads, 0, stream>>>(x, weight, count, numbers, y);
}

void launchPositionGradient(cudaStream_t stream, const float* dy, std::size_t samples,
                            std::size_t numbers, std::size_t table, bool adds, float* gradient) {
    positionGradientKernel<<<blocksFor(table), kThreads, 0, stream>>>(dy, samples, numbers, table,
                                                                      adds, gradient);
}

}  // namespace lockstep::tensor::cuda
