// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/scalar_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {
namespace {

float meanOf(const std::map<int, double>& values) {
    double sum = 0;
    int count = 0;
    for (const auto& [who, said] : values) {
        if (!std::isfinite(said)) continue;
        sum += said;
        ++count;
    }
    return count > 0 ? float(sum / count) : std::numeric_limits<float>::quiet_NaN();
}

std::size_t placeOf(const ScalarMean::Piece& piece, std::int64_t step) {
    return std::size_t(std::ranges::lower_bound(piece.steps, step) - piece.steps.begin());
}

}  // namespace

/// What was said from a step on belongs to a start that has failed, whoever said it.
void ScalarMean::rewind(std::int64_t step) {
    waiting_.erase(waiting_.lower_bound(step), waiting_.end());
    for (auto& [replica, newest] : newest_)
        newest = std::min(newest, step - 1);
    const std::size_t kept = placeOf(known_, step);
    known_.steps.resize(kept);
    known_.values.resize(kept);
}

void ScalarMean::begin(int start, std::int64_t step) {
    if (start <= start_) return;
    start_ = start;
    rewind(step + 1);
}

ScalarMean::Piece ScalarMean::add(int replica, std::span<const std::int64_t> steps,
                                  std::span<const double> values, const ReplicasAt& replicasAt) {
    Piece found;
    if (steps.empty()) return found;
    const auto newest = newest_.find(replica);
    if (newest != newest_.end() && steps.front() <= newest->second) rewind(steps.front());
    newest_[replica] = steps.back();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const int replicas = replicasAt(steps[i]);
        if (replicas > 0 && replica >= replicas) continue;  // of a start before the present one
        const auto [entry, isNew] = waiting_.try_emplace(steps[i]);
        entry->second[replica] = values[i];
        if (replicas > 0 && int(entry->second.size()) >= replicas) {
            found.steps.push_back(steps[i]);
            found.values.push_back(meanOf(entry->second));
            waiting_.erase(entry);
        }
    }
    forgetPassed(replicasAt);
    return insert(std::move(found));
}

/// Steps that every replica has passed: one of them has not said it, and never will.
void ScalarMean::forgetPassed(const ReplicasAt& replicasAt) {
    while (waiting_.size() > kMostWaiting) {
        const std::int64_t step = waiting_.begin()->first;
        bool isPassed = true;
        for (int replica = 0; isPassed && replica < replicasAt(step); ++replica) {
            const auto newest = newest_.find(replica);
            isPassed = newest != newest_.end() && newest->second >= step;
        }
        if (!isPassed && waiting_.size() <= kMostSilent) return;
        waiting_.erase(waiting_.begin());
    }
}

ScalarMean::Piece ScalarMean::insert(Piece found) {
    if (found.steps.empty()) return found;
    const std::size_t from = placeOf(known_, found.steps.front());
    Piece all;
    std::size_t next = 0;
    const auto take = [&all](const Piece& piece, std::size_t at) {
        all.steps.push_back(piece.steps[at]);
        all.values.push_back(piece.values[at]);
    };
    for (std::size_t at = from; at < known_.steps.size(); ++at) {
        while (next < found.steps.size() && found.steps[next] < known_.steps[at])
            take(found, next++);
        if (next == found.steps.size() || found.steps[next] != known_.steps[at]) take(known_, at);
    }
    while (next < found.steps.size())
        take(found, next++);
    known_.steps.resize(from);
    known_.values.resize(from);
    known_.steps.insert(known_.steps.end(), all.steps.begin(), all.steps.end());
    known_.values.insert(known_.values.end(), all.values.begin(), all.values.end());
    return all;
}

}  // namespace lockstep::ui
