// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/replica_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {

void ReplicaMean::reset(int replicas) {
    replicas_.assign(std::size_t(std::max(replicas, 0)), {});
    base_ = -1;
}

void ReplicaMean::rewind(std::int64_t step) {
    for (Pending& pending : replicas_)
        pending = {};
    base_ = step;
}

ReplicaMean::Piece ReplicaMean::add(int replica, std::int64_t firstStep,
                                    std::span<const float> values) {
    if (replica < 0 || replica >= int(replicas_.size()) || values.empty()) return {};
    Pending& mine = replicas_[std::size_t(replica)];
    if (base_ < 0 || (mine.nextStep >= 0 && firstStep < mine.nextStep)) rewind(firstStep);
    if (firstStep < base_) {  // the others have moved on: what lies before is not averaged any more
        const auto late = std::min<std::int64_t>(base_ - firstStep, std::int64_t(values.size()));
        values = values.subspan(std::size_t(late));
        firstStep += late;
    }
    if (mine.nextStep < 0) mine.nextStep = base_;
    constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
    for (; mine.nextStep < firstStep; ++mine.nextStep)
        mine.values.push_back(kUnknown);
    mine.values.insert(mine.values.end(), values.begin(), values.end());
    mine.nextStep += std::int64_t(values.size());

    Piece piece{base_, {}};
    const auto isReady = [](const Pending& pending) { return !pending.values.empty(); };
    while (std::all_of(replicas_.begin(), replicas_.end(), isReady))
        piece.values.push_back(takeMean());
    return piece;
}

float ReplicaMean::takeMean() {
    double sum = 0;
    int count = 0;
    for (Pending& pending : replicas_) {
        const float value = pending.values.front();
        pending.values.pop_front();
        if (!std::isfinite(value)) continue;
        sum += value;
        ++count;
    }
    ++base_;
    return count == 0 ? std::numeric_limits<float>::quiet_NaN() : float(sum / count);
}

}  // namespace lockstep::ui
