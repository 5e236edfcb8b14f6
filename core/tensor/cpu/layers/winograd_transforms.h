// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "core/tensor/cpu/layers/vector_loops.h"

// The transforms of Winograd's F(4 x 4, 3 x 3): what a window of 3 x 3 gives at 4 x 4 places is 36
// products instead of 144, between them additions and a few multiplications by constants. Each
// transform here is along one axis, of 16 channels side by side, and is applied to the rows of a
// tile, then to its columns. The points of interpolation are 0, ±5/8, ±3/2 and infinity: with ±1
// and ±2 results are three times as far from exact ones (2e-6 of the largest, 6e-6 with these).

namespace lockstep::tensor::winograd {

/// Places of a tile, and what is read for them, along one axis.
constexpr std::size_t kPlaces = 4;
constexpr std::size_t kReads = 6;
constexpr std::size_t kTaps = 3;
/// Products of a tile.
constexpr std::size_t kPlanes = kReads * kReads;

constexpr std::size_t kLanes = 16;
/// Sixteen numbers; the compiler cuts them into the vectors that there are.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

constexpr float kNear = 0.625F;
constexpr float kFar = 1.5F;
constexpr float kNearSquare = 0.390625F;
constexpr float kFarSquare = 2.25F;
constexpr float kSum = kNearSquare + kFarSquare;
constexpr float kProduct = kNearSquare * kFarSquare;
// One over the product of a point's distances from the others.
constexpr float kAtZero = 1 / kProduct;
constexpr float kAtNear = 1 / (2 * kNearSquare * (kNearSquare - kFarSquare));
constexpr float kAtFar = 1 / (2 * kFarSquare * (kFarSquare - kNearSquare));

// By pointers, since vectors that are passed as values have another calling convention with every
// instruction set.

static LS_LOOP void load(const float* from, Lanes* to) {
    std::memcpy(to, from, sizeof(Lanes));
}
static LS_LOOP void store(const Lanes* from, float* to) {
    std::memcpy(to, from, sizeof(Lanes));
}

/// Six numbers of an image; x and `to` are `step` apart.
static LS_LOOP void imageTransform(const Lanes* x, Lanes* to, std::size_t step) {
    const Lanes nearEven = x[4] - kFarSquare * x[2];
    const Lanes nearOdd = kNear * (x[3] - kFarSquare * x[1]);
    const Lanes farEven = x[4] - kNearSquare * x[2];
    const Lanes farOdd = kFar * (x[3] - kNearSquare * x[1]);
    to[0] = x[4] - kSum * x[2] + kProduct * x[0];
    to[step] = nearEven + nearOdd;
    to[2 * step] = nearEven - nearOdd;
    to[3 * step] = farEven + farOdd;
    to[4 * step] = farEven - farOdd;
    to[5 * step] = x[5] - kSum * x[3] + kProduct * x[1];
}

/// Three taps of a window.
static LS_LOOP void tapTransform(const Lanes* w, Lanes* to, std::size_t step) {
    const Lanes nearEven = kAtNear * (w[0] + kNearSquare * w[2]);
    const Lanes nearOdd = (kAtNear * kNear) * w[1];
    const Lanes farEven = kAtFar * (w[0] + kFarSquare * w[2]);
    const Lanes farOdd = (kAtFar * kFar) * w[1];
    to[0] = kAtZero * w[0];
    to[step] = nearEven + nearOdd;
    to[2 * step] = nearEven - nearOdd;
    to[3 * step] = farEven + farOdd;
    to[4 * step] = farEven - farOdd;
    to[5 * step] = w[2];
}

/// Four places of a gradient, as if they were the taps: what gives the gradient of the window.
static LS_LOOP void placeTransform(const Lanes* dy, Lanes* to, std::size_t step) {
    const Lanes nearEven = kAtNear * (dy[0] + kNearSquare * dy[2]);
    const Lanes nearOdd = (kAtNear * kNear) * (dy[1] + kNearSquare * dy[3]);
    const Lanes farEven = kAtFar * (dy[0] + kFarSquare * dy[2]);
    const Lanes farOdd = (kAtFar * kFar) * (dy[1] + kFarSquare * dy[3]);
    to[0] = kAtZero * dy[0];
    to[step] = nearEven + nearOdd;
    to[2 * step] = nearEven - nearOdd;
    to[3 * step] = farEven + farOdd;
    to[4 * step] = farEven - farOdd;
    to[5 * step] = dy[3];
}

/// From six products back to four places.
static LS_LOOP void toPlaces(const Lanes* m, Lanes* to, std::size_t step) {
    const Lanes nearEven = m[1] + m[2];
    const Lanes nearOdd = kNear * (m[1] - m[2]);
    const Lanes farEven = m[3] + m[4];
    const Lanes farOdd = kFar * (m[3] - m[4]);
    to[0] = m[0] + nearEven + farEven;
    to[step] = nearOdd + farOdd;
    to[2 * step] = kNearSquare * nearEven + kFarSquare * farEven;
    to[3 * step] = kNearSquare * nearOdd + kFarSquare * farOdd + m[5];
}

/// From six products back to three taps.
static LS_LOOP void toTaps(const Lanes* m, Lanes* to, std::size_t step) {
    const Lanes nearEven = m[1] + m[2];
    const Lanes farEven = m[3] + m[4];
    to[0] = m[0] + nearEven + farEven;
    to[step] = kNear * (m[1] - m[2]) + kFar * (m[3] - m[4]);
    to[2 * step] = kNearSquare * nearEven + kFarSquare * farEven + m[5];
}

}  // namespace lockstep::tensor::winograd
