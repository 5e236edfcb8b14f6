// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/updates.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/check.h"
#include "core/tensor/cpu/layers/vector_loops.h"

namespace lockstep::tensor {
namespace {

LS_LOOP BitSums nesterovLoop(SgdSettings s, const float* __restrict g, float* __restrict p,
                             float* __restrict b, std::size_t count) {
    BitSums sums;
    for (std::size_t i = 0; i < count; ++i) {
        const float buffer = s.momentum * b[i] + g[i];
        b[i] = buffer;
        lower(p, i, s.learningRate * (g[i] + s.momentum * buffer), sums);
    }
    return sums;
}

LS_LOOP BitSums rmsPropLoop(RmsPropSettings s, const float* __restrict g, float* __restrict p,
                            float* __restrict v, std::size_t count) {
    BitSums sums;
    for (std::size_t i = 0; i < count; ++i) {
        const float square = s.rho * v[i] + s.oneMinusRho * (g[i] * g[i]);
        v[i] = square;
        lower(p, i, s.learningRate * g[i] / std::sqrt(square + s.epsilon), sums);
    }
    return sums;
}

LS_LOOP BitSums rmsPropMomentumLoop(RmsPropSettings s, const float* __restrict g,
                                    float* __restrict p, float* __restrict v, float* __restrict b,
                                    std::size_t count) {
    BitSums sums;
    for (std::size_t i = 0; i < count; ++i) {
        const float square = s.rho * v[i] + s.oneMinusRho * (g[i] * g[i]);
        v[i] = square;
        const float buffer =
            s.momentum * b[i] + s.learningRate * g[i] / std::sqrt(square + s.epsilon);
        b[i] = buffer;
        lower(p, i, buffer, sums);
    }
    return sums;
}

/// A direction that is not a number makes the weight none, too.
LS_LOOP BitSums lionLoop(LionSettings s, const float* __restrict g, float* __restrict p,
                         float* __restrict m, std::size_t count) {
    BitSums sums;
    for (std::size_t i = 0; i < count; ++i) {
        const float towards = m[i] * s.beta1 + g[i] * s.oneMinusBeta1;
        const float sign = towards > 0.0F ? 1.0F : towards < 0.0F ? -1.0F : towards;
        lower(p, i, s.learningRate * sign, sums);
        m[i] = m[i] * s.beta2 + g[i] * s.oneMinusBeta2;
    }
    return sums;
}

LS_LOOP BitSums decayLoop(float share, float* __restrict p, std::size_t count) {
    BitSums sums;
    for (std::size_t i = 0; i < count; ++i)
        lower(p, i, share * p[i], sums);
    return sums;
}

LS_LOOP void scaleAndClipLoop(float factor, float limit, const float* __restrict from,
                              float* __restrict to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const float value = from[i] * factor;
        const float below = value > limit ? limit : value;
        to[i] = below < -limit ? -limit : below;
    }
}

LS_LOOP void magnitudeLoop(const float* __restrict values, std::size_t count,
                           std::uint32_t* largest) {
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(values[i]) & 0x7FFFFFFFU;
        most = bits > most ? bits : most;
    }
    *largest = most;
}

LS_LOOP void bitSumLoop(const float* __restrict values, std::size_t count, std::uint32_t* sum) {
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < count; ++i)
        all += std::bit_cast<std::uint32_t>(values[i]);
    *sum = all;
}

constexpr std::size_t kLanes = 8;
constexpr std::size_t kExactTerms = 4096;  // of 2^40 units each: their sum is a double's whole

/// A sum of this size has no bits below the unit: adding it rounds, subtracting it gives the rest.
LS_LOOP void squaresLoop(const float* __restrict values, std::size_t count, double rounder,
                         double* sum) {
    double lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const auto value = static_cast<double>(values[i + lane]);
            lanes[lane] += (value * value + rounder) - rounder;
        }
    for (; i < count; ++i) {
        const auto value = static_cast<double>(values[i]);
        lanes[0] += (value * value + rounder) - rounder;
    }
    *sum = 0;
    for (const double lane : lanes)
        *sum += lane;
}

void checkSpans(const UpdateSpans& spans) {
    const std::size_t count = spans.parameters.size();
    LS_CHECK(spans.gradients.size() == count, "a gradient for each parameter is needed");
    LS_CHECK(spans.first.size() == count, "state for each parameter is needed");
}

}  // namespace

BitSums sgd(VectorIsa isa, const SgdSettings& settings, const UpdateSpans& spans) {
    const Kernels& kernels = kernelsFor(isa);
    const std::size_t count = spans.parameters.size();
    if (settings.momentum == 0.0F) {
        LS_CHECK(spans.gradients.size() == count, "a gradient for each parameter is needed");
        return kernels.sgd(settings.learningRate, spans.gradients.data(), spans.parameters.data(),
                           count);
    }
    checkSpans(spans);
    return kernels.sgdMomentum(settings, spans.gradients.data(), spans.parameters.data(),
                               spans.first.data(), count);
}

BitSums adam(VectorIsa isa, const AdamSettings& settings, const UpdateSpans& spans) {
    checkSpans(spans);
    LS_CHECK(spans.second.size() == spans.parameters.size(), "Adam has two moments");
    return kernelsFor(isa).adam(settings, spans.gradients.data(), spans.parameters.data(),
                                spans.first.data(), spans.second.data(), spans.parameters.size());
}

BitSums sgdNesterov(VectorIsa isa, const SgdSettings& settings, const UpdateSpans& spans) {
    checkSpans(spans);
    return runLoop<nesterovLoop>(isa, settings, spans.gradients.data(), spans.parameters.data(),
                                 spans.first.data(), spans.parameters.size());
}

BitSums rmsProp(VectorIsa isa, const RmsPropSettings& settings, const UpdateSpans& spans) {
    checkSpans(spans);
    if (settings.momentum == 0.0F) {
        return runLoop<rmsPropLoop>(isa, settings, spans.gradients.data(), spans.parameters.data(),
                                    spans.first.data(), spans.parameters.size());
    }
    LS_CHECK(spans.second.size() == spans.parameters.size(), "momentum has a buffer of its own");
    return runLoop<rmsPropMomentumLoop>(isa, settings, spans.gradients.data(),
                                        spans.parameters.data(), spans.first.data(),
                                        spans.second.data(), spans.parameters.size());
}

BitSums lion(VectorIsa isa, const LionSettings& settings, const UpdateSpans& spans) {
    checkSpans(spans);
    return runLoop<lionLoop>(isa, settings, spans.gradients.data(), spans.parameters.data(),
                             spans.first.data(), spans.parameters.size());
}

BitSums decay(VectorIsa isa, float share, std::span<float> parameters) {
    return runLoop<decayLoop>(isa, share, parameters.data(), parameters.size());
}

void scaleAndClip(VectorIsa isa, float factor, float limit, std::span<const float> from,
                  std::span<float> to) {
    LS_CHECK(from.size() == to.size(), "as much room as values is needed");
    runLoop<scaleAndClipLoop>(isa, factor, limit, from.data(), to.data(), from.size());
}

std::uint32_t sumOfBits(VectorIsa isa, std::span<const float> values) {
    std::uint32_t sum = 0;
    runLoop<bitSumLoop>(isa, values.data(), values.size(), &sum);
    return sum;
}

std::uint32_t largestMagnitude(VectorIsa isa, std::span<const float> values) {
    std::uint32_t largest = 0;
    runLoop<magnitudeLoop>(isa, values.data(), values.size(), &largest);
    return largest;
}

double unitOfSquares(std::uint32_t magnitude) {
    const auto largest = static_cast<double>(std::bit_cast<float>(magnitude));
    LS_CHECK(std::isfinite(largest) && largest > 0, "a unit needs a number to be of its size");
    return std::ldexp(1.0, std::ilogb(largest * largest) + 1 - 40);
}

WideSum sumOfSquares(VectorIsa isa, std::span<const float> values, double unit) {
    const double rounder = 1.5 * 0x1p52 * unit;
    WideSum total;
    for (std::size_t begin = 0; begin < values.size(); begin += kExactTerms) {
        const auto block = values.subspan(begin, std::min(kExactTerms, values.size() - begin));
        double sum = 0;
        runLoop<squaresLoop>(isa, block.data(), block.size(), rounder, &sum);
        total.add(static_cast<std::uint64_t>(sum / unit));
    }
    return total;
}

}  // namespace lockstep::tensor
