// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/evaluation_watch.h"

#include <algorithm>
#include <cmath>

namespace lockstep::coordination {

namespace {

constexpr std::size_t kRemembered = 15;
constexpr Seconds kLeast{30};
constexpr double kFactor = 5;

}  // namespace

void EvaluationWatch::report(std::uint32_t evaluator, const wire::ReplicaProgress& progress) {
    const Seconds age(progress.phase_seconds());
    if (progress.phase() != wire::PHASE_EVALUATE || !std::isfinite(age.count()))
        return forget(evaluator);
    Present& present = present_[evaluator];
    if (age < present.age) present = {};  // another one
    present.age = age;
    const std::optional<Seconds> takes = usual(ofItsKind(evaluator));
    const Seconds limit = takes ? std::max(kLeast, kFactor * *takes) : first_;
    if (present.isTold || age < limit) return;
    present.isTold = true;
    news_.push_back({evaluator, age, takes});
}

void EvaluationWatch::done(std::uint32_t evaluator, const wire::Evaluation& evaluation) {
    // With what it took to get the checkpoint, as far as heartbeats have told.
    Seconds took(std::isfinite(evaluation.seconds()) ? evaluation.seconds() : 0);
    if (const auto present = present_.find(evaluator); present != present_.end())
        took = std::max(took, present->second.age);
    forget(evaluator);
    if (!evaluation.error().empty()) return;
    auto& [newest, next] = ofItsKind(evaluator);
    if (newest.size() < kRemembered)
        newest.push_back(took);
    else
        newest[next] = took;
    next = (next + 1) % kRemembered;
}

std::optional<Seconds> EvaluationWatch::usual(const Took& took) {
    if (took.newest.empty()) return std::nullopt;
    std::vector<Seconds> sorted = took.newest;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return *middle;
}

}  // namespace lockstep::coordination
