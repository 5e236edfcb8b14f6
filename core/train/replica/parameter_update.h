// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "core/program/network.h"
#include "core/train/replica/gradient_clip.h"

namespace lockstep::train {

/// How a replica updates its shares of the weights: at the step's rate, each tensor as it is to
/// be: decayed or not, clipped by its norm, or not at all where it is not trained.
class ParameterUpdate {
public:
    /// `optimizer`, `network` and `mesh` must outlive it.
    ParameterUpdate(const optim::Optimizer& optimizer, const program::Network& network,
                    std::vector<collective::Range> buckets, std::int64_t stepsPerEpoch,
                    MeshMember* mesh = nullptr);

    [[nodiscard]] double rateAt(std::int64_t step) const {
        return decidedRate_ > 0 ? decidedRate_ : schedule_.rateAt(step);
    }
    /// What epochs' results have decided holds from here on, instead of the schedule.
    void setRate(double rate) { decidedRate_ = rate; }
    /// Whether no share can be updated before all are reduced and measured.
    [[nodiscard]] bool needsNorms() const { return clip_.isNeeded(); }
    [[nodiscard]] Result<void> measureNorms(collective::Communicator& communicator,
                                            std::span<const collective::Range> shares) {
        return clip_.measure(communicator, shares);
    }
    /// Of the newest step, before clipping; of steps that are measured only.
    [[nodiscard]] double gradientNorm() const { return clip_.norm(); }
    /// Updates this replica's share from the reduced gradients. `isFirst`: no step before was
    /// applied, in this run or what it goes on from. The sums are of the share's weights, of those
    /// that are not trained where `countsAll`.
    tensor::BitSums apply(collective::Communicator& communicator, const collective::Range& share,
                          std::int64_t step, bool isFirst = false, bool countsAll = false) const;

private:
    /// What is updated in one way: a tensor, or all that lies between those that differ.
    struct Piece {
        collective::Range range;
        bool decays = true;
        bool isTrained = true;
        std::size_t tensor = 0;
    };

    const optim::Optimizer& optimizer_;
    const optim::Schedule schedule_;
    double decidedRate_ = 0;  ///< 0: the schedule's.
    GradientClip clip_;
    std::vector<Piece> pieces_;  ///< From the first to the last element of the buffer.
};

}  // namespace lockstep::train
