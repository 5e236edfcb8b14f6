// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/parameter_update.h"

#include <algorithm>
#include <utility>

#include "core/tensor/cpu/layers/vector_loops.h"

namespace lockstep::train {

/// The gap behind a tensor belongs to it: what is zero stays zero. Pieces that are treated alike
/// are one, so that an update without decay, clipping or fixed tensors is of the whole share.
ParameterUpdate::ParameterUpdate(const optim::Optimizer& optimizer, const program::Network& network,
                                 std::vector<collective::Range> buckets, std::int64_t stepsPerEpoch,
                                 MeshMember* mesh)
    : optimizer_(optimizer),
      schedule_(optimizer.settings(), stepsPerEpoch),
      clip_(optimizer.settings(), network, std::move(buckets), mesh) {
    const config::TrainingSpec& training = optimizer.settings();
    const bool onAll = training.weightDecayOn == config::DecayOn::All;
    const auto& tensors = network.tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].isStatistic()) continue;
        pieces_.push_back({.range = {tensors[i].offset, network.parameterCount()},
                           .decays = onAll || tensors[i].shape.size() >= 2,
                           .isTrained = network.graph().tensors[i].isTrainable,
                           .tensor = i});
    }
    std::ranges::sort(pieces_, {}, [](const Piece& piece) { return piece.range.begin; });
    const bool byTensor = training.clipNorm != 0;
    std::vector<Piece> merged;
    for (const Piece& piece : pieces_) {
        const bool isLike = !merged.empty() && !byTensor && merged.back().decays == piece.decays &&
                            merged.back().isTrained == piece.isTrained;
        if (isLike) continue;
        if (!merged.empty()) merged.back().range.end = piece.range.begin;
        merged.push_back(piece);
    }
    pieces_ = std::move(merged);
}

tensor::BitSums ParameterUpdate::apply(collective::Communicator& communicator,
                                       const collective::Range& share, std::int64_t step,
                                       bool isFirst, bool countsAll) const {
    optim::Moments moments;  // plain SGD has none
    for (int i = 0; i < optimizer_.momentCount(); ++i)
        moments[static_cast<std::size_t>(i)] = communicator.moments(i);
    const double rate = rateAt(step);
    const std::span<float> parameters = communicator.parameters();
    tensor::BitSums sums;
    for (const Piece& piece : pieces_) {
        const std::size_t begin = std::max(piece.range.begin, share.begin);
        const std::size_t end = std::min(piece.range.end, share.end);
        if (begin >= end || (!piece.isTrained && !countsAll)) continue;
        if (!piece.isTrained) {
            const std::uint32_t sum =
                tensor::sumOfBits(tensor::bestIsa(), parameters.subspan(begin, end - begin));
            sums.add({.found = sum, .left = sum});
            continue;
        }
        sums.add(optimizer_.update(
            begin, end, communicator.sums(), parameters, moments,
            {.step = step,
             .learningRate = rate,
             .decays = piece.decays,
             .gradientScale = needsNorms() ? clip_.scaleOf(piece.tensor) : 1.0F}));
    }
    if (const int index = optimizer_.averageIndex(); index >= 0)
        optimizer_.addToAverage(
            std::span<const float>(parameters).subspan(share.begin, share.size()),
            communicator.moments(index).subspan(share.begin, share.size()), isFirst);
    return sums;
}

}  // namespace lockstep::train
