// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/config/job/job_spec.h"
#include "core/program/network.h"
#include "core/train/replica/mesh_member.h"

namespace lockstep::train {

/// What gradients are multiplied with so that their norms are clipped: of each tensor, or of all
/// together. Every replica measures its shares; two exchanges make norms of it. The sums are of
/// whole numbers, so the norm is a function of the gradient alone, however the work is shared, and
/// all replicas hold the same bits. Of a mesh's members each measures its parts of the tensors, and
/// the first those that all have.
class GradientClip {
public:
    GradientClip(const config::TrainingSpec& training, const program::Network& network,
                 std::vector<collective::Range> buckets, MeshMember* mesh = nullptr);

    /// False: there is no norm to clip, and none of the following is called.
    [[nodiscard]] bool isNeeded() const { return limit_ != 0; }

    /// From the reduced gradients in this replica's share of each bucket. Every replica calls it
    /// in every step. Errors are the communicator's; Internal where shares leave gaps.
    [[nodiscard]] Result<void> measure(collective::Communicator& communicator,
                                       std::span<const collective::Range> shares);
    /// Of all that was measured, together; no number where a gradient is not finite.
    [[nodiscard]] double norm() const { return norm_; }
    /// What the gradient of the tensor of this index is multiplied with.
    [[nodiscard]] float scaleOf(std::size_t tensor) const {
        return scales_[isGlobal_ ? 0 : tensor];
    }

private:
    [[nodiscard]] Result<void> findHolders(collective::Communicator& communicator,
                                           std::span<const collective::Range> shares);
    [[nodiscard]] Result<void> gather(collective::Communicator& communicator);
    void spreadOverColumns();
    void measureLargest(collective::Communicator& communicator,
                        std::span<const collective::Range> shares);
    void measureSquares(collective::Communicator& communicator,
                        std::span<const collective::Range> shares);
    void decideScales();
    /// work(norm's index, part of the gradients) for all that lies in the shares.
    template <typename Work>
    void forParts(collective::Communicator& communicator, std::span<const collective::Range> shares,
                  const Work& work) const;

    const program::Network& network_;
    const std::vector<collective::Range> buckets_;
    MeshMember* const mesh_;  ///< Null: the communicator's replicas are all.
    const bool isGlobal_;
    const double limit_;
    std::size_t norms_;
    std::vector<std::size_t> holders_;    ///< Replicas whose shares cover each bucket once.
    std::vector<std::uint64_t> mine_;     ///< What this replica measured.
    std::vector<std::uint64_t> all_;      ///< What all did.
    std::vector<std::uint32_t> largest_;  ///< Of each norm: bits of the largest magnitude.
    double norm_ = 0;
    std::vector<float> scales_;
};

}  // namespace lockstep::train
