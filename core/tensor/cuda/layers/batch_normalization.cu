// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/batch_normalization.h"

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/layers/activate.h"

namespace lockstep::tensor::cuda {
namespace {

__global__ void batchMomentsKernel(ChannelMoments m) {
    const double counted = m.sums[2 * m.channels];
    const double count = counted > 1 ? counted : 1;
    for (std::size_t c = firstElement(); c < m.channels; c += elementStride()) {
        const double squares = m.sums[m.channels + c];
        const double mean = m.sums[c] / count;
        const double spread = squares / count - mean * mean;
        // NaN is not above 0; it must not become a variance of 0.
        const double variance = squares != squares ? squares : spread > 0 ? spread : 0;
        m.moments[c] = static_cast<float>(mean);
        m.moments[m.channels + c] =
            static_cast<float>(1.0 / sqrt(variance + static_cast<double>(m.epsilon)));
        if (!(counted > 0)) continue;  // a replica alone without samples in a small last batch
        m.runningMean[c] =
            m.momentum * m.runningMean[c] + (1 - m.momentum) * static_cast<float>(mean);
        m.runningVariance[c] =
            m.momentum * m.runningVariance[c] + (1 - m.momentum) * static_cast<float>(variance);
    }
}

__global__ void runningMomentsKernel(ChannelMoments m) {
    for (std::size_t c = firstElement(); c < m.channels; c += elementStride()) {
        m.moments[c] = m.runningMean[c];
        m.moments[m.channels + c] = 1 / sqrtf(m.runningVariance[c] + m.epsilon);
    }
}

__global__ void normalizeChannelsKernel(NormalizedChannels shape, Activate activate,
                                        std::size_t count, const float* x, float* y) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const auto c = static_cast<std::uint32_t>(i % shape.channels);
        const float inverse = shape.moments[shape.channels + c];
        const float scale = shape.weight == nullptr ? inverse : inverse * shape.weight[c];
        const float bias = shape.bias == nullptr ? 0.0F : shape.bias[c];
        y[i] = activated(activate, (x[i] - shape.moments[c]) * scale + bias);
    }
}

/// What the gradient of each channel is made of: scale, offset, slope.
__global__ void batchGradientFactorsKernel(NormalizedChannels shape, const double* sums,
                                           float* factors) {
    const double counted = sums[2 * shape.channels];
    const double count = counted > 1 ? counted : 1;
    for (std::size_t c = firstElement(); c < shape.channels; c += elementStride()) {
        const auto inverse = static_cast<double>(shape.moments[shape.channels + c]);
        const double weight = shape.weight == nullptr ? 1.0 : static_cast<double>(shape.weight[c]);
        factors[c] = static_cast<float>(weight * inverse);
        factors[shape.channels + c] = static_cast<float>(weight * inverse * sums[c] / count);
        factors[2 * shape.channels + c] =
            static_cast<float>(weight * inverse * inverse * sums[shape.channels + c] / count);
    }
}

__global__ void batchInputGradientKernel(NormalizedChannels shape, std::size_t count,
                                         const float* factors, const float* dy, const float* x,
                                         const float* y, float* dx) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const auto c = static_cast<std::uint32_t>(i % shape.channels);
        const float gradient = y == nullptr || y[i] > 0 ? dy[i] : 0.0F;
        dx[i] = gradient * factors[c] - factors[shape.channels + c] -
                (x[i] - shape.moments[c]) * factors[2 * shape.channels + c];
    }
}

}  // namespace

void launchBatchMoments(cudaStream_t stream, const ChannelMoments& shape) {
    batchMomentsKernel<<<blocksFor(shape.channels), kThreads, 0, stream>>>(shape);
}

void launchRunningMoments(cudaStream_t stream, const ChannelMoments& shape) {
    runningMomentsKernel<<<blocksFor(shape.channels), kThreads, 0, stream>>>(shape);
}

void launchNormalizeChannels(cudaStream_t stream, const NormalizedChannels& shape,
                             Activate activate, const float* x, float* y) {
    const std::size_t count = shape.rows * shape.channels;
    if (count == 0) return;
    normalizeChannelsKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, activate, count, x,
                                                                       y);
}

void launchBatchInputGradient(cudaStream_t stream, const NormalizedChannels& shape,
                              const double* sums, const float* dy, const float* x, const float* y,
                              float* factors, float* dx) {
    const std::size_t count = shape.rows * shape.channels;
    if (count == 0) return;
    batchGradientFactorsKernel<<<blocksFor(shape.channels), kThreads, 0, stream>>>(shape, sums,
                                                                                   factors);
    batchInputGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, count, factors, dy,
                                                                        x, y, dx);
}

}  // namespace lockstep::tensor::cuda
