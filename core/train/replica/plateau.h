// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/checkpoint/snapshot.h"
#include "core/config/job/job_spec.h"

namespace lockstep::train {

/// The learning rate that a validation loss which gets no better reduces (Keras'
/// ReduceLROnPlateau). Pure. Replica 0's decides for all replicas; its state travels in every
/// checkpoint.
class Plateau {
public:
    /// `resumed`: of the checkpoint that the run goes on from; null for a fresh start. Where the
    /// job has another learning rate than before, that one holds, and counting begins anew.
    Plateau(const config::TrainingSpec& training, const checkpoint::TrainingState* resumed);

    /// Whether the job has this schedule.
    [[nodiscard]] bool isActive() const { return isActive_; }
    /// Takes the validation loss of an epoch in. True when the rate was reduced.
    [[nodiscard]] bool epochEnded(double validationLoss);
    [[nodiscard]] double rate() const { return state_.rate; }
    /// Of the job's schedule; a rate of 0 where it has another one.
    [[nodiscard]] checkpoint::PlateauState state() const {
        return isActive_ ? state_ : checkpoint::PlateauState{};
    }

private:
    bool isActive_;
    config::ScheduleSpec spec_;
    checkpoint::PlateauState state_;
};

}  // namespace lockstep::train
