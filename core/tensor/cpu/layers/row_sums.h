// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/tensor/cpu/layers/elementary.h"
#include "core/tensor/cpu/layers/vector_loops.h"

// Sums along a row. Sixteen sums side by side, each of every sixteenth element, added up in one
// order at the end: whatever the width of the vectors, the bits are the same.

namespace lockstep::tensor::row_sums {

constexpr std::size_t kLanes = 16;

struct Lanes {
    float values[kLanes];
};

static LS_LOOP float total(const Lanes& lanes) {
    float sums[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i)
        sums[i] = lanes.values[i];
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i)
            sums[i] += sums[i + half];
    return sums[0];
}

/// Sum of term(i) for i below count.
template <typename Term>
static LS_LOOP float sumOf(std::size_t count, Term term) {
    Lanes lanes{};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            lanes.values[lane] += term(i + lane);
    for (std::size_t lane = 0; i + lane < count; ++lane)
        lanes.values[lane] += term(i + lane);
    return total(lanes);
}

/// The largest of a row of at least one number; a NaN may be passed over.
static LS_LOOP float largest(const float* row, std::size_t count) {
    Lanes lanes;
    for (float& value : lanes.values)
        value = row[0];
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            lanes.values[lane] =
                row[i + lane] > lanes.values[lane] ? row[i + lane] : lanes.values[lane];
    for (std::size_t lane = 0; i + lane < count; ++lane)
        lanes.values[lane] =
            row[i + lane] > lanes.values[lane] ? row[i + lane] : lanes.values[lane];
    float found = lanes.values[0];
    for (std::size_t lane = 1; lane < kLanes; ++lane)
        found = lanes.values[lane] > found ? lanes.values[lane] : found;
    return found;
}

/// y = exp(factor * x - shift) and the sum of these; NaN in x makes the sum NaN.
static LS_LOOP float exponentials(const float* x, float factor, float shift, float* y,
                                  std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i)
        y[i] = elementary::exponential(x[i] * factor - shift);
    return sumOf(
        count, [y](std::size_t i) __attribute__((always_inline)) { return y[i]; });
}

static LS_LOOP void scaleRow(const float* x, float factor, float* y, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i)
        y[i] = x[i] * factor;
}

static LS_LOOP float dot(const float* a, const float* b, std::size_t count) {
    return sumOf(
        count, [ a, b ](std::size_t i) __attribute__((always_inline)) { return a[i] * b[i]; });
}

}  // namespace lockstep::tensor::row_sums
