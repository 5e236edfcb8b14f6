// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/weight_guard.h"

#include <algorithm>

#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/cpu/updates.h"

namespace lockstep::train {

namespace {

std::uint32_t sumOf(const collective::Range& block, std::span<const float> parameters) {
    return tensor::sumOfBits(tensor::bestIsa(), parameters.subspan(block.begin, block.size()));
}

}  // namespace

WeightGuard::WeightGuard(std::span<const collective::Range> buckets) : buckets_(buckets.size()) {
    for (std::size_t i = 0; i < buckets.size(); ++i)
        buckets_[i].sums.reserve(blockCount(buckets[i]));
}

collective::Range WeightGuard::blockOf(const collective::Range& share, std::size_t index) {
    const std::size_t begin = share.begin + index * kBlock;
    return {begin, std::min(begin + kBlock, share.end)};
}

bool WeightGuard::isUnchanged(std::size_t bucket, const collective::Range& share, std::size_t index,
                              std::span<const float> parameters) const {
    const Shares& shares = buckets_[bucket];
    return index >= shares.sums.size() ||
           shares.sums[index] == sumOf(blockOf(share, index), parameters);
}

void WeightGuard::take(std::size_t bucket, const collective::Range& share, std::size_t index,
                       std::span<const float> parameters) {
    Shares& shares = buckets_[bucket];
    shares.share = share;
    if (index >= shares.sums.size()) shares.sums.resize(index + 1);
    shares.sums[index] = sumOf(blockOf(share, index), parameters);
}

std::optional<collective::Range> WeightGuard::findChange(std::span<const float> parameters) const {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        const Shares& shares = buckets_[bucket];
        for (std::size_t index = 0; index < shares.sums.size(); ++index)
            if (!isUnchanged(bucket, shares.share, index, parameters))
                return blockOf(shares.share, index);
    }
    return std::nullopt;
}

}  // namespace lockstep::train
