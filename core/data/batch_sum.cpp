// SPDX-License-Identifier: Apache-2.0
#include "core/data/batch_sum.h"

#include <array>
#include <bit>
#include <string_view>

#include "core/base/hash.h"

namespace lockstep::data {

namespace {

std::uint64_t hashOf(const std::uint8_t* bytes, std::size_t size) {
    return shortHash({reinterpret_cast<const char*>(bytes), size});
}

}  // namespace

std::uint64_t batchSum(const Batch& batch, const Split& split, std::uint32_t firstPlace) {
    const std::size_t inputBytes = split.bytesPerSample();
    const std::size_t targetBytes = split.bytesPerTarget();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batch.count; ++i) {
        std::array<std::uint64_t, 5> sample{firstPlace + i,
                                            hashOf(batch.inputs + i * inputBytes, inputBytes),
                                            hashOf(batch.targets + i * targetBytes, targetBytes)};
        if (batch.otherTargets != nullptr) {
            sample[3] = hashOf(batch.otherTargets + i * targetBytes, targetBytes);
            sample[4] = std::bit_cast<std::uint32_t>(batch.shares[i]);
        }
        sum += shortHash({reinterpret_cast<const char*>(sample.data()), sizeof sample});
    }
    return sum;
}

}  // namespace lockstep::data
