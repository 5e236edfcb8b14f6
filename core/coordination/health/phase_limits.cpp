// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/phase_limits.h"

#include <algorithm>
#include <cmath>

namespace lockstep::coordination {

namespace {

constexpr std::size_t kRememberedSteps = 256;
constexpr double kMaxStepSeconds = 1e6;
/// What is shorter than the time between two heartbeats may never be seen.
constexpr Nanos kUnseen = 1s;

}  // namespace

void PhaseLimits::addSteps(const wire::StepBatch& steps) {
    for (const float microseconds : steps.step_us()) {
        if (!std::isfinite(microseconds) || microseconds < 0) continue;
        if (stepMicroseconds_.size() < kRememberedSteps)
            stepMicroseconds_.push_back(microseconds);
        else
            stepMicroseconds_[nextStepTime_] = microseconds;
        nextStepTime_ = (nextStepTime_ + 1) % kRememberedSteps;
    }
}

void PhaseLimits::left(wire::Phase phase, Nanos age) {
    if (phase != wire::PHASE_CHECKPOINT && phase != wire::PHASE_EVALUATE) return;
    Nanos& longest = longest_[phase];
    longest = std::max(longest, age);
}

void PhaseLimits::completed(wire::Phase phase) {
    completed_.insert(phase);
}

Nanos PhaseLimits::of(wire::Phase phase, bool isRegular) const {
    switch (phase) {
        case wire::PHASE_STARTING:
        case wire::PHASE_WAITING:  // while a run's state is handed out
            return limits_.starting;
        case wire::PHASE_CHECKPOINT:
            return isRegular ? ofOccasion(phase, limits_.checkpoint) : limits_.checkpoint;
        case wire::PHASE_DISK:
            return limits_.checkpoint;
        case wire::PHASE_EVALUATE:
            return isRegular ? ofOccasion(phase, limits_.evaluate) : limits_.evaluate;
        case wire::PHASE_CALLBACK:
            return limits_.evaluate;
        default:
            return ofStep(phase);
    }
}

Nanos PhaseLimits::likeOthers(Nanos longest) const {
    return scaled(longest + kUnseen, limits_.stepMinimum);
}

Nanos PhaseLimits::scaled(Nanos usual, Nanos least) const {
    return std::max(least, std::chrono::duration_cast<Nanos>(limits_.stepFactor * Seconds(usual)));
}

Nanos PhaseLimits::ofStep(wire::Phase phase) const {
    if (stepMicroseconds_.empty()) return limits_.beforeFirstStep;
    // What a program does between its steps without a word (scoring, saving) takes its time.
    return scaled(medianStep(),
                  phase == wire::PHASE_PROGRAM ? limits_.beforeFirstStep : limits_.stepMinimum);
}

/// Each takes about as long as the one before. Of the first nothing is known.
Nanos PhaseLimits::ofOccasion(wire::Phase phase, Nanos first) const {
    if (isTesting_ || !completed_.contains(phase)) return first;
    const auto longest = longest_.find(phase);
    const Nanos seen = longest == longest_.end() ? Nanos{} : longest->second;
    return std::min(first, likeOthers(seen));
}

Nanos PhaseLimits::medianStep() const {
    std::vector<float> sorted = stepMicroseconds_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double seconds = std::min(*middle * 1e-6, kMaxStepSeconds);
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

}  // namespace lockstep::coordination
