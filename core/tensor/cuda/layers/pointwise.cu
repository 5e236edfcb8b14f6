// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/pointwise.h"

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/layers/activate.h"

namespace lockstep::tensor::cuda {
namespace {

__global__ void activateKernel(Activate activate, const float* x, float* y, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        y[i] = activated(activate, x[i]);
}

__global__ void activationGradientKernel(Activate activate, const float* dy, const float* value,
                                         float* dx, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        dx[i] = gradientOf(activate, dy[i], value[i]);
}

__global__ void biasActivateKernel(Activate activate, const float* bias, float* y,
                                   std::size_t count, std::size_t columns) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        y[i] = activated(activate, bias == nullptr ? y[i] : y[i] + bias[i % columns]);
}

__global__ void addKernel(Activate activate, const float* a, const float* b, float* y,
                          std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        y[i] = activated(activate, a[i] + b[i]);
}

__global__ void maskedAddKernel(const float* a, const float* b, const float* value, float* y,
                                std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        y[i] = maskedByRelu(a[i] + b[i], value[i]);
}

__global__ void multiplyKernel(const float* a, const float* b, float* y, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        y[i] = a[i] * b[i];
}

__global__ void affineKernel(AffineColumns affine, const float* x, float* y, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::size_t column = i % affine.columns;
        const float scaled = x[i] * affine.scale[affine.scales == 1 ? 0 : column];
        const float offset =
            affine.offset == nullptr ? 0.0F : affine.offset[affine.offsets == 1 ? 0 : column];
        y[i] = scaled + offset;
    }
}

/// A warp takes a row, as in the next.
__global__ void softmaxKernel(const float* x, float* y, std::size_t rows, std::size_t columns) {
    const unsigned lane = threadIdx.x % kWarp;
    for (std::size_t r = firstWarp(); r < rows; r += warpStride()) {
        const float* from = x + r * columns;
        float* to = y + r * columns;
        float largest = from[0];
        for (std::size_t c = lane; c < columns; c += kWarp)
            largest = from[c] > largest ? from[c] : largest;
        largest = warpLargest(largest);
        float sum = 0;
        for (std::size_t c = lane; c < columns; c += kWarp)
            sum += expf(from[c] - largest);
        const float factor = 1.0F / warpSum(sum);
        for (std::size_t c = lane; c < columns; c += kWarp)
            to[c] = expf(from[c] - largest) * factor;
        __syncwarp();
    }
}

__global__ void softmaxGradientKernel(const float* dy, const float* y, float* dx, std::size_t rows,
                                      std::size_t columns) {
    const unsigned lane = threadIdx.x % kWarp;
    for (std::size_t r = firstWarp(); r < rows; r += warpStride()) {
        const std::size_t begin = r * columns;
        float sum = 0;
        for (std::size_t c = lane; c < columns; c += kWarp)
            sum += dy[begin + c] * y[begin + c];
        sum = warpSum(sum);
        for (std::size_t c = lane; c < columns; c += kWarp)
            dx[begin + c] = y[begin + c] * (dy[begin + c] - sum);
        __syncwarp();
    }
}

}  // namespace

void launchActivate(cudaStream_t stream, Activate activate, const float* x, float* y,
                    std::size_t count) {
    if (count == 0) return;
    activateKernel<<<blocksFor(count), kThreads, 0, stream>>>(activate, x, y, count);
}

void launchActivationGradient(cudaStream_t stream, Activate activate, const float* dy,
                              const float* value, float* dx, std::size_t count) {
    if (count == 0) return;
    activationGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(activate, dy, value, dx,
                                                                        count);
}

void launchBiasActivate(cudaStream_t stream, Activate activate, const float* bias, float* y,
                        std::size_t rows, std::size_t columns) {
    const std::size_t count = rows * columns;
    if (count == 0 || (bias == nullptr && activate.function == PointFunction::Linear)) return;
    biasActivateKernel<<<blocksFor(count), kThreads, 0, stream>>>(activate, bias, y, count,
                                                                  columns);
}

void launchAdd(cudaStream_t stream, Activate activate, const float* a, const float* b, float* y,
               std::size_t count) {
    if (count == 0) return;
    addKernel<<<blocksFor(count), kThreads, 0, stream>>>(activate, a, b, y, count);
}

void launchMaskedAdd(cudaStream_t stream, const float* a, const float* b, const float* value,
                     float* y, std::size_t count) {
    if (count == 0) return;
    maskedAddKernel<<<blocksFor(count), kThreads, 0, stream>>>(a, b, value, y, count);
}

void launchMultiply(cudaStream_t stream, const float* a, const float* b, float* y,
                    std::size_t count) {
    if (count == 0) return;
    multiplyKernel<<<blocksFor(count), kThreads, 0, stream>>>(a, b, y, count);
}

void launchAffine(cudaStream_t stream, const AffineColumns& affine, const float* x, float* y,
                  std::size_t count) {
    if (count == 0) return;
    affineKernel<<<blocksFor(count), kThreads, 0, stream>>>(affine, x, y, count);
}

void launchSoftmax(cudaStream_t stream, const float* x, float* y, std::size_t rows,
                   std::size_t columns) {
    if (rows == 0) return;
    softmaxKernel<<<blocksForRows(rows), kThreads, 0, stream>>>(x, y, rows, columns);
}

void launchSoftmaxGradient(cudaStream_t stream, const float* dy, const float* y, float* dx,
                           std::size_t rows, std::size_t columns) {
    if (rows == 0) return;
    softmaxGradientKernel<<<blocksForRows(rows), kThreads, 0, stream>>>(dy, y, dx, rows, columns);
}

}  // namespace lockstep::tensor::cuda
