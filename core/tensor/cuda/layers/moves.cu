// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/moves.h"

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/layers/window_walk.h"

namespace lockstep::tensor::cuda {
namespace {

/// Element of [height, width, channels] images.
__device__ std::size_t pixelAt(std::size_t sample, std::int32_t row, std::int32_t column,
                               std::int32_t channel, std::int32_t height, std::int32_t width,
                               std::int32_t channels) {
    return ((sample * static_cast<std::size_t>(height) + static_cast<std::size_t>(row)) *
                static_cast<std::size_t>(width) +
            static_cast<std::size_t>(column)) *
               static_cast<std::size_t>(channels) +
           static_cast<std::size_t>(channel);
}

__global__ void padKernel(InnerImage shape, std::size_t count, const float* inner, float* outer) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at =
            elementPlace(i, shape.outerHeight, shape.outerWidth, shape.channels);
        const std::int32_t row = at.row - shape.top;
        const std::int32_t column = at.column - shape.left;
        const bool isInner = row >= 0 && row < shape.height && column >= 0 && column < shape.width;
        outer[i] = isInner ? inner[pixelAt(at.sample, row, column, at.channel, shape.height,
                                           shape.width, shape.channels)]
                           : 0.0F;
    }
}

__global__ void cropKernel(InnerImage shape, std::size_t count, const float* outer, float* inner) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at = elementPlace(i, shape.height, shape.width, shape.channels);
        inner[i] = outer[pixelAt(at.sample, at.row + shape.top, at.column + shape.left, at.channel,
                                 shape.outerHeight, shape.outerWidth, shape.channels)];
    }
}

__global__ void upSampleKernel(UpSampledImage shape, std::size_t count, const float* x, float* y) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at = elementPlace(i, shape.height * shape.rowFactor,
                                             shape.width * shape.columnFactor, shape.channels);
        y[i] = x[pixelAt(at.sample, at.row / shape.rowFactor, at.column / shape.columnFactor,
                         at.channel, shape.height, shape.width, shape.channels)];
    }
}

__global__ void upSampleGradientKernel(UpSampledImage shape, std::size_t count, const float* dy,
                                       float* dx) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const ElementPlace at = elementPlace(i, shape.height, shape.width, shape.channels);
        float sum = 0;
        for (std::int32_t r = 0; r < shape.rowFactor; ++r)
            for (std::int32_t c = 0; c < shape.columnFactor; ++c)
                sum += dy[pixelAt(at.sample, at.row * shape.rowFactor + r,
                                  at.column * shape.columnFactor + c, at.channel,
                                  shape.height * shape.rowFactor, shape.width * shape.columnFactor,
                                  shape.channels)];
        dx[i] = sum;
    }
}

__global__ void transposeKernel(std::size_t count, std::size_t rows, std::size_t columns,
                                const float* x, float* y) {
    const std::size_t size = rows * columns;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t batch = i / size;
        const std::size_t rest = i % size;
        y[i] = x[batch * size + rest % rows * columns + rest / rows];
    }
}

__global__ void putColumnsKernel(ColumnPart part, const float* from, float* whole) {
    for (std::size_t i = firstElement(); i < part.rows * part.columns; i += elementStride())
        whole[i / part.columns * part.whole + part.first + i % part.columns] = from[i];
}

__global__ void takeColumnsKernel(ColumnPart part, const float* whole, float* to) {
    for (std::size_t i = firstElement(); i < part.rows * part.columns; i += elementStride())
        to[i] = whole[i / part.columns * part.whole + part.first + i % part.columns];
}

std::size_t pixels(std::int32_t height, std::int32_t width, std::int32_t channels) {
    return static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
           static_cast<std::size_t>(channels);
}

}  // namespace

void launchPad(cudaStream_t stream, const InnerImage& shape, const float* inner, float* outer) {
    const std::size_t count =
        shape.samples * pixels(shape.outerHeight, shape.outerWidth, shape.channels);
    if (count == 0) return;
    padKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, count, inner, outer);
}

void launchCrop(cudaStream_t stream, const InnerImage& shape, const float* outer, float* inner) {
    const std::size_t count = shape.samples * pixels(shape.height, shape.width, shape.channels);
    if (count == 0) return;
    cropKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, count, outer, inner);
}

void launchUpSample(cudaStream_t stream, const UpSampledImage& shape, const float* x, float* y) {
    const std::size_t count =
        shape.samples *
        pixels(shape.height * shape.rowFactor, shape.width * shape.columnFactor, shape.channels);
    if (count == 0) return;
    upSampleKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, count, x, y);
}

void launchUpSampleGradient(cudaStream_t stream, const UpSampledImage& shape, const float* dy,
                            float* dx) {
    const std::size_t count = shape.samples * pixels(shape.height, shape.width, shape.channels);
    if (count == 0) return;
    upSampleGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, count, dy, dx);
}

void launchTranspose(cudaStream_t stream, std::size_t batch, std::size_t rows, std::size_t columns,
                     const float* x, float* y) {
    const std::size_t count = batch * rows * columns;
    if (count == 0) return;
    transposeKernel<<<blocksFor(count), kThreads, 0, stream>>>(count, rows, columns, x, y);
}

void launchPutColumns(cudaStream_t stream, const ColumnPart& part, const float* from,
                      float* whole) {
    const std::size_t count = part.rows * part.columns;
    if (count == 0) return;
    putColumnsKernel<<<blocksFor(count), kThreads, 0, stream>>>(part, from, whole);
}

void launchTakeColumns(cudaStream_t stream, const ColumnPart& part, const float* whole, float* to) {
    const std::size_t count = part.rows * part.columns;
    if (count == 0) return;
    takeColumnsKernel<<<blocksFor(count), kThreads, 0, stream>>>(part, whole, to);
}

}  // namespace lockstep::tensor::cuda
