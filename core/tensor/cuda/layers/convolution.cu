// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/convolution.h"

#include <cuda_bf16.h>

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/divisor.h"
#include "core/tensor/cuda/kernels.h"

namespace lockstep::tensor::cuda {
namespace {

std::int32_t channelsAtOnce(const WindowWalk& walk) {
    return walk.channels % kQuad == 0 ? static_cast<std::int32_t>(kQuad) : 1;
}
Divisor divisorOf(std::size_t value) {
    return Divisor(static_cast<std::uint32_t>(value));
}

/// The windows' pixels as they lie side by side, some channels at once.
struct WindowColumns {
    WindowColumns(const WindowWalk& windows, std::int32_t atOnce)
        : walk(windows),
          channels(divisorOf(static_cast<std::size_t>(walk.channels / atOnce))),
          width(divisorOf(walk.tapCount() * channels.value())),
          tapColumns(divisorOf(static_cast<std::size_t>(walk.columns.taps))),
          places(divisorOf(walk.placeCount())),
          placeColumns(divisorOf(static_cast<std::size_t>(walk.columns.places))) {}

    WindowWalk walk;
    Divisor channels;
    Divisor width;
    Divisor tapColumns;
    Divisor places;
    Divisor placeColumns;
};

/// Where number i of the columns lies in the images, in numbers of as many channels; kPadding: it
/// lies beside them.
constexpr std::size_t kPadding = ~std::size_t{0};
__device__ std::size_t pixelBelow(const WindowColumns& c, std::size_t i) {
    const std::size_t window = c.width.quotient(i);
    const auto inWindow = static_cast<std::uint32_t>(i - window * c.width.value());
    const std::uint32_t tap = c.channels.smallQuotient(inWindow);
    const std::uint32_t channel = inWindow - tap * c.channels.value();
    const std::size_t sample = c.places.quotient(window);
    const auto place = static_cast<std::uint32_t>(window - sample * c.places.value());
    const std::uint32_t placeRow = c.placeColumns.smallQuotient(place);
    const std::uint32_t tapRow = c.tapColumns.smallQuotient(tap);
    const std::int32_t row = c.walk.rows.position(static_cast<std::int32_t>(placeRow),
                                                  static_cast<std::int32_t>(tapRow));
    const std::int32_t column = c.walk.columns.position(
        static_cast<std::int32_t>(place - placeRow * c.placeColumns.value()),
        static_cast<std::int32_t>(tap - tapRow * c.tapColumns.value()));
    if (!c.walk.rows.isInside(row) || !c.walk.columns.isInside(column)) return kPadding;
    const std::size_t pixel =
        (sample * static_cast<std::size_t>(c.walk.rows.extent) + static_cast<std::size_t>(row)) *
            static_cast<std::size_t>(c.walk.columns.extent) +
        static_cast<std::size_t>(column);
    return pixel * c.channels.value() + channel;
}

/// A thread takes a pixel of a window: neighbours read and write neighbouring channels.
template <typename T>
__global__ void gatherWindowsKernel(WindowColumns windows, std::size_t count, const float* x,
                                    T* columns) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t from = pixelBelow(windows, i);
        columns[i] = static_cast<T>(from == kPadding ? 0.0F : x[from]);
    }
}

/// The same by kQuad channels.
template <typename T>
__global__ void gatherQuadsKernel(WindowColumns windows, std::size_t count, const Quad<float>* x,
                                  Quad<T>* columns) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t from = pixelBelow(windows, i);
        const Quad<float> pixels = from == kPadding ? Quad<float>{} : x[from];
        Quad<T> to;
        for (unsigned c = 0; c < kQuad; ++c)
            to.values[c] = static_cast<T>(pixels.values[c]);
        columns[i] = to;
    }
}

/// Images' pixels, some channels at once.
struct ImagePixels {
    ImagePixels(const WindowWalk& windows, std::int32_t atOnce)
        : walk(windows),
          channels(divisorOf(static_cast<std::size_t>(walk.channels / atOnce))),
          columns(divisorOf(static_cast<std::size_t>(walk.columns.extent))),
          rows(divisorOf(static_cast<std::size_t>(walk.rows.extent))) {}

    [[nodiscard]] LS_BOTH ElementPlace at(std::size_t i) const {
        const std::size_t pixel = channels.quotient(i);
        const std::size_t line = columns.quotient(pixel);
        const std::size_t sample = rows.quotient(line);
        return {sample, static_cast<std::int32_t>(line - sample * rows.value()),
                static_cast<std::int32_t>(pixel - line * columns.value()),
                static_cast<std::int32_t>(i - pixel * channels.value())};
    }

    WindowWalk walk;
    Divisor channels;
    Divisor columns;
    Divisor rows;
};

/// add(number of the columns) for all that have the pixel, in the windows' order.
template <typename Add>
__device__ void forWindowsAbove(const ImagePixels& image, const ElementPlace& at, const Add& add) {
    const WindowWalk& walk = image.walk;
    const std::size_t channels = image.channels.value();
    const std::size_t width = walk.tapCount() * channels;
    for (std::int32_t r = walk.rows.taps; r-- > 0;) {
        const std::int32_t row = walk.rows.placeOf(at.row, r);
        if (row < 0) continue;
        for (std::int32_t c = walk.columns.taps; c-- > 0;) {
            const std::int32_t column = walk.columns.placeOf(at.column, c);
            if (column < 0) continue;
            const std::size_t window = at.sample * walk.placeCount() + walk.place(row, column);
            const auto tap = static_cast<std::size_t>(r * walk.columns.taps + c);
            add(window * width + tap * channels + static_cast<std::size_t>(at.channel));
        }
    }
}

__global__ void scatterWindowsKernel(ImagePixels image, std::size_t count, const float* columns,
                                     float* dx) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        float sum = 0;
        forWindowsAbove(image, image.at(i), [&](std::size_t from) { sum += columns[from]; });
        dx[i] = sum;
    }
}

/// The same by kQuad channels.
__global__ void scatterQuadsKernel(ImagePixels image, std::size_t count, const Quad<float>* columns,
                                   Quad<float>* dx) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        Quad<float> sum{};
        forWindowsAbove(image, image.at(i), [&](std::size_t from) {
            const Quad<float> more = columns[from];
            for (unsigned c = 0; c < kQuad; ++c)
                sum.values[c] += more.values[c];
        });
        dx[i] = sum;
    }
}

template <typename T>
__global__ void weightByTapsKernel(std::size_t count, Divisor channels, Divisor taps,
                                   const float* weight, T* byTaps) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t line = channels.quotient(i);  // taps of filters
        const std::size_t filter = taps.quotient(line);
        const std::size_t channel = i - line * channels.value();
        const std::size_t tap = line - filter * taps.value();
        byTaps[i] =
            static_cast<T>(weight[(filter * channels.value() + channel) * taps.value() + tap]);
    }
}

template <typename T>
__global__ void weightTurnedKernel(std::size_t count, Divisor filters, Divisor taps,
                                   std::size_t channels, const float* weight, T* turned) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t line = filters.quotient(i);  // taps of channels
        const std::size_t channel = taps.quotient(line);
        const std::size_t filter = i - line * filters.value();
        const std::size_t tap = taps.value() - 1 - (line - channel * taps.value());
        turned[i] = static_cast<T>(weight[(filter * channels + channel) * taps.value() + tap]);
    }
}

__global__ void weightByChannelsKernel(std::size_t count, Divisor channels, Divisor taps,
                                       const float* byTaps, float* weight) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t line = taps.quotient(i);  // channels of filters
        const std::size_t filter = channels.quotient(line);
        const std::size_t tap = i - line * taps.value();
        const std::size_t channel = line - filter * channels.value();
        weight[i] = byTaps[(filter * taps.value() + tap) * channels.value() + channel];
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
    const std::int32_t atOnce = channelsAtOnce(walk);
    const WindowColumns windows(walk, atOnce);
    const std::size_t count = samples * walk.placeCount() * windows.width.value();
    if (count == 0) return;
    if (atOnce > 1)
        gatherQuadsKernel<T><<<blocksFor(count), kThreads, 0, stream>>>(windows, count, quadsOf(x),
                                                                        quadsOf(columns));
    else
        gatherWindowsKernel<T>
            <<<blocksFor(count), kThreads, 0, stream>>>(windows, count, x, columns);
}

void launchScatterWindows(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                          const float* columns, float* dx) {
    const std::int32_t atOnce = channelsAtOnce(walk);
    const std::size_t count = samples * walk.imageSize() / static_cast<std::size_t>(atOnce);
    if (count == 0) return;
    const ImagePixels image(walk, atOnce);
    if (atOnce > 1)
        scatterQuadsKernel<<<blocksFor(count), kThreads, 0, stream>>>(
            image, count, quadsOf(columns), quadsOf(dx));
    else
        scatterWindowsKernel<<<blocksFor(count), kThreads, 0, stream>>>(image, count, columns, dx);
}

template <typename T>
void launchWeightByTaps(cudaStream_t stream, std::size_t filters, std::size_t channels,
                        std::size_t taps, const float* weight, T* byTaps) {
    const std::size_t count = filters * channels * taps;
    weightByTapsKernel<T><<<blocksFor(count), kThreads, 0, stream>>>(
        count, divisorOf(channels), divisorOf(taps), weight, byTaps);
}

template <typename T>
void launchWeightTurned(cudaStream_t stream, std::size_t filters, std::size_t channels,
                        std::size_t taps, const float* weight, T* turned) {
    const std::size_t count = filters * channels * taps;
    weightTurnedKernel<T><<<blocksFor(count), kThreads, 0, stream>>>(
        count, divisorOf(filters), divisorOf(taps), channels, weight, turned);
}

void launchWeightByChannels(cudaStream_t stream, std::size_t filters, std::size_t channels,
                            std::size_t taps, const float* byTaps, float* weight) {
    const std::size_t count = filters * channels * taps;
    weightByChannelsKernel<<<blocksFor(count), kThreads, 0, stream>>>(
        count, divisorOf(channels), divisorOf(taps), byTaps, weight);
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
template void launchWeightTurned<float>(cudaStream_t, std::size_t, std::size_t, std::size_t,
                                        const float*, float*);
template void launchWeightTurned<BFloat>(cudaStream_t, std::size_t, std::size_t, std::size_t,
                                         const float*, BFloat*);

}  // namespace lockstep::tensor::cuda
