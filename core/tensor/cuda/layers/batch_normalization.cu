// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/batch_normalization.h"

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/divisor.h"
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

__device__ float normalizedAt(float x, float mean, float inverse, float weight, float bias) {
    return (x - mean) * (inverse * weight) + bias;
}

__global__ void normalizeChannelsKernel(NormalizedChannels shape, Divisor channels,
                                        Activate activate, std::size_t count, const float* x,
                                        float* y) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::uint32_t c = channels.remainder(i);
        const float value = normalizedAt(x[i], shape.moments[c], shape.moments[shape.channels + c],
                                         shape.weight == nullptr ? 1.0F : shape.weight[c],
                                         shape.bias == nullptr ? 0.0F : shape.bias[c]);
        y[i] = activated(activate, value);
    }
}

__device__ Quad<float> quadOr(const float* numbers, std::uint32_t at, float otherwise) {
    if (numbers == nullptr) return {{otherwise, otherwise, otherwise, otherwise}};
    return quadsOf(numbers)[at];
}

/// The same by quads of channels.
__global__ void normalizeQuadsKernel(NormalizedChannels shape, Divisor quads, Activate activate,
                                     std::size_t count, const Quad<float>* x, Quad<float>* y) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::uint32_t q = quads.remainder(i);
        const Quad<float> mean = quadsOf(shape.moments)[q];
        const Quad<float> inverse = quadsOf(shape.moments)[quads.value() + q];
        const Quad<float> weight = quadOr(shape.weight, q, 1);
        const Quad<float> bias = quadOr(shape.bias, q, 0);
        Quad<float> to = x[i];
        for (unsigned k = 0; k < kQuad; ++k)
            to.values[k] =
                activated(activate, normalizedAt(to.values[k], mean.values[k], inverse.values[k],
                                                 weight.values[k], bias.values[k]));
        y[i] = to;
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

__device__ float inputGradientAt(float gradient, float x, float mean, float scale, float offset,
                                 float slope) {
    return gradient * scale - offset - (x - mean) * slope;
}

__global__ void batchInputGradientKernel(NormalizedChannels shape, Divisor channels,
                                         std::size_t count, const float* factors, const float* dy,
                                         const float* x, const float* y, float* dx) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::uint32_t c = channels.remainder(i);
        const float gradient = y == nullptr || y[i] > 0 ? dy[i] : 0.0F;
        dx[i] = inputGradientAt(gradient, x[i], shape.moments[c], factors[c],
                                factors[shape.channels + c], factors[2 * shape.channels + c]);
    }
}

/// The same by quads of channels; `y` may be null.
__global__ void batchQuadsGradientKernel(NormalizedChannels shape, Divisor quads, std::size_t count,
                                         const Quad<float>* factors, const Quad<float>* dy,
                                         const Quad<float>* x, const Quad<float>* y,
                                         Quad<float>* dx) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const std::uint32_t q = quads.remainder(i);
        const Quad<float> mean = quadsOf(shape.moments)[q];
        const Quad<float> scale = factors[q];
        const Quad<float> offset = factors[quads.value() + q];
        const Quad<float> slope = factors[2 * quads.value() + q];
        const Quad<float> at = x[i];
        Quad<float> to = dy[i];
        if (y != nullptr) {
            const Quad<float> given = y[i];
            for (unsigned k = 0; k < kQuad; ++k)
                to.values[k] = given.values[k] > 0 ? to.values[k] : 0.0F;
        }
        for (unsigned k = 0; k < kQuad; ++k)
            to.values[k] = inputGradientAt(to.values[k], at.values[k], mean.values[k],
                                           scale.values[k], offset.values[k], slope.values[k]);
        dx[i] = to;
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
    if (shape.channels % kQuad == 0)
        normalizeQuadsKernel<<<blocksFor(count / kQuad), kThreads, 0, stream>>>(
            shape, Divisor(shape.channels / kQuad), activate, count / kQuad, quadsOf(x),
            quadsOf(y));
    else
        normalizeChannelsKernel<<<blocksFor(count), kThreads, 0, stream>>>(
            shape, Divisor(shape.channels), activate, count, x, y);
}

void launchBatchInputGradient(cudaStream_t stream, const NormalizedChannels& shape,
                              const double* sums, const float* dy, const float* x, const float* y,
                              float* factors, float* dx) {
    const std::size_t count = shape.rows * shape.channels;
    if (count == 0) return;
    batchGradientFactorsKernel<<<blocksFor(shape.channels), kThreads, 0, stream>>>(shape, sums,
                                                                                   factors);
    if (shape.channels % kQuad == 0)
        batchQuadsGradientKernel<<<blocksFor(count / kQuad), kThreads, 0, stream>>>(
            shape, Divisor(shape.channels / kQuad), count / kQuad, quadsOf(factors), quadsOf(dy),
            quadsOf(x), quadsOf(y), quadsOf(dx));
    else
        batchInputGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(
            shape, Divisor(shape.channels), count, factors, dy, x, y, dx);
}

}  // namespace lockstep::tensor::cuda
