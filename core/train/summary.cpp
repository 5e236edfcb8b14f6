// SPDX-License-Identifier: Apache-2.0
#include "core/train/summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lockstep::train {

namespace {

using nlohmann::json;

json percentile(std::vector<float> values, double part) {
    if (values.empty()) return nullptr;
    const auto place =
        static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

void addScore(json& summary, const std::string& split, const std::optional<SplitScore>& score) {
    const bool known = score && score->samples > 0;
    summary[split + "_loss"] = known ? json(score->loss()) : json(nullptr);
    summary[split + "_accuracy"] = known ? json(score->accuracy()) : json(nullptr);
}

const char* nameOf(config::Precision precision) {
    switch (precision) {
        case config::Precision::Float32:
            return "float32";
        case config::Precision::Tf32:
            return "tf32";
        case config::Precision::BFloat16:
            return "bfloat16";
    }
    return "float32";
}

}  // namespace

std::string summaryJson(const config::JobSpec& job, const TrainingPlan& plan,
                        const TrainingOutcome& outcome, std::string_view backend,
                        std::string_view device, const std::vector<std::string>& notices) {
    json summary;
    summary["status"] = outcome.stopped ? "stopped" : "completed";
    summary["world_size"] = job.cluster.replicaCount();
    summary["backend"] = backend;
    summary["device"] = device;
    if (device == "gpu") summary["precision"] = nameOf(job.training.precision);
    summary["steps"] = outcome.step;
    summary["epochs"] = outcome.step / plan.stepsPerEpoch;
    addScore(summary, "train", outcome.train);
    addScore(summary, "validation", outcome.validation);
    addScore(summary, "test", outcome.test);
    summary["trained_steps"] = outcome.step - plan.firstStep;
    summary["train_seconds"] = outcome.trainSeconds;
    summary["samples_per_second"] = outcome.trainSeconds > 0
                                        ? json(outcome.samplesTrained / outcome.trainSeconds)
                                        : json(nullptr);
    summary["step_milliseconds"] = {{"p50", percentile(outcome.stepMilliseconds, 0.5)},
                                    {"p99", percentile(outcome.stepMilliseconds, 0.99)}};
    summary["state_hash"] = outcome.stateHash;
    summary["stopped_early_at_epoch"] =
        outcome.stoppedEarlyAtEpoch > 0 ? json(outcome.stoppedEarlyAtEpoch) : json(nullptr);
    const bool hasBest = outcome.best.step > 0;
    summary["best_epoch"] = hasBest ? json(outcome.best.epoch) : json(nullptr);
    summary["best_step"] = hasBest ? json(outcome.best.step) : json(nullptr);
    summary["best_value"] = hasBest ? json(outcome.best.value) : json(nullptr);
    summary["restored_best"] = outcome.restoredStep > 0;
    summary["restored_step"] =
        outcome.restoredStep > 0 ? json(outcome.restoredStep) : json(nullptr);
    summary["skipped_steps"] = outcome.skippedSteps;
    summary["warnings"] = notices;
    return summary.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lockstep::train
