// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/replica_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

}  // namespace

void ReplicaMean::reset() {
    replicas_.clear();
    start_ = -1;
    base_ = -1;
    missing_ = 0;
}

void ReplicaMean::setStarts(std::vector<std::int64_t> stepsBefore) {
    stepsBefore_ = std::move(stepsBefore);
}

void ReplicaMean::setStretches(std::vector<Stretch> stretches) {
    stretches_ = std::move(stretches);
    missing_ = 0;
}

int ReplicaMean::replicasAt(const std::vector<Stretch>& stretches, std::int64_t step) {
    if (stretches.empty()) return 0;
    const auto behind = std::upper_bound(
        stretches.begin(), stretches.end(), step,
        [](std::int64_t at, const Stretch& stretch) { return at < stretch.firstStep; });
    return behind == stretches.begin() ? behind->replicas : std::prev(behind)->replicas;
}

std::vector<ReplicaMean::Stretch> ReplicaMean::stretchesOf(const job::RunView& view) {
    std::vector<Stretch> stretches;
    for (const job::StartView& start : view.starts) {
        if (start.replicas <= 0) continue;
        while (!stretches.empty() && stretches.back().firstStep > start.firstStep)
            stretches.pop_back();
        stretches.push_back({start.firstStep + 1, start.replicas});
    }
    if (stretches.empty() && view.replicaCount > 0) stretches.push_back({1, view.replicaCount});
    return stretches;
}

/// Every replica of the next step has said its value. Of a thousand, whom it waited for last is
/// asked first: this is asked whenever one has said something.
bool ReplicaMean::isReady() {
    const auto wanted = std::size_t(std::max(replicasAt(stretches_, base_), 0));
    if (wanted == 0 || wanted > replicas_.size()) return false;
    const auto isSilent = [](const Pending& pending) { return pending.values.empty(); };
    if (missing_ < wanted && isSilent(replicas_[missing_])) return false;
    const auto end = replicas_.begin() + std::ptrdiff_t(wanted);
    const auto begin = replicas_.begin() + std::ptrdiff_t(std::min(missing_, wanted));
    const auto silent = std::find_if(begin, end, isSilent);
    missing_ = std::size_t(silent - replicas_.begin());
    return silent == end;
}

void ReplicaMean::rewind(std::int64_t step) {
    for (Pending& pending : replicas_)
        pending = {};
    base_ = step;
    missing_ = 0;
}

/// Whoever had not said the steps that are trained again cannot be told by them from the others.
void ReplicaMean::begin(int start, std::int64_t firstStep) {
    start_ = start;
    if (base_ < 0 || start >= int(stepsBefore_.size())) return;
    const std::int64_t next = stepsBefore_[std::size_t(start)] + 1;
    const auto count = [this](std::int64_t step) {
        return std::size_t(std::max(replicasAt(stretches_, step), 0));
    };
    replicas_.resize(std::max(replicas_.size(), count(base_)));
    bool isAnyLeft = false;
    for (Pending& pending : replicas_) {
        if (pending.nextStep > next) {
            pending.values.resize(std::size_t(std::max<std::int64_t>(next - base_, 0)));
            pending.nextStep = next;
        }
        isAnyLeft = isAnyLeft || !pending.values.empty();
    }
    if (!isAnyLeft) base_ = firstStep;
    missing_ = 0;
    // Those that this start is without will not say what they had not.
    for (std::size_t gone = count(next); gone < replicas_.size() && base_ < next; ++gone) {
        Pending& pending = replicas_[gone];
        pending.nextStep = next;
        pending.values.resize(std::size_t(next - base_), kUnknown);
    }
}

ReplicaMean::Piece ReplicaMean::add(int replica, int start, std::int64_t firstStep,
                                    std::span<const float> values) {
    if (replica < 0 || values.empty()) return {};
    if (start > start_) begin(start, firstStep);
    if (replica >= int(replicas_.size())) replicas_.resize(std::size_t(replica) + 1);
    Pending& mine = replicas_[std::size_t(replica)];
    if (base_ < 0 || (mine.nextStep >= 0 && firstStep < mine.nextStep)) rewind(firstStep);
    if (firstStep < base_) {  // the others have moved on: what lies before is not averaged any more
        const auto late = std::min<std::int64_t>(base_ - firstStep, std::int64_t(values.size()));
        values = values.subspan(std::size_t(late));
        firstStep += late;
        if (values.empty()) return {};
    }
    if (mine.nextStep < base_) mine.nextStep = base_;
    for (; mine.nextStep < firstStep; ++mine.nextStep)
        mine.values.push_back(kUnknown);
    mine.values.insert(mine.values.end(), values.begin(), values.end());
    mine.nextStep += std::int64_t(values.size());

    Piece piece{base_, {}};
    while (isReady())
        piece.values.push_back(takeMean());
    return piece;
}

float ReplicaMean::takeMean() {
    double sum = 0;
    int count = 0;
    for (Pending& pending : replicas_) {
        if (pending.values.empty()) continue;  // of a replica that a later start is without
        const float value = pending.values.front();
        pending.values.pop_front();
        if (!std::isfinite(value)) continue;
        sum += value;
        ++count;
    }
    ++base_;
    missing_ = 0;
    return count == 0 ? kUnknown : float(sum / count);
}

}  // namespace lockstep::ui
