// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/pooling.h"

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

/// The first NaN stays.
__device__ float largerOrNan(float before, float value) {
    return value <= before || before != before ? before : value;
}

__device__ bool holdsMaximum(float x, float largest) {
    return x == largest || x != x;
}

__global__ void maxPoolingKernel(WindowWalk walk, std::size_t count, bool relu, const float* x,
                                 float* y) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at =
            elementPlace(i, walk.rows.places, walk.columns.places, walk.channels);
        const float* image = x + at.sample * walk.imageSize();
        bool isFirst = true;
        float largest = 0;
        for (std::int32_t r = 0; r < walk.rows.taps; ++r) {
            const std::int32_t row = walk.rows.position(at.row, r);
            if (!walk.rows.isInside(row)) continue;
            for (std::int32_t c = 0; c < walk.columns.taps; ++c) {
                const std::int32_t column = walk.columns.position(at.column, c);
                if (!walk.columns.isInside(column)) continue;
                const float value = image[walk.pixel(row, column, at.channel)];
                largest = isFirst ? value : largerOrNan(largest, value);
                isFirst = false;
            }
        }
        y[i] = relu && largest < 0 ? 0.0F : largest;
    }
}

/// Whether the tap (r, c) is the first of its window that holds the window's maximum.
__device__ bool isFirstMaximum(const WindowWalk& walk, const float* image, ElementPlace at,
                               std::int32_t placeRow, std::int32_t placeColumn, std::int32_t r,
                               std::int32_t c, float largest) {
    for (std::int32_t i = 0; i <= r; ++i) {
        const std::int32_t row = walk.rows.position(placeRow, i);
        if (!walk.rows.isInside(row)) continue;
        const std::int32_t end = i == r ? c : walk.columns.taps;
        for (std::int32_t j = 0; j < end; ++j) {
            const std::int32_t column = walk.columns.position(placeColumn, j);
            if (!walk.columns.isInside(column)) continue;
            if (holdsMaximum(image[walk.pixel(row, column, at.channel)], largest)) return false;
        }
    }
    return true;
}

__global__ void maxPoolingGradientKernel(WindowWalk walk, std::size_t count, bool relu,
                                         const float* x, const float* y, const float* dy,
                                         float* dx) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at =
            elementPlace(i, walk.rows.extent, walk.columns.extent, walk.channels);
        const float* image = x + at.sample * walk.imageSize();
        const float mine = x[i];
        float sum = 0;
        for (std::int32_t r = walk.rows.taps; r-- > 0;) {
            const std::int32_t row = walk.rows.placeOf(at.row, r);
            if (row < 0) continue;
            for (std::int32_t c = walk.columns.taps; c-- > 0;) {
                const std::int32_t column = walk.columns.placeOf(at.column, c);
                if (column < 0) continue;
                const std::size_t place =
                    (at.sample * walk.placeCount() + walk.place(row, column)) *
                        static_cast<std::size_t>(walk.channels) +
                    static_cast<std::size_t>(at.channel);
                if (relu && !(y[place] > 0)) continue;
                if (holdsMaximum(mine, y[place]) &&
                    isFirstMaximum(walk, image, at, row, column, r, c, y[place]))
                    sum += dy[place];
            }
        }
        dx[i] = sum;
    }
}

__global__ void averagePoolingKernel(WindowWalk walk, std::size_t count, const float* x, float* y) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at =
            elementPlace(i, walk.rows.places, walk.columns.places, walk.channels);
        const float* image = x + at.sample * walk.imageSize();
        float sum = 0;
        for (std::int32_t r = 0; r < walk.rows.taps; ++r) {
            const std::int32_t row = walk.rows.position(at.row, r);
            if (!walk.rows.isInside(row)) continue;
            for (std::int32_t c = 0; c < walk.columns.taps; ++c) {
                const std::int32_t column = walk.columns.position(at.column, c);
                if (walk.columns.isInside(column))
                    sum += image[walk.pixel(row, column, at.channel)];
            }
        }
        const std::int32_t pixels =
            walk.rows.tapsInside(at.row) * walk.columns.tapsInside(at.column);
        y[i] = sum / static_cast<float>(pixels);
    }
}

__global__ void averagePoolingGradientKernel(WindowWalk walk, std::size_t count, const float* dy,
                                             float* dx) {
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
                const std::size_t place =
                    (at.sample * walk.placeCount() + walk.place(row, column)) *
                        static_cast<std::size_t>(walk.channels) +
                    static_cast<std::size_t>(at.channel);
                const std::int32_t pixels =
                    walk.rows.tapsInside(row) * walk.columns.tapsInside(column);
                sum += dy[place] / static_cast<float>(pixels);
            }
        }
        dx[i] = sum;
    }
}

/// A thread takes a channel of a sample, as in the next ones.
__global__ void globalMaxKernel(GlobalPlaces shape, const float* x, float* y) {
    const std::size_t count = shape.samples * shape.channels;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const float* from =
            x + i / shape.channels * shape.places * shape.channels + i % shape.channels;
        float largest = from[0];
        for (std::size_t place = 1; place < shape.places; ++place)
            largest = largerOrNan(largest, from[place * shape.channels]);
        y[i] = largest;
    }
}

__global__ void globalMaxGradientKernel(GlobalPlaces shape, const float* x, const float* y,
                                        const float* dy, float* dx) {
    const std::size_t count = shape.samples * shape.channels;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t begin =
            i / shape.channels * shape.places * shape.channels + i % shape.channels;
        float waiting = dy[i];
        for (std::size_t place = 0; place < shape.places; ++place) {
            const std::size_t at = begin + place * shape.channels;
            const bool isIt = holdsMaximum(x[at], y[i]);
            dx[at] = isIt ? waiting : 0.0F;
            if (isIt) waiting = 0;
        }
    }
}

__global__ void globalAverageKernel(GlobalPlaces shape, const float* x, float* y) {
    const std::size_t count = shape.samples * shape.channels;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const float* from =
            x + i / shape.channels * shape.places * shape.channels + i % shape.channels;
        double sum = 0;
        for (std::size_t place = 0; place < shape.places; ++place)
            sum += static_cast<double>(from[place * shape.channels]);
        y[i] = static_cast<float>(sum / static_cast<double>(shape.places));
    }
}

__global__ void globalAverageGradientKernel(GlobalPlaces shape, const float* dy, float* dx) {
    const std::size_t image = shape.places * shape.channels;
    for (std::size_t i = firstElement(); i < shape.samples * image; i += elementStride())
        dx[i] =
            dy[i / image * shape.channels + i % shape.channels] / static_cast<float>(shape.places);
}

std::size_t results(const WindowWalk& walk, std::size_t samples) {
    return samples * walk.placeCount() * static_cast<std::size_t>(walk.channels);
}

}  // namespace

void launchMaxPooling(cudaStream_t stream, const WindowWalk& walk, std::size_t samples, bool relu,
                      const float* x, float* y) {
    const std::size_t count = results(walk, samples);
    if (count == 0) return;
    maxPoolingKernel<<<blocksFor(count), kThreads, 0, stream>>>(walk, count, relu, x, y);
}

void launchMaxPoolingGradient(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                              bool relu, const float* x, const float* y, const float* dy,
                              float* dx) {
    const std::size_t count = samples * walk.imageSize();
    if (count == 0) return;
    maxPoolingGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(walk, count, relu, x, y, dy,
                                                                        dx);
}

void launchAveragePooling(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                          const float* x, float* y) {
    const std::size_t count = results(walk, samples);
    if (count == 0) return;
    averagePoolingKernel<<<blocksFor(count), kThreads, 0, stream>>>(walk, count, x, y);
}

void launchAveragePoolingGradient(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                                  const float* dy, float* dx) {
    const std::size_t count = samples * walk.imageSize();
    if (count == 0) return;
    averagePoolingGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(walk, count, dy, dx);
}

void launchGlobalMax(cudaStream_t stream, const GlobalPlaces& shape, const float* x, float* y) {
    const std::size_t count = shape.samples * shape.channels;
    if (count == 0) return;
    globalMaxKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, x, y);
}

void launchGlobalMaxGradient(cudaStream_t stream, const GlobalPlaces& shape, const float* x,
                             const float* y, const float* dy, float* dx) {
    const std::size_t count = shape.samples * shape.channels;
    if (count == 0) return;
    globalMaxGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, x, y, dy, dx);
}

void launchGlobalAverage(cudaStream_t stream, const GlobalPlaces& shape, const float* x, float* y) {
    const std::size_t count = shape.samples * shape.channels;
    if (count == 0) return;
    globalAverageKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, x, y);
}

void launchGlobalAverageGradient(cudaStream_t stream, const GlobalPlaces& shape, const float* dy,
                                 float* dx) {
    const std::size_t count = shape.samples * shape.places * shape.channels;
    if (count == 0) return;
    globalAverageGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, dy, dx);
}

}  // namespace lockstep::tensor::cuda
