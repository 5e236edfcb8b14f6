// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/plateau.h"

#include <algorithm>
#include <cmath>

namespace lockstep::train {

Plateau::Plateau(const config::TrainingSpec& training, const checkpoint::TrainingState* resumed)
    : isActive_(training.schedule.kind == config::ScheduleKind::ReduceOnPlateau),
      spec_(training.schedule) {
    state_.rate = state_.initialRate = training.learningRate;
    if (resumed == nullptr || resumed->plateau.rate <= 0) return;
    const checkpoint::PlateauState& before = resumed->plateau;
    const bool isOther = before.initialRate > 0 && before.initialRate != training.learningRate;
    if (isOther) {
        state_.hasBest = before.hasBest;
        state_.best = before.best;
        return;
    }
    state_ = before;
    state_.initialRate = training.learningRate;
}

/// Step by step as the callback. A loss that is no number is not better.
bool Plateau::epochEnded(double validationLoss) {
    if (state_.cooldown > 0) {
        --state_.cooldown;
        state_.waited = 0;
    }
    const bool isBetter = std::isfinite(validationLoss) &&
                          (!state_.hasBest || validationLoss + spec_.minDelta < state_.best);
    if (isBetter) {
        state_.hasBest = true;
        state_.best = validationLoss;
        state_.waited = 0;
        return false;
    }
    if (state_.cooldown > 0) return false;
    ++state_.waited;
    if (state_.waited < spec_.patience || state_.rate <= spec_.minLearningRate) return false;
    state_.rate = std::max(state_.rate * spec_.factor, spec_.minLearningRate);
    state_.cooldown = spec_.cooldown;
    state_.waited = 0;
    return true;
}

}  // namespace lockstep::train
