// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/tensor/cpu/layers/vector_loops.h"

namespace lockstep::tensor {
namespace {

LS_LOOP void scaleBytesLoop(const std::uint8_t* __restrict from, float* __restrict to,
                            std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        to[i] = static_cast<float>(from[i]) / 255.0F;
}

LS_LOOP void addBiasLoop(float* __restrict y, const float* __restrict bias, std::size_t rows,
                         std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r, y += columns)
        for (std::size_t c = 0; c < columns; ++c)
            y[c] += bias[c];
}

LS_LOOP void addBiasReluLoop(float* __restrict y, const float* __restrict bias, std::size_t rows,
                             std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r, y += columns)
        for (std::size_t c = 0; c < columns; ++c) {
            const float value = y[c] + bias[c];
            y[c] = value < 0.0F ? 0.0F : value;
        }
}

/// Sums of blocks of rows are added up, so that the error grows with the number of blocks instead
/// of the number of rows. A tile of columns stays in registers.
LS_LOOP void columnSumsLoop(const float* __restrict values, std::size_t rows, std::size_t columns,
                            float* __restrict sums) {
    constexpr std::size_t kTile = 64;
    constexpr std::size_t kBlock = 64;
    for (std::size_t first = 0; first < columns; first += kTile) {
        const std::size_t width = columns - first < kTile ? columns - first : kTile;
        float total[kTile] = {};
        for (std::size_t begin = 0; begin < rows; begin += kBlock) {
            const std::size_t end = rows - begin < kBlock ? rows : begin + kBlock;
            float partial[kTile] = {};
            for (std::size_t r = begin; r < end; ++r) {
                const float* row = values + r * columns + first;
                if (width == kTile)
                    for (std::size_t c = 0; c < kTile; ++c)
                        partial[c] += row[c];
                else
                    for (std::size_t c = 0; c < width; ++c)
                        partial[c] += row[c];
            }
            for (std::size_t c = 0; c < kTile; ++c)
                total[c] += partial[c];
        }
        for (std::size_t c = 0; c < width; ++c)
            sums[first + c] = total[c];
    }
}

LS_LOOP BitSums sgdLoop(float learningRate, const float* __restrict g, float* __restrict p,
                        std::size_t count) {
    BitSums sums;
    for (std::size_t i = 0; i < count; ++i)
        lower(p, i, learningRate * g[i], sums);
    return sums;
}

LS_LOOP BitSums sgdMomentumLoop(const SgdSettings& settings, const float* __restrict g,
                                float* __restrict p, float* __restrict b, std::size_t count) {
    const SgdSettings s = settings;
    BitSums sums;
    for (std::size_t i = 0; i < count; ++i) {
        const float buffer = s.momentum * b[i] + g[i];
        b[i] = buffer;
        lower(p, i, s.learningRate * buffer, sums);
    }
    return sums;
}

LS_LOOP BitSums adamLoop(const AdamSettings& settings, const float* __restrict g,
                         float* __restrict p, float* __restrict m, float* __restrict v,
                         std::size_t count) {
    const AdamSettings s = settings;
    BitSums sums;
    for (std::size_t i = 0; i < count; ++i) {
        const float gradient = g[i];
        const float first = m[i] + (gradient - m[i]) * s.oneMinusBeta1;
        const float second = v[i] + (gradient * gradient - v[i]) * s.oneMinusBeta2;
        m[i] = first;
        v[i] = second;
        lower(p, i, s.stepSize * first / (std::sqrt(second) + s.epsilon), sums);
    }
    return sums;
}

LS_LOOP bool allFiniteLoop(const float* __restrict values, std::size_t count) {
    constexpr std::uint32_t kExponent = 0x7F800000;
    std::uint32_t notFinite = 0;
    for (std::size_t i = 0; i < count; ++i)
        notFinite |= (std::bit_cast<std::uint32_t>(values[i]) & kExponent) == kExponent ? 1U : 0U;
    return notFinite == 0;
}

// A namespace of functions and their table for one instruction set.
#define LS_VARIANT(name, attribute)                                                                \
    namespace name {                                                                               \
    attribute void scaleBytes(const std::uint8_t* from, float* to, std::size_t count) {            \
        scaleBytesLoop(from, to, count);                                                           \
    }                                                                                              \
    attribute void addBias(float* y, const float* bias, std::size_t rows, std::size_t columns) {   \
        addBiasLoop(y, bias, rows, columns);                                                       \
    }                                                                                              \
    attribute void addBiasRelu(float* y, const float* bias, std::size_t rows,                      \
                               std::size_t columns) {                                              \
        addBiasReluLoop(y, bias, rows, columns);                                                   \
    }                                                                                              \
    attribute void columnSums(const float* values, std::size_t rows, std::size_t columns,          \
                              float* sums) {                                                       \
        columnSumsLoop(values, rows, columns, sums);                                               \
    }                                                                                              \
    attribute BitSums sgd(float learningRate, const float* g, float* p, std::size_t count) {       \
        return sgdLoop(learningRate, g, p, count);                                                 \
    }                                                                                              \
    attribute BitSums sgdMomentum(const SgdSettings& settings, const float* g, float* p, float* v, \
                                  std::size_t count) {                                             \
        return sgdMomentumLoop(settings, g, p, v, count);                                          \
    }                                                                                              \
    attribute BitSums adam(const AdamSettings& settings, const float* g, float* p, float* m,       \
                           float* v, std::size_t count) {                                          \
        return adamLoop(settings, g, p, m, v, count);                                              \
    }                                                                                              \
    attribute bool allFinite(const float* values, std::size_t count) {                             \
        return allFiniteLoop(values, count);                                                       \
    }                                                                                              \
    constexpr Kernels kTable = {scaleBytes, addBias,     addBiasRelu, columnSums,                  \
                                sgd,        sgdMomentum, adam,        allFinite};                  \
    }

LS_VARIANT(baseline, )
#if defined(__x86_64__)
LS_VARIANT(avx2, __attribute__((target("avx2"))))
LS_VARIANT(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))))
#endif
#undef LS_VARIANT

struct SupportedIsas {
    std::array<VectorIsa, 3> isas{VectorIsa::Baseline};
    std::size_t count = 1;
};

SupportedIsas detectIsas() {
    SupportedIsas supported;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) supported.isas[supported.count++] = VectorIsa::Avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        supported.isas[supported.count++] = VectorIsa::Avx512;
#endif
    return supported;
}

}  // namespace

std::span<const VectorIsa> supportedIsas() {
    static const SupportedIsas supported = detectIsas();
    return {supported.isas.data(), supported.count};
}

const Kernels& kernelsFor(VectorIsa isa) {
#if defined(__x86_64__)
    if (isa == VectorIsa::Avx512) return avx512::kTable;
    if (isa == VectorIsa::Avx2) return avx2::kTable;
#endif
    static_cast<void>(isa);
    return baseline::kTable;
}

const Kernels& bestKernels() {
    return kernelsFor(supportedIsas().back());
}

}  // namespace lockstep::tensor
