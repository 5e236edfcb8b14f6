// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/gradient_norm.h"

#include <vector>

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

constexpr unsigned kSign = 0x80000000U;
constexpr unsigned kInfinity = 0x7F800000U;  // a NaN has more

__device__ unsigned magnitudeOf(float value) {
    return __float_as_uint(value) & ~kSign;
}

/// Of a warp, in its first lane; whole numbers, so that any order gives the same.
__device__ std::uint64_t warpSumOfWholes(std::uint64_t value) {
    for (unsigned width = kWarp; width > 1; width /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFU, value, width / 2);
    return value;
}

/// In any order: the sum is of whole numbers.
__device__ void addWhole(unsigned long long& to, std::uint64_t value) {
    atomicAdd(&to, static_cast<unsigned long long>(value));
}

__global__ void clearNormKernel(GradientNorm* norm) {
    *norm = {};
}

__global__ void largestKernel(const float* gradients, std::size_t count, GradientNorm* norm) {
    unsigned largest = 0;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const unsigned magnitude = magnitudeOf(gradients[i]);
        largest = magnitude > largest ? magnitude : largest;
    }
    for (unsigned width = kWarp; width > 1; width /= 2) {
        const unsigned other = __shfl_xor_sync(0xFFFFFFFFU, largest, width / 2);
        largest = other > largest ? other : largest;
    }
    if (threadIdx.x % kWarp == 0) atomicMax(&norm->largest, largest);
}

/// As the host's unitOfSquares().
__device__ double unitFor(unsigned magnitude) {
    const auto largest = static_cast<double>(__uint_as_float(magnitude));
    return ldexp(1.0, ilogb(largest * largest) + 1 - 40);
}

__device__ bool isMeasurable(unsigned magnitude) {
    return magnitude > 0 && magnitude < kInfinity;
}

/// Each square is rounded to a multiple of the unit, below 2^40 of them: a thread can add 2^24.
__global__ void squaresKernel(const float* gradients, std::size_t count, GradientNorm* norm) {
    if (!isMeasurable(norm->largest)) return;
    const double unit = unitFor(norm->largest);
    const double rounder = 1.5 * 4503599627370496.0 * unit;  // 2^52
    std::uint64_t sum = 0;
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const auto value = static_cast<double>(gradients[i]);
        sum += static_cast<std::uint64_t>(((value * value + rounder) - rounder) / unit);
    }
    const std::uint64_t lower = warpSumOfWholes(sum & 0xFFFFFFFFU);
    const std::uint64_t upper = warpSumOfWholes(sum >> 32U);
    if (threadIdx.x % kWarp != 0) return;
    addWhole(norm->squares[0], lower);
    addWhole(norm->squares[1], upper);
}

/// As the host's WideSum::toDouble().
__device__ double squaresOf(const GradientNorm& norm) {
    const unsigned long long low = norm.squares[0] + (norm.squares[1] << 32U);
    const unsigned long long carry = low < norm.squares[0] ? 1 : 0;
    const unsigned long long high = (norm.squares[1] >> 32U) + carry;
    return static_cast<double>(high) * 18446744073709551616.0 + static_cast<double>(low);
}

__global__ void decideScaleKernel(double limit, GradientNorm* norm, StepState state) {
    double length = 0;
    if (norm->largest >= kInfinity) {
        length = nan("");
        norm->scale = nanf("");
    } else if (isMeasurable(norm->largest)) {
        length = sqrt(squaresOf(*norm) * unitFor(norm->largest));
        norm->scale = static_cast<float>(limit / (length > limit ? length : limit));
    }
    state.figures[state.cursor->position].gradientNorm = length;
}

/// Pieces that follow each other are measured as one: whether they decay makes no difference.
std::vector<EnginePiece> joined(std::span<const EnginePiece> pieces) {
    std::vector<EnginePiece> longer;
    for (const EnginePiece& piece : pieces)
        if (!longer.empty() && longer.back().end == piece.begin)
            longer.back().end = piece.end;
        else
            longer.push_back(piece);
    return longer;
}

}  // namespace

void launchGradientNorm(cudaStream_t stream, std::span<const EnginePiece> pieces,
                        const float* gradients, double limit, GradientNorm* norm,
                        const StepState& state) {
    clearNormKernel<<<1, 1, 0, stream>>>(norm);
    const std::vector<EnginePiece> all = joined(pieces);
    for (const EnginePiece& piece : all)
        largestKernel<<<blocksFor(piece.end - piece.begin), kThreads, 0, stream>>>(
            gradients + piece.begin, piece.end - piece.begin, norm);
    for (const EnginePiece& piece : all)
        squaresKernel<<<blocksFor(piece.end - piece.begin), kThreads, 0, stream>>>(
            gradients + piece.begin, piece.end - piece.begin, norm);
    decideScaleKernel<<<1, 1, 0, stream>>>(limit, norm, state);
}

}  // namespace lockstep::tensor::cuda
