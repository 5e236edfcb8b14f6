// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/tensor/cuda/element_math.h"

// Which units a dropout keeps: the numbers of core/tensor/cpu/layers/dropout_loops.h.
namespace lockstep::tensor::cuda {

/// Where a step stands, on the device, so that a captured step can be another one each time.
struct StepMoment {
    std::uint64_t seed = 0;        ///< Of the run.
    std::uint64_t step = 0;        ///< Counted as the CPU's executor is told it.
    std::uint64_t firstPlace = 0;  ///< Of the replica's first sample within the global batch.
};

struct DropUnits {
    float factor = 1;             ///< Of what is kept.
    std::uint32_t threshold = 0;  ///< Bits below it drop a unit.
    std::uint32_t layer = 0;
};

inline constexpr std::uint32_t kDrawLanes = 16;
inline constexpr std::uint32_t kDrawWords = 4;
/// Units whose bits are made together: unit u is word (u / 16) % 4 of block (u / 64) * 16 + u % 16.
inline constexpr std::uint32_t kDrawGroup = kDrawLanes * kDrawWords;

struct DrawnWords {
    std::uint32_t words[kDrawWords];
};

/// One block of Philox4x32-10.
LS_BOTH inline DrawnWords drawWords(const StepMoment& moment, std::uint32_t layer,
                                    std::uint64_t sample, std::uint32_t block) {
    const std::uint64_t seed = moment.seed ^ 0x64726F706F757421ULL;
    auto key0 = static_cast<std::uint32_t>(seed);
    auto key1 = static_cast<std::uint32_t>(seed >> 32U);
    DrawnWords c{{block, static_cast<std::uint32_t>(moment.firstPlace + sample),
                  static_cast<std::uint32_t>(moment.step),
                  (layer & 0xFFFFU) | static_cast<std::uint32_t>(moment.step >> 32U) << 16U}};
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53} * c.words[0];
        const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c.words[2];
        c = {{static_cast<std::uint32_t>(product1 >> 32U) ^ c.words[1] ^ key0,
              static_cast<std::uint32_t>(product1),
              static_cast<std::uint32_t>(product0 >> 32U) ^ c.words[3] ^ key1,
              static_cast<std::uint32_t>(product0)}};
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    return c;
}

/// `value` as one unit has it after the dropout.
LS_BOTH inline float droppedUnit(const StepMoment& moment, const DropUnits& drop,
                                 std::uint64_t sample, std::uint64_t unit, float value) {
    const auto block = static_cast<std::uint32_t>(unit / kDrawGroup * kDrawLanes) +
                       static_cast<std::uint32_t>(unit % kDrawLanes);
    const DrawnWords drawn = drawWords(moment, drop.layer, sample, block);
    return drawn.words[unit / kDrawLanes % kDrawWords] < drop.threshold ? 0.0F
                                                                        : value * drop.factor;
}

}  // namespace lockstep::tensor::cuda
