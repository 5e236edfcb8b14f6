// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/gradient_clip.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/try.h"
#include "core/collective/sum.h"
#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/cpu/updates.h"

namespace lockstep::train {

namespace {

constexpr std::uint32_t kInfinity = 0x7F800000;  // bits of it; a NaN has more
constexpr std::size_t kWords = 2;                // of a sum

bool isMeasurable(std::uint32_t magnitude) {
    return magnitude > 0 && magnitude < kInfinity;
}

}  // namespace

GradientClip::GradientClip(const config::TrainingSpec& training, const program::Network& network,
                           std::vector<collective::Range> buckets, MeshMember* mesh)
    : network_(network),
      buckets_(std::move(buckets)),
      mesh_(mesh),
      isGlobal_(training.clipNorm == 0),
      limit_(isGlobal_ ? training.globalClipNorm : training.clipNorm),
      norms_(isGlobal_ ? 1 : network.tensors().size()),
      largest_(norms_),
      scales_(norms_, 1.0F) {}

template <typename Work>
void GradientClip::forParts(collective::Communicator& communicator,
                            std::span<const collective::Range> shares, const Work& work) const {
    const auto& tensors = network_.tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].isStatistic() || !network_.graph().tensors[i].isTrainable) continue;
        if (mesh_ != nullptr && mesh_->isWhole(i) && !mesh_->isInFirstColumn()) continue;
        const std::size_t end = tensors[i].offset + tensors[i].size();
        for (const collective::Range& share : shares) {
            const std::size_t from = std::max(share.begin, tensors[i].offset);
            const std::size_t to = std::min(share.end, end);
            if (from < to) work(isGlobal_ ? 0 : i, communicator.sums().subspan(from, to - from));
        }
    }
}

Result<void> GradientClip::gather(collective::Communicator& communicator) {
    const int replicas = mesh_ != nullptr ? mesh_->replicaCount() : communicator.replicaCount();
    all_.resize(mine_.size() * static_cast<std::size_t>(replicas));
    return mesh_ != nullptr ? mesh_->allGather(mine_, all_) : communicator.allGather(mine_, all_);
}

/// Replicas of different hosts may hold the same share. Those of one host hold each element once:
/// the first group of replicas that cuts the buckets as a host of so many does.
Result<void> GradientClip::findHolders(collective::Communicator& communicator,
                                       std::span<const collective::Range> shares) {
    mine_.clear();
    for (const collective::Range& share : shares) {
        mine_.push_back(share.begin);
        mine_.push_back(share.end);
    }
    const auto replicas = static_cast<std::size_t>(communicator.replicaCount());
    all_.resize(mine_.size() * replicas);
    TRY(communicator.allGather(mine_, all_));
    const auto holds = [&](std::size_t replica, int index, int count) {
        for (std::size_t b = 0; b < buckets_.size(); ++b) {
            const std::uint64_t* held = &all_[replica * mine_.size() + 2 * b];
            const collective::Range wanted = collective::shareOf(buckets_[b], index, count);
            if (held[0] != wanted.begin || held[1] != wanted.end) return false;
        }
        return true;
    };
    for (int count = 1; count <= communicator.replicaCount(); ++count) {
        holders_.clear();
        for (int index = 0; index < count; ++index)
            for (std::size_t replica = 0; replica < replicas; ++replica)
                if (holds(replica, index, count)) {
                    holders_.push_back(replica);
                    break;
                }
        if (holders_.size() != static_cast<std::size_t>(count)) continue;
        spreadOverColumns();
        return {};
    }
    return fail(ErrorCode::Internal, "the replicas' shares of the gradients leave gaps");
}

/// What holds for this column of a mesh holds for the others, too.
void GradientClip::spreadOverColumns() {
    if (mesh_ == nullptr) return;
    const auto members = static_cast<std::size_t>(mesh_->members());
    std::vector<std::size_t> all;
    for (const std::size_t row : holders_)
        for (std::size_t column = 0; column < members; ++column)
            all.push_back(row * members + column);
    holders_ = std::move(all);
}

void GradientClip::measureLargest(collective::Communicator& communicator,
                                  std::span<const collective::Range> shares) {
    mine_.assign(norms_, 0);
    forParts(communicator, shares, [this](std::size_t norm, std::span<const float> part) {
        mine_[norm] =
            std::max<std::uint64_t>(mine_[norm], tensor::largestMagnitude(tensor::bestIsa(), part));
    });
}

void GradientClip::measureSquares(collective::Communicator& communicator,
                                  std::span<const collective::Range> shares) {
    std::vector<tensor::WideSum> sums(norms_);
    forParts(communicator, shares, [&](std::size_t norm, std::span<const float> part) {
        if (isMeasurable(largest_[norm]))
            sums[norm].add(tensor::sumOfSquares(tensor::bestIsa(), part,
                                                tensor::unitOfSquares(largest_[norm])));
    });
    mine_.clear();
    for (const tensor::WideSum& sum : sums) {
        mine_.push_back(sum.low);
        mine_.push_back(sum.high);
    }
}

/// As in Keras: clip / max(norm, clip). A gradient that is not finite has no norm, and makes the
/// weights no numbers.
void GradientClip::decideScales() {
    double squares = 0;
    for (std::size_t norm = 0; norm < norms_; ++norm) {
        scales_[norm] = 1.0F;
        if (largest_[norm] >= kInfinity) {
            scales_[norm] = std::numeric_limits<float>::quiet_NaN();
            squares = std::numeric_limits<double>::quiet_NaN();
        }
        if (!isMeasurable(largest_[norm])) continue;
        tensor::WideSum sum;
        for (const std::size_t holder : holders_) {
            const std::uint64_t* words = &all_[(holder * norms_ + norm) * kWords];
            sum.add(tensor::WideSum{words[0], words[1]});
        }
        const double length = std::sqrt(sum.toDouble() * tensor::unitOfSquares(largest_[norm]));
        scales_[norm] = static_cast<float>(limit_ / std::max(length, limit_));
        squares += length * length;
    }
    norm_ = std::sqrt(squares);
}

Result<void> GradientClip::measure(collective::Communicator& communicator,
                                   std::span<const collective::Range> shares) {
    if (holders_.empty()) TRY(findHolders(communicator, shares));
    measureLargest(communicator, shares);
    TRY(gather(communicator));
    for (std::size_t norm = 0; norm < norms_; ++norm) {
        largest_[norm] = 0;
        for (std::size_t at = norm; at < all_.size(); at += norms_)
            largest_[norm] = std::max(largest_[norm], static_cast<std::uint32_t>(all_[at]));
    }
    measureSquares(communicator, shares);
    TRY(gather(communicator));
    decideScales();
    return {};
}

}  // namespace lockstep::train
