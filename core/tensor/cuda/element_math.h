// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/tensor/step_engine.h"
#include "core/tensor/update_settings.h"

#if defined(__CUDACC__)
#define LS_BOTH __host__ __device__
#else
#define LS_BOTH
#endif

// What a kernel does to one element, and which elements a thread takes: the arithmetic of the
// kernels, compiled for the host too, so that it can be held against the CPU's operations where
// there is no GPU. The kernels are compiled without contraction to fused multiply-add and with
// denormals flushed, as the CPU's threads are: the updates give the CPU's bits.
namespace lockstep::tensor::cuda {

inline constexpr unsigned kThreads = 256;  ///< Of a block of every elementwise kernel.
inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kMostBlocks = 2048;  ///< Larger arrays are walked in strides.
inline constexpr unsigned kVoteThreads = 1024;
inline constexpr unsigned kSumColumns = 32;  ///< Columns of a block that sums columns ...
inline constexpr unsigned kSumLanes = 8;     ///< ... and rows that it reads at a time.

/// Blocks of kThreads for `count` elements: at least one, at most kMostBlocks.
LS_BOTH inline unsigned blocksFor(std::size_t count) {
    const std::size_t blocks = (count + kThreads - 1) / kThreads;
    if (blocks < 1) return 1;
    return blocks > kMostBlocks ? kMostBlocks : static_cast<unsigned>(blocks);
}

/// The sample that is row `row` of a batch: at place first + row of `order`, or that place itself
/// where there is no order.
LS_BOTH inline std::uint32_t sampleOf(const std::uint32_t* order, std::uint32_t first,
                                      std::uint32_t row) {
    return order == nullptr ? first + row : order[first + row];
}

LS_BOTH inline float scaledByte(std::uint8_t pixel) {
    return static_cast<float>(pixel) / 255.0F;
}

/// NaN stays NaN.
LS_BOTH inline float relu(float value) {
    return value < 0.0F ? 0.0F : value;
}

LS_BOTH inline float maskedByRelu(float dx, float x) {
    return x > 0.0F ? dx : 0.0F;
}

LS_BOTH inline void sgdElement(const SgdSettings& s, float g, float& p) {
    p -= s.learningRate * g;
}

LS_BOTH inline void momentumElement(const SgdSettings& s, float g, float& p, float& b) {
    const float buffer = s.momentum * b + g;
    b = buffer;
    p -= s.learningRate * buffer;
}

LS_BOTH inline void adamElement(const AdamSettings& s, float stepSize, float g, float& p, float& m,
                                float& v) {
    const float first = m + (g - m) * s.oneMinusBeta1;
    const float second = v + (g * g - v) * s.oneMinusBeta2;
    m = first;
    v = second;
    p -= stepSize * first / (sqrtf(second) + s.epsilon);
}

LS_BOTH inline void nesterovElement(const SgdSettings& s, float g, float& p, float& b) {
    const float buffer = s.momentum * b + g;
    b = buffer;
    p -= s.learningRate * (g + s.momentum * buffer);
}

/// `b`: the momentum's buffer, null without.
LS_BOTH inline void rmsPropElement(const UpdateSettings& s, float rate, float g, float& p, float& v,
                                   float* b) {
    const float square = s.beta1 * v + s.oneMinusBeta1 * (g * g);
    v = square;
    const float step = rate * g / sqrtf(square + s.epsilon);
    if (b == nullptr) {
        p -= step;
        return;
    }
    const float buffer = s.momentum * *b + step;
    *b = buffer;
    p -= buffer;
}

/// A direction that is not a number makes the weight none, too.
LS_BOTH inline void lionElement(const UpdateSettings& s, float rate, float g, float& p, float& m) {
    const float towards = m * s.beta1 + g * s.oneMinusBeta1;
    const float sign = towards > 0.0F ? 1.0F : towards < 0.0F ? -1.0F : towards;
    p -= rate * sign;
    m = m * s.beta2 + g * s.oneMinusBeta2;
}

/// NaN stays NaN; a limit of 0 is none.
LS_BOTH inline float clippedValue(float value, float limit) {
    if (limit == 0.0F) return value;
    const float below = value > limit ? limit : value;
    return below < -limit ? -limit : below;
}

/// A candidate for a row's largest logit.
struct Largest {
    float value;
    std::int32_t index;
};

/// The larger of two, the first of equals: the same whatever the order of comparisons.
LS_BOTH inline Largest larger(Largest a, Largest b) {
    if (a.value > b.value) return a;
    if (b.value > a.value) return b;
    return a.index < b.index ? a : b;
}

/// The share of `values` that lane `lane` of `lanes` adds up: every lanes-th, in order.
template <typename T>
LS_BOTH inline double laneSum(const T* values, std::size_t count, unsigned lane, unsigned lanes) {
    double sum = 0;
    for (std::size_t i = lane; i < count; i += lanes)
        sum += static_cast<double>(values[i]);
    return sum;
}

/// The lane whose sum lane `lane` takes over when `width` lanes are folded to half as many.
LS_BOTH inline unsigned foldPartner(unsigned lane, unsigned width) {
    return lane + width / 2;
}

}  // namespace lockstep::tensor::cuda
