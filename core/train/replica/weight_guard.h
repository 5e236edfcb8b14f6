// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/collective/communicator.h"
#include "core/tensor/update_settings.h"

namespace lockstep::train {

/// Finds what has changed in a replica's share of the weights although no update did it: bad
/// memory, or somebody's stray write. Every update sums the bits of what it finds and of what it
/// leaves, block by block: what it finds must be what the one before has left. A change of any one
/// weight changes its block's sum; changes of several go unseen once in 2^32. The sums are kept in
/// memory that is there from the start.
class WeightGuard {
public:
    /// Elements of a block: enough that beginning an update costs nothing beside it, few enough to
    /// tell which tensors they are of.
    static constexpr std::size_t kBlock = 8192;

    /// `buckets`: of the parameters.
    explicit WeightGuard(std::span<const collective::Range> buckets);

    /// The blocks of a share, one after the other.
    [[nodiscard]] static std::size_t blockCount(const collective::Range& share) {
        return (share.size() + kBlock - 1) / kBlock;
    }
    [[nodiscard]] static collective::Range blockOf(const collective::Range& share,
                                                   std::size_t index);

    /// The block's sums of an update: whether it found what the one before had left, true where
    /// there was none. What it left is kept for the next.
    [[nodiscard]] bool take(std::size_t bucket, const collective::Range& share, std::size_t index,
                            const tensor::BitSums& sums);

    /// The first block that is not as its update left it, of all shares.
    [[nodiscard]] std::optional<collective::Range> findChange(
        std::span<const float> parameters) const;

private:
    struct Shares {
        collective::Range share;
        std::vector<std::uint32_t> sums;  ///< Of as many blocks as have been taken.
    };
    std::vector<Shares> buckets_;
};

}  // namespace lockstep::train
