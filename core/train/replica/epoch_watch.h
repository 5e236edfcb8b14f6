// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/checkpoint/snapshot.h"
#include "core/config/job/job_spec.h"
#include "core/config/job/monitor.h"
#include "core/train/objective/metric_set.h"
#include "core/train/objective/score.h"

namespace lockstep::train {

/// What the figures of the epochs lead to: which checkpoint is the best, and whether training goes
/// on (Keras' ModelCheckpoint and EarlyStopping). Pure. Replica 0's decides for all replicas; its
/// state travels in every checkpoint, so that a resumed run decides as an undisturbed one.
class EpochWatch {
public:
    /// The figures of one epoch, over all replicas.
    struct Figures {
        int epoch = 0;  ///< 1-based.
        std::int64_t step = 0;
        SplitScore train;
        std::optional<SplitScore> validation;
        const MetricSet* metrics =
            nullptr;  ///< What the scores' metrics are; null: there are none.
    };

    /// `resumed`: of the checkpoint that the run goes on from; null for a fresh start. Counters of
    /// another figure than the job now watches say nothing and begin anew.
    EpochWatch(const config::JobSpec& job, const checkpoint::TrainingState* resumed);

    /// Takes an epoch in. True when it is the best so far: its checkpoint is to be kept.
    [[nodiscard]] bool epochEnded(const Figures& figures);

    /// Whether patience is used up. Never before the second epoch, as in Keras.
    [[nodiscard]] bool wantsStop() const;
    /// "validation_loss has not got better for 3 epochs; its best was 0.1234 in epoch 4".
    [[nodiscard]] std::string stopSentence() const;
    /// Whether there is anything to decide, so that replicas need to agree.
    [[nodiscard]] bool isActive() const { return best_.has_value() || early_.has_value(); }

    [[nodiscard]] const checkpoint::BestState& best() const { return bestState_; }
    [[nodiscard]] const checkpoint::PatienceState& patience() const { return patienceState_; }

private:
    void watchPatience(const Figures& figures);

    std::optional<config::Watch> best_;
    std::optional<config::Watch> early_;
    double minDelta_ = 0;
    double bestDelta_ = 0;  ///< What the best checkpoint must be better by.
    std::int64_t patience_ = 0;
    checkpoint::BestState bestState_;
    checkpoint::PatienceState patienceState_;
};

}  // namespace lockstep::train
