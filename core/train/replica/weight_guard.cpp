// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/weight_guard.h"

#include <algorithm>
#include <utility>

#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/cpu/updates.h"

namespace lockstep::train {

WeightGuard::WeightGuard(std::span<const collective::Range> buckets) : buckets_(buckets.size()) {
    for (std::size_t i = 0; i < buckets.size(); ++i)
        buckets_[i].sums.reserve(blockCount(buckets[i]));
}

collective::Range WeightGuard::blockOf(const collective::Range& share, std::size_t index) {
    const std::size_t begin = share.begin + index * kBlock;
    return {begin, std::min(begin + kBlock, share.end)};
}

bool WeightGuard::take(std::size_t bucket, const collective::Range& share, std::size_t index,
                       const tensor::BitSums& sums) {
    Shares& shares = buckets_[bucket];
    shares.share = share;
    const bool isKnown = index < shares.sums.size();
    if (!isKnown) shares.sums.resize(index + 1);
    const std::uint32_t left = std::exchange(shares.sums[index], sums.left);
    return !isKnown || sums.found == left;
}

std::optional<collective::Range> WeightGuard::findChange(std::span<const float> parameters) const {
    for (const Shares& shares : buckets_)
        for (std::size_t index = 0; index < shares.sums.size(); ++index) {
            const collective::Range block = blockOf(shares.share, index);
            const std::span<const float> weights = parameters.subspan(block.begin, block.size());
            if (tensor::sumOfBits(tensor::bestIsa(), weights) != shares.sums[index]) return block;
        }
    return std::nullopt;
}

}  // namespace lockstep::train
