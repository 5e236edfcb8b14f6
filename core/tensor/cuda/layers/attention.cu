// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/attention.h"

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

constexpr unsigned kTile = 16;

/// A block of kTile x kTile threads takes as many numbers of c; each is summed in the order of the
/// inner dimension.
__global__ void headProductKernel(HeadProduct p, const float* a, const float* b, float* c) {
    __shared__ float tileA[kTile][kTile + 1];
    __shared__ float tileB[kTile][kTile + 1];
    const std::size_t row = static_cast<std::size_t>(blockIdx.y) * kTile + threadIdx.y;
    const std::size_t column = static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x;
    for (std::size_t matrix = blockIdx.z; matrix < p.samples * p.heads; matrix += gridDim.z) {
        const std::size_t sample = matrix / p.heads;
        const std::size_t head = matrix % p.heads;
        const float* fromA = a + sample * p.a.sample + head * p.a.head;
        const float* fromB = b + sample * p.b.sample + head * p.b.head;
        float sum = 0;
        for (std::size_t inner = 0; inner < p.inner; inner += kTile) {
            const std::size_t k = inner + threadIdx.x;
            const std::size_t l = inner + threadIdx.y;
            tileA[threadIdx.y][threadIdx.x] =
                row < p.rows && k < p.inner ? fromA[row * p.a.row + k * p.a.column] : 0.0F;
            tileB[threadIdx.y][threadIdx.x] =
                l < p.inner && column < p.columns ? fromB[l * p.b.row + column * p.b.column] : 0.0F;
            __syncthreads();
            for (unsigned i = 0; i < kTile; ++i)
                sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
            __syncthreads();
        }
        if (row < p.rows && column < p.columns)
            c[sample * p.c.sample + head * p.c.head + row * p.c.row + column * p.c.column] =
                sum * p.factor;
    }
}

/// A row of weights: its query of a head of a sample.
struct WeightRow {
    std::size_t sample;
    std::size_t unit;  ///< Of its first weight, in its sample.
    std::size_t seen;  ///< Keys.
};

__device__ WeightRow weightRow(const AttentionWeights& shape, std::size_t row) {
    const std::size_t perSample = shape.heads * shape.positions;
    const std::size_t query = row % shape.positions;
    const std::size_t before = shape.firstHead * shape.positions;  // rows of other members' heads
    return {row / perSample, (before + row % perSample) * shape.positions,
            shape.isCausal != 0 ? query + 1 : shape.positions};
}

__device__ float afterDropout(const AttentionWeights& shape, const StepMoment& moment,
                              const WeightRow& row, std::size_t key, float value) {
    if (shape.drops == 0) return value;
    return droppedUnit(moment, shape.drop, shape.firstSample + row.sample, row.unit + key, value);
}

/// A warp takes a row, as in the next ones.
__global__ void attentionSoftmaxKernel(AttentionWeights shape, const StepMoment* moment,
                                       float* weights, float* logSums) {
    const unsigned lane = threadIdx.x % kWarp;
    const std::size_t rows = shape.samples * shape.heads * shape.positions;
    const StepMoment now = *moment;
    for (std::size_t r = firstWarp(); r < rows; r += warpStride()) {
        const WeightRow row = weightRow(shape, r);
        float* scores = weights + r * shape.positions;
        float largest = scores[0];
        for (std::size_t key = lane; key < row.seen; key += kWarp)
            largest = scores[key] > largest ? scores[key] : largest;
        largest = warpLargest(largest);
        float sum = 0;
        for (std::size_t key = lane; key < row.seen; key += kWarp)
            sum += expf(scores[key] - largest);
        sum = warpSum(sum);
        const float factor = 1.0F / sum;
        for (std::size_t key = lane; key < shape.positions; key += kWarp) {
            const float weight = key < row.seen ? expf(scores[key] - largest) * factor : 0.0F;
            scores[key] = afterDropout(shape, now, row, key, weight);
        }
        if (lane == 0) logSums[r] = largest + logf(sum);
        __syncwarp();
    }
}

__global__ void attentionWeightsKernel(AttentionWeights shape, const StepMoment* moment,
                                       const float* logSums, float* weights, float* dropped) {
    const std::size_t rows = shape.samples * shape.heads * shape.positions;
    const StepMoment now = *moment;
    for (std::size_t i = firstElement(); i < rows * shape.positions; i += elementStride()) {
        const std::size_t r = i / shape.positions;
        const std::size_t key = i % shape.positions;
        const WeightRow row = weightRow(shape, r);
        const float weight = key < row.seen ? expf(weights[i] - logSums[r]) : 0.0F;
        weights[i] = weight;
        if (dropped != nullptr) dropped[i] = afterDropout(shape, now, row, key, weight);
    }
}

__global__ void scoreGradientKernel(AttentionWeights shape, const StepMoment* moment,
                                    const float* weights, float* gradient) {
    const unsigned lane = threadIdx.x % kWarp;
    const std::size_t rows = shape.samples * shape.heads * shape.positions;
    const StepMoment now = *moment;
    for (std::size_t r = firstWarp(); r < rows; r += warpStride()) {
        const WeightRow row = weightRow(shape, r);
        const float* mine = weights + r * shape.positions;
        float* to = gradient + r * shape.positions;
        float sum = 0;
        for (std::size_t key = lane; key < shape.positions; key += kWarp) {
            to[key] = afterDropout(shape, now, row, key, to[key]);
            sum += mine[key] * to[key];
        }
        sum = warpSum(sum);
        for (std::size_t key = lane; key < shape.positions; key += kWarp)
            to[key] = mine[key] * (to[key] - sum);
        __syncwarp();
    }
}

}  // namespace

void launchHeadProduct(cudaStream_t stream, const HeadProduct& product, const float* a,
                       const float* b, float* c) {
    const std::size_t matrices = product.samples * product.heads;
    if (matrices == 0) return;
    const dim3 blocks(static_cast<unsigned>((product.columns + kTile - 1) / kTile),
                      static_cast<unsigned>((product.rows + kTile - 1) / kTile),
                      blocksAside(matrices));
    headProductKernel<<<blocks, dim3(kTile, kTile), 0, stream>>>(product, a, b, c);
}

void launchAttentionSoftmax(cudaStream_t stream, const AttentionWeights& shape,
                            const StepMoment* moment, float* weights, float* logSums) {
    const std::size_t rows = shape.samples * shape.heads * shape.positions;
    if (rows == 0) return;
    attentionSoftmaxKernel<<<blocksForRows(rows), kThreads, 0, stream>>>(shape, moment, weights,
                                                                         logSums);
}

void launchAttentionWeights(cudaStream_t stream, const AttentionWeights& shape,
                            const StepMoment* moment, const float* logSums, float* weights,
                            float* dropped) {
    const std::size_t count = shape.samples * shape.heads * shape.positions * shape.positions;
    if (count == 0) return;
    attentionWeightsKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, moment, logSums,
                                                                      weights, dropped);
}

void launchScoreGradient(cudaStream_t stream, const AttentionWeights& shape,
                         const StepMoment* moment, const float* weights, float* gradient) {
    const std::size_t rows = shape.samples * shape.heads * shape.positions;
    if (rows == 0) return;
    scoreGradientKernel<<<blocksForRows(rows), kThreads, 0, stream>>>(shape, moment, weights,
                                                                      gradient);
}

}  // namespace lockstep::tensor::cuda
