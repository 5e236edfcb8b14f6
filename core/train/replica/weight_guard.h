// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/collective/communicator.h"

namespace lockstep::train {

/// Finds what has changed in a replica's share of the weights although no update did it: bad
/// memory, or somebody's stray write. Each share is summed bit by bit, in blocks, behind its
/// update, and again before the next one, which reads it anyway. A change of any one weight changes
/// its block's sum; changes of several go unseen once in 2^32. The sums are kept in memory that is
/// there from the start.
class WeightGuard {
public:
    /// Elements of a block: it stays in the processor's first cache while it is updated.
    static constexpr std::size_t kBlock = 2048;

    /// `buckets`: of the parameters.
    explicit WeightGuard(std::span<const collective::Range> buckets);

    /// The blocks of a share, one after the other.
    [[nodiscard]] static std::size_t blockCount(const collective::Range& share) {
        return (share.size() + kBlock - 1) / kBlock;
    }
    [[nodiscard]] static collective::Range blockOf(const collective::Range& share,
                                                   std::size_t index);

    /// Whether the block is as it was taken; true where it never was.
    [[nodiscard]] bool isUnchanged(std::size_t bucket, const collective::Range& share,
                                   std::size_t index, std::span<const float> parameters) const;
    /// It is right as it is now.
    void take(std::size_t bucket, const collective::Range& share, std::size_t index,
              std::span<const float> parameters);

    /// The first block that is not as it was taken, of all shares.
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
