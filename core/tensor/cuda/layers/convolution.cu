// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/convolution.h"

#include <cuda_bf16.h>

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/kernels.h"

namespace lockstep::tensor::cuda {
namespace {

/// A thread takes a pixel of a window: neighbours read and write neighbouring channels.
template <typename T>
__global__ void gatherWindowsKernel(WindowWalk walk, std::size_t count, const float* x,
                                    T* columns) {
    const std::size_t width = walk.tapCount() * static_cast<std::size_t>(walk.channels);
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t window = i / width;
        const auto rest = static_cast<std::uint32_t>(i - window * width);
        const auto tap =
            static_cast<std::int32_t>(rest / static_cast<std::uint32_t>(walk.channels));
        const auto channel =
            static_cast<std::int32_t>(rest % static_cast<std::uint32_t>(walk.channels));
        const ElementPlace at = elementPlace(window, walk.rows.places, walk.columns.places, 1);
        const std::int32_t row = walk.rows.position(at.row, tap / walk.columns.taps);
        const std::int32_t column = walk.columns.position(at.column, tap % walk.columns.taps);
        const bool isInside = walk.rows.isInside(row) && walk.columns.isInside(column);
        columns[i] = static_cast<T>(
            isInside ? x[at.sample * walk.imageSize() + walk.pixel(row, column, channel)] : 0.0F);
    }
}

__global__ void scatterWindowsKernel(WindowWalk walk, std::size_t count, const float* columns,
                                     float* dx) {
    const auto channels = static_cast<std::size_t>(walk.channels);
    const std::size_t width = walk.tapCount() * channels;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at =
            elementPlace(i, walk.rows.extent, walk.columns.extent, walk.channels);
        float sum = 0;
        for (std::int32_t r = walk.rows.taps; r-- > 0;) {
            const std::int32_t row = walk.rows.placeOf(at.row, r);
            if (row < 0) continue;
            for (std::int32_t c = walk.columns.taps; c-- > 0;) {
                const std::int32_t column = walk.columns.placeOf(at.column, c);
                if (column < 0) continue;
                const std::size_t window = at.sample * walk.placeCount() + walk.place(row, column);
                const auto tap = static_cast<std::size_t>(r * walk.columns.taps + c);
                sum +=
                    columns[window * width + tap * channels + static_cast<std::size_t>(at.channel)];
            }
        }
        dx[i] = sum;
    }
}

template <typename T>
__global__ void weightByTapsKernel(std::size_t count, std::size_t channels, std::size_t taps,
                                   const float* weight, T* byTaps) {
    const std::size_t size = channels * taps;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t rest = i % size;
        byTaps[i] = static_cast<T>(weight[i - rest + rest % channels * taps + rest / channels]);
    }
}

__global__ void weightByChannelsKernel(std::size_t count, std::size_t channels, std::size_t taps,
                                       const float* byTaps, float* weight) {
    const std::size_t size = channels * taps;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t rest = i % size;
        weight[i] = byTaps[i - rest + rest % taps * channels + rest / taps];
    }
}

__global__ void groupedForwardKernel(GroupedConvolution shape, std::size_t count, const float* x,
                                     const float* weight, float* y) {
    const WindowWalk& walk = shape.walk;
    const std::int32_t inGroup = walk.channels / shape.groups;
    const std::int32_t outGroup = shape.filters / shape.groups;
    const auto taps = static_cast<std::int32_t>(walk.tapCount());
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at =
            elementPlace(i, walk.rows.places, walk.columns.places, shape.filters);
        const float* image = x + at.sample * walk.imageSize();
        const float* kernel = weight + static_cast<std::size_t>(at.channel) *
                                           static_cast<std::size_t>(inGroup * taps);
        const std::int32_t first = at.channel / outGroup * inGroup;
        float sum = 0;
        for (std::int32_t tap = 0; tap < taps; ++tap) {
            const std::int32_t row = walk.rows.position(at.row, tap / walk.columns.taps);
            const std::int32_t column = walk.columns.position(at.column, tap % walk.columns.taps);
            if (!walk.rows.isInside(row) || !walk.columns.isInside(column)) continue;
            for (std::int32_t c = 0; c < inGroup; ++c)
                sum += image[walk.pixel(row, column, first + c)] * kernel[c * taps + tap];
        }
        y[i] = sum;
    }
}

__global__ void groupedInputGradientKernel(GroupedConvolution shape, std::size_t count,
                                           const float* dy, const float* weight, float* dx) {
    const WindowWalk& walk = shape.walk;
    const std::int32_t inGroup = walk.channels / shape.groups;
    const std::int32_t outGroup = shape.filters / shape.groups;
    const auto taps = static_cast<std::int32_t>(walk.tapCount());
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at =
            elementPlace(i, walk.rows.extent, walk.columns.extent, walk.channels);
        const std::int32_t group = at.channel / inGroup;
        const std::int32_t inside = at.channel % inGroup;
        float sum = 0;
        for (std::int32_t tap = taps; tap-- > 0;) {
            const std::int32_t row = walk.rows.placeOf(at.row, tap / walk.columns.taps);
            const std::int32_t column = walk.columns.placeOf(at.column, tap % walk.columns.taps);
            if (row < 0 || column < 0) continue;
            const float* result = dy + (at.sample * walk.placeCount() + walk.place(row, column)) *
                                           static_cast<std::size_t>(shape.filters);
            for (std::int32_t f = group * outGroup; f < (group + 1) * outGroup; ++f)
                sum +=
                    result[f] *
                    weight[static_cast<std::size_t>(f) * static_cast<std::size_t>(inGroup * taps) +
                           static_cast<std::size_t>(inside * taps + tap)];
        }
        dx[i] = sum;
    }
}

/// The lane's part of the gradient of a filter's weight at a tap of a channel of its group.
__device__ float groupedWeightPart(const GroupedConvolution& shape, std::size_t windows,
                                   std::int32_t filter, std::int32_t inside, std::int32_t tap,
                                   const float* x, const float* dy) {
    const WindowWalk& walk = shape.walk;
    const std::int32_t inGroup = walk.channels / shape.groups;
    const std::int32_t channel = filter / (shape.filters / shape.groups) * inGroup + inside;
    float sum = 0;
    for (std::size_t window = threadIdx.y; window < windows; window += kSumLanes) {
        const ElementPlace at = elementPlace(window, walk.rows.places, walk.columns.places, 1);
        const std::int32_t row = walk.rows.position(at.row, tap / walk.columns.taps);
        const std::int32_t column = walk.columns.position(at.column, tap % walk.columns.taps);
        if (!walk.rows.isInside(row) || !walk.columns.isInside(column)) continue;
        sum +=
            x[at.sample * walk.imageSize() + walk.pixel(row, column, channel)] *
            dy[window * static_cast<std::size_t>(shape.filters) + static_cast<std::size_t>(filter)];
    }
    return sum;
}

/// A block takes kSumColumns filters and one place of their weights after the other; lanes take
/// windows in turn, and are added in their order.
__global__ void groupedWeightGradientKernel(GroupedConvolution shape, std::size_t windows,
                                            const float* x, const float* dy, float* dWeight) {
    __shared__ float partial[kSumLanes][kSumColumns];
    const auto taps = static_cast<std::int32_t>(shape.walk.tapCount());
    const std::int32_t places = shape.walk.channels / shape.groups * taps;
    const auto filter = static_cast<std::int32_t>(blockIdx.x * kSumColumns + threadIdx.x);
    const bool isFilter = filter < shape.filters;
    for (auto place = static_cast<std::int32_t>(blockIdx.y); place < places;
         place += static_cast<std::int32_t>(gridDim.y)) {
        partial[threadIdx.y][threadIdx.x] =
            isFilter ? groupedWeightPart(shape, windows, filter, place / taps, place % taps, x, dy)
                     : 0.0F;
        __syncthreads();
        if (threadIdx.y == 0 && isFilter) {
            float total = 0;
            for (unsigned lane = 0; lane < kSumLanes; ++lane)
                total += partial[lane][threadIdx.x];
            dWeight[static_cast<std::size_t>(filter) * static_cast<std::size_t>(places) +
                    static_cast<std::size_t>(place)] = total;
        }
        __syncthreads();
    }
}

}  // namespace

template <typename T>
void launchGatherWindows(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                         const float* x, T* columns) {
    const std::size_t count =
        samples * walk.placeCount() * walk.tapCount() * static_cast<std::size_t>(walk.channels);
    if (count == 0) return;
    gatherWindowsKernel<T><<<blocksFor(count), kThreads, 0, stream>>>(walk, count, x, columns);
}

void launchScatterWindows(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                          const float* columns, float* dx) {
    const std::size_t count = samples * walk.imageSize();
    if (count == 0) return;
    scatterWindowsKernel<<<blocksFor(count), kThreads, 0, stream>>>(walk, count, columns, dx);
}

template <typename T>
void launchWeightByTaps(cudaStream_t stream, std::size_t filters, std::size_t channels,
                        std::size_t taps, const float* weight, T* byTaps) {
    const std::size_t count = filters * channels * taps;
    weightByTapsKernel<T>
        <<<blocksFor(count), kThreads, 0, stream>>>(count, channels, taps, weight, byTaps);
}

void launchWeightByChannels(cudaStream_t stream, std::size_t filters, std::size_t channels,
                            std::size_t taps, const float* byTaps, float* weight) {
    const std::size_t count = filters * channels * taps;
    weightByChannelsKernel<<<blocksFor(count), kThreads, 0, stream>>>(count, channels, taps, byTaps,
                                                                      weight);
}

void launchGroupedForward(cudaStream_t stream, const GroupedConvolution& shape, std::size_t samples,
                          const float* x, const float* weight, float* y) {
    const std::size_t count =
        samples * shape.walk.placeCount() * static_cast<std::size_t>(shape.filters);
    if (count == 0) return;
    groupedForwardKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, count, x, weight, y);
}

void launchGroupedInputGradient(cudaStream_t stream, const GroupedConvolution& shape,
                                std::size_t samples, const float* dy, const float* weight,
                                float* dx) {
    const std::size_t count = samples * shape.walk.imageSize();
    if (count == 0) return;
    groupedInputGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, count, dy, weight,
                                                                          dx);
}

void launchGroupedWeightGradient(cudaStream_t stream, const GroupedConvolution& shape,
                                 std::size_t samples, const float* x, const float* dy,
                                 float* dWeight) {
    const auto filters = static_cast<unsigned>(shape.filters);
    const auto inGroup = static_cast<std::size_t>(shape.walk.channels / shape.groups);
    const dim3 blocks((filters + kSumColumns - 1) / kSumColumns,
                      blocksAside(inGroup * shape.walk.tapCount()));
    groupedWeightGradientKernel<<<blocks, dim3(kSumColumns, kSumLanes), 0, stream>>>(
        shape, samples * shape.walk.placeCount(), x, dy, dWeight);
}

template void launchGatherWindows<float>(cudaStream_t, const WindowWalk&, std::size_t, const float*,
                                         float*);
template void launchGatherWindows<BFloat>(cudaStream_t, const WindowWalk&, std::size_t,
                                          const float*, BFloat*);
template void launchWeightByTaps<float>(cudaStream_t, std::size_t, std::size_t, std::size_t,
                                        const float*, float*);
template void launchWeightByTaps<BFloat>(cudaStream_t, std::size_t, std::size_t, std::size_t,
                                         const float*, BFloat*);

}  // namespace lockstep::tensor::cuda
