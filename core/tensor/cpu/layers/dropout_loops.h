// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "core/tensor/cpu/layers/dropout.h"
#include "core/tensor/cpu/layers/vector_loops.h"

namespace lockstep::tensor::dropout_loops {

/// Units whose bits are made together: unit u is word (u / kLanes) % 4 of the Philox block
/// (u / kGroup) * kLanes + u % kLanes. The words of a block lie kLanes apart, so that the lanes of
/// a vector compute neighbouring blocks and store neighbouring units.
constexpr std::size_t kLanes = 16;
constexpr std::size_t kGroup = 4 * kLanes;

/// A sample's drawing, of one dropout at one step.
struct Draw {
    std::uint32_t key[2];
    std::uint32_t counter[3];  ///< All but the first word, which is the block.
    std::uint32_t threshold;   ///< Bits below it drop a unit.
    float factor;              ///< Of what is kept.
};

inline Draw drawOf(const DropoutKey& key, std::uint64_t place) {
    // Streams of other uses of the seed have another key.
    const std::uint64_t seed = key.seed ^ 0x64726F706F757421ULL;
    const double threshold = std::nearbyint(static_cast<double>(key.rate) * 0x1p32);
    const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    return {
        .key = {low(seed), low(seed >> 32U)},
        .counter = {low(place), low(key.step), (key.layer & 0xFFFFU) | low(key.step >> 32U) << 16U},
        .threshold = threshold >= 0x1p32 ? ~0U : static_cast<std::uint32_t>(threshold),
        .factor = static_cast<float>(1.0 / (1.0 - static_cast<double>(key.rate)))};
}

/// One block of Philox4x32-10 (core/base/rng.h), on its way.
struct Block {
    std::uint32_t c0, c1, c2, c3;
};

static LS_LOOP Block round(Block b, std::uint32_t key0, std::uint32_t key1) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * b.c0;
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * b.c2;
    return {static_cast<std::uint32_t>(product1 >> 32U) ^ b.c1 ^ key0,
            static_cast<std::uint32_t>(product1),
            static_cast<std::uint32_t>(product0 >> 32U) ^ b.c3 ^ key1,
            static_cast<std::uint32_t>(product0)};
}

/// The kGroup words of one group of units.
static LS_LOOP void drawGroup(const Draw& draw, std::uint32_t group, std::uint32_t* words) {
    const Draw d = draw;
    const std::uint32_t first = group * static_cast<std::uint32_t>(kLanes);
    LS_ELEMENTWISE
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        Block b{first + i, d.counter[0], d.counter[1], d.counter[2]};
        // Not a loop, so that the one over the lanes is the innermost, which is vectorised.
        std::uint32_t k0 = d.key[0];
        std::uint32_t k1 = d.key[1];
        const auto next = [&]() __attribute__((always_inline)) {
            b = round(b, k0, k1);
            k0 += 0x9E3779B9U;
            k1 += 0xBB67AE85U;
        };
        next(), next(), next(), next(), next();
        next(), next(), next(), next(), next();
        words[i] = b.c0;
        words[kLanes + i] = b.c1;
        words[2 * kLanes + i] = b.c2;
        words[3 * kLanes + i] = b.c3;
    }
}

static LS_LOOP void applyWords(const Draw& draw, const std::uint32_t* words, const float* x,
                               float* y, std::size_t count) {
    const std::uint32_t threshold = draw.threshold;
    const float factor = draw.factor;
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i) {
        const float kept = x[i] * factor;
        y[i] = words[i] < threshold ? 0.0F : kept;
    }
}

/// Units first… first + count of a sample.
static LS_LOOP void applyUnits(const Draw& draw, std::uint64_t first, const float* x, float* y,
                               std::size_t count) {
    std::uint32_t words[kGroup];
    std::size_t done = 0;
    while (done < count) {
        const std::uint64_t unit = first + done;
        const std::size_t skip = unit % kGroup;
        const std::size_t length = count - done < kGroup - skip ? count - done : kGroup - skip;
        drawGroup(draw, static_cast<std::uint32_t>(unit / kGroup), words);
        if (length == kGroup)
            applyWords(draw, words, x + done, y + done, kGroup);
        else
            applyWords(draw, words + skip, x + done, y + done, length);
        done += length;
    }
}

}  // namespace lockstep::tensor::dropout_loops
