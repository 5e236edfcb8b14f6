// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/program/network.h"
#include "core/train/replica/weight_guard.h"

namespace lockstep::train {

/// How replicas find that weights are not what their updates made of them: each looks at its shares
/// of its host's one copy, and copies of several hosts are compared. One thread.
class WeightIdentity {
public:
    /// Network and communicator must outlive it. `replica`: of the job. `isGuarded`: shares are
    /// looked at.
    WeightIdentity(const program::Network& network, collective::Communicator& communicator,
                   std::span<const collective::Range> buckets, int replica, bool isGuarded);

    [[nodiscard]] bool isGuarded() const { return guard_.has_value(); }

    /// Updates a share by `apply(range)`, which returns the sums of its weights; where it is
    /// guarded block by block. Internal: an update has found a block that something else had
    /// changed; the share is not to be published.
    template <typename Apply>
    [[nodiscard]] Result<void> update(std::size_t bucket, const collective::Range& share,
                                      std::int64_t step, const Apply& apply) {
        if (!guard_) {
            apply(share);
            return {};
        }
        for (std::size_t i = 0; i < WeightGuard::blockCount(share); ++i) {
            const collective::Range block = WeightGuard::blockOf(share, i);
            if (!guard_->take(bucket, share, i, apply(block))) return changed(block, step);
        }
        return {};
    }

    /// Shares behind `step`, which no later update looks at. Internal, as above.
    [[nodiscard]] Result<void> checkShares(std::int64_t step) const;

    /// Replicas that share memory have one copy: those of other hosts have others, kept alike by
    /// the same updates alone.
    [[nodiscard]] bool hasCopies() const;
    /// Compares them behind `step`; all replicas call it. Internal: this one's, or one whose owner
    /// nothing tells, is another; PeerLost: somebody else's is.
    [[nodiscard]] Result<void> compareCopies(std::int64_t step);

    /// Which of the network's tensors has this element of the parameters.
    [[nodiscard]] const program::PlacedTensor& tensorAt(std::size_t element) const;

private:
    [[nodiscard]] Result<void> changed(const collective::Range& block, std::int64_t step) const;
    [[nodiscard]] Result<void> nameDifference(std::int64_t step);

    const program::Network& network_;
    collective::Communicator& communicator_;
    int replica_;
    std::optional<WeightGuard> guard_;
    std::vector<std::uint64_t> hashes_;  ///< Of each replica's copy, to be compared.
};

}  // namespace lockstep::train
