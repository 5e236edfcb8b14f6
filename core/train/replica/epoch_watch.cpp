// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/epoch_watch.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/base/plural.h"

namespace lockstep::train {

namespace {

/// NaN where there is nothing to go by.
double valueOf(const config::Watch& watch, const EpochWatch::Figures& figures) {
    using config::Monitor;
    const SplitScore score =
        watch.isOfValidation() ? figures.validation.value_or(SplitScore{}) : figures.train;
    if (score.samples <= 0) return std::numeric_limits<double>::quiet_NaN();
    if (watch.monitor == Monitor::ValidationLoss || watch.monitor == Monitor::TrainLoss)
        return score.loss();
    if (watch.metric.empty()) return score.accuracy();
    if (figures.metrics != nullptr)
        for (const Figure& figure : figures.metrics->figures(score))
            if (figure.name == watch.metric) return figure.value;
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

EpochWatch::EpochWatch(const config::JobSpec& job, const checkpoint::TrainingState* resumed)
    : best_(config::bestWatch(job)),
      early_(config::earlyStoppingWatch(job)),
      minDelta_(job.earlyStopping.minDelta),
      patience_(job.earlyStopping.patience) {
    // As in Keras, whose early stopping restores what it counted as better.
    if (config::restoresBest(job) && best_ == early_) bestDelta_ = minDelta_;
    if (best_) bestState_.monitor = config::toString(*best_);
    if (early_) patienceState_.monitor = config::toString(*early_);
    if (resumed == nullptr) return;
    if (best_ && resumed->best.monitor == bestState_.monitor) bestState_ = resumed->best;
    if (early_ && resumed->patience.monitor == patienceState_.monitor)
        patienceState_ = resumed->patience;
}

bool EpochWatch::epochEnded(const Figures& figures) {
    if (early_) watchPatience(figures);
    if (!best_) return false;
    const double value = valueOf(*best_, figures);
    const bool isBetter =
        std::isfinite(value) &&
        (bestState_.step == 0 || best_->isBetter(value, bestState_.value, bestDelta_));
    if (!isBetter) return false;
    bestState_.step = figures.step;
    bestState_.epoch = figures.epoch;
    bestState_.value = value;
    return true;
}

void EpochWatch::watchPatience(const Figures& figures) {
    const double value = valueOf(*early_, figures);
    const bool isFirst = patienceState_.bestEpoch == 0;
    const bool isBetter = std::isfinite(value) &&
                          (isFirst || early_->isBetter(value, patienceState_.bestValue, minDelta_));
    if (!isBetter) {
        ++patienceState_.epochsWaited;
        return;
    }
    patienceState_.bestEpoch = figures.epoch;
    patienceState_.bestValue = value;
    patienceState_.epochsWaited = 0;
}

bool EpochWatch::wantsStop() const {
    // With patience 0 the first epoch without an improvement ends the training, but never epoch 1,
    // which has none before it.
    const std::int64_t epoch = patienceState_.bestEpoch + patienceState_.epochsWaited;
    return early_ && epoch > 1 && patienceState_.epochsWaited > 0 &&
           patienceState_.epochsWaited >= patience_;
}

std::string EpochWatch::stopSentence() const {
    if (!early_) return {};
    const std::int64_t waited = patienceState_.epochsWaited;
    std::string sentence =
        fmt::format("{} has not got better for {}",
                    config::monitorName(early_->monitor, early_->metric), counted(waited, "epoch"));
    if (patienceState_.bestEpoch > 0)
        sentence += fmt::format("; its best was {:.4g} in epoch {}", patienceState_.bestValue,
                                patienceState_.bestEpoch);
    return sentence;
}

}  // namespace lockstep::train
