// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/row_normalization.h"

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

__device__ float orElse(const float* values, std::size_t at, float otherwise) {
    return values == nullptr ? otherwise : values[at];
}

/// A warp takes a row.
__global__ void normalizeRowsKernel(NormalizedRows shape, const float* x, float* y,
                                    float* moments) {
    const unsigned lane = threadIdx.x % kWarp;
    const auto columns = static_cast<float>(shape.columns);
    for (std::size_t r = firstWarp(); r < shape.rows; r += warpStride()) {
        const float* from = x + r * shape.columns;
        float sum = 0;
        for (std::size_t c = lane; c < shape.columns && shape.isRootMeanSquare == 0; c += kWarp)
            sum += from[c];
        const float mean = warpSum(sum) / columns;
        float squares = 0;
        for (std::size_t c = lane; c < shape.columns; c += kWarp)
            squares += (from[c] - mean) * (from[c] - mean);
        const float inverse = 1 / sqrtf(warpSum(squares) / columns + shape.epsilon);
        for (std::size_t c = lane; c < shape.columns; c += kWarp)
            y[r * shape.columns + c] =
                (from[c] - mean) * inverse * orElse(shape.weight, c, 1) + orElse(shape.bias, c, 0);
        if (lane == 0 && moments != nullptr) {
            moments[r] = mean;
            moments[shape.rows + r] = inverse;
        }
        __syncwarp();
    }
}

__global__ void rowInputGradientKernel(NormalizedRows shape, const float* dy, const float* x,
                                       const float* moments, float* dx) {
    const unsigned lane = threadIdx.x % kWarp;
    const auto columns = static_cast<float>(shape.columns);
    for (std::size_t r = firstWarp(); r < shape.rows; r += warpStride()) {
        const std::size_t begin = r * shape.columns;
        const float mean = moments[r];
        const float inverse = moments[shape.rows + r];
        float sum = 0;
        float sumNormalized = 0;
        for (std::size_t c = lane; c < shape.columns; c += kWarp) {
            const float gradient = dy[begin + c] * orElse(shape.weight, c, 1);
            sum += gradient;
            sumNormalized += gradient * ((x[begin + c] - mean) * inverse);
        }
        const float average = shape.isRootMeanSquare != 0 ? 0.0F : warpSum(sum) / columns;
        const float slope = warpSum(sumNormalized) / columns;
        for (std::size_t c = lane; c < shape.columns; c += kWarp) {
            const float gradient = dy[begin + c] * orElse(shape.weight, c, 1);
            const float normalized = (x[begin + c] - mean) * inverse;
            dx[begin + c] = inverse * (gradient - average - normalized * slope);
        }
        __syncwarp();
    }
}

/// The numbers of one group, which a block takes.
struct GroupWalk {
    std::size_t begin;  ///< Element of its first channel at the first place.
    std::size_t first;  ///< Channel.
    std::size_t width;  ///< Channels.
    std::size_t count;
};

__device__ GroupWalk groupWalk(const NormalizedGroups& shape, std::size_t group) {
    const std::size_t width = shape.channels / shape.groups;
    const std::size_t first = group % shape.groups * width;
    return {group / shape.groups * shape.places * shape.channels + first, first, width,
            width * shape.places};
}

__global__ void normalizeGroupsKernel(NormalizedGroups shape, const float* x, float* y,
                                      float* moments) {
    const std::size_t all = shape.samples * shape.groups;
    for (std::size_t group = blockIdx.x; group < all; group += gridDim.x) {
        const GroupWalk walk = groupWalk(shape, group);
        double sum = 0;
        for (std::size_t i = threadIdx.x; i < walk.count; i += kThreads)
            sum += static_cast<double>(
                x[walk.begin + i / walk.width * shape.channels + i % walk.width]);
        const double mean = blockSum(sum) / static_cast<double>(walk.count);
        double squares = 0;
        for (std::size_t i = threadIdx.x; i < walk.count; i += kThreads) {
            const double distance =
                static_cast<double>(
                    x[walk.begin + i / walk.width * shape.channels + i % walk.width]) -
                mean;
            squares += distance * distance;
        }
        const double variance = blockSum(squares) / static_cast<double>(walk.count);
        const auto inverse =
            static_cast<float>(1.0 / sqrt(variance + static_cast<double>(shape.epsilon)));
        const auto center = static_cast<float>(mean);
        for (std::size_t i = threadIdx.x; i < walk.count; i += kThreads) {
            const std::size_t at = walk.begin + i / walk.width * shape.channels + i % walk.width;
            const std::size_t channel = walk.first + i % walk.width;
            y[at] = (x[at] - center) * inverse * orElse(shape.weight, channel, 1) +
                    orElse(shape.bias, channel, 0);
        }
        if (threadIdx.x == 0 && moments != nullptr) {
            moments[group] = center;
            moments[all + group] = inverse;
        }
    }
}

__global__ void groupInputGradientKernel(NormalizedGroups shape, const float* dy, const float* x,
                                         const float* moments, float* dx) {
    const std::size_t all = shape.samples * shape.groups;
    for (std::size_t group = blockIdx.x; group < all; group += gridDim.x) {
        const GroupWalk walk = groupWalk(shape, group);
        const float mean = moments[group];
        const float inverse = moments[all + group];
        double sum = 0;
        double sumNormalized = 0;
        for (std::size_t i = threadIdx.x; i < walk.count; i += kThreads) {
            const std::size_t at = walk.begin + i / walk.width * shape.channels + i % walk.width;
            const float gradient = dy[at] * orElse(shape.weight, walk.first + i % walk.width, 1);
            sum += static_cast<double>(gradient);
            sumNormalized +=
                static_cast<double>(gradient) * static_cast<double>((x[at] - mean) * inverse);
        }
        const auto average = static_cast<float>(blockSum(sum) / static_cast<double>(walk.count));
        const auto slope =
            static_cast<float>(blockSum(sumNormalized) / static_cast<double>(walk.count));
        for (std::size_t i = threadIdx.x; i < walk.count; i += kThreads) {
            const std::size_t at = walk.begin + i / walk.width * shape.channels + i % walk.width;
            const float gradient = dy[at] * orElse(shape.weight, walk.first + i % walk.width, 1);
            dx[at] = inverse * (gradient - average - (x[at] - mean) * inverse * slope);
        }
    }
}

unsigned groupBlocks(const NormalizedGroups& shape) {
    const std::size_t all = shape.samples * shape.groups;
    return all < kMostBlocks ? static_cast<unsigned>(all) : kMostBlocks;
}

}  // namespace

void launchNormalizeRows(cudaStream_t stream, const NormalizedRows& shape, const float* x, float* y,
                         float* moments) {
    if (shape.rows == 0) return;
    normalizeRowsKernel<<<blocksForRows(shape.rows), kThreads, 0, stream>>>(shape, x, y, moments);
}

void launchRowInputGradient(cudaStream_t stream, const NormalizedRows& shape, const float* dy,
                            const float* x, const float* moments, float* dx) {
    if (shape.rows == 0) return;
    rowInputGradientKernel<<<blocksForRows(shape.rows), kThreads, 0, stream>>>(shape, dy, x,
                                                                               moments, dx);
}

void launchNormalizeGroups(cudaStream_t stream, const NormalizedGroups& shape, const float* x,
                           float* y, float* moments) {
    if (shape.samples == 0) return;
    normalizeGroupsKernel<<<groupBlocks(shape), kThreads, 0, stream>>>(shape, x, y, moments);
}

void launchGroupInputGradient(cudaStream_t stream, const NormalizedGroups& shape, const float* dy,
                              const float* x, const float* moments, float* dx) {
    if (shape.samples == 0) return;
    groupInputGradientKernel<<<groupBlocks(shape), kThreads, 0, stream>>>(shape, dy, x, moments,
                                                                          dx);
}

}  // namespace lockstep::tensor::cuda
