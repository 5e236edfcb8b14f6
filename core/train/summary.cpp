// SPDX-License-Identifier: Apache-2.0
#include "core/train/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/coordination/state/device_assignment.h"
#include "core/text/json.h"

namespace lockstep::train {

namespace {

using text::Json;

Json percentile(std::vector<float> values, double part) {
    if (values.empty()) return nullptr;
    const auto place = std::lround(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

void addScore(Json& summary, const std::string& split, const std::optional<SplitScore>& score,
              const MetricSet& metrics) {
    const bool known = score && score->samples > 0;
    summary[split + "_loss"] = known ? Json(score->loss()) : Json();
    const bool isRightOrWrong = known && !std::isnan(score->accuracy());
    summary[split + "_accuracy"] = isRightOrWrong ? Json(score->accuracy()) : Json();
    if (!known) return;
    for (const Figure& figure : metrics.figures(*score))
        summary[split + "_" + figure.name] =
            std::isfinite(figure.value) ? Json(figure.value) : Json();
}

/// Of every replica, by the number that the whole job knows its device by.
Json devicesOf(const wire::Welcome& roster, std::string_view type) {
    Json::List devices;
    for (const wire::Member& member : roster.members())
        for (const wire::Device& device : member.devices()) {
            if (device.type() != type) continue;
            devices.push_back(
                Json::object({{"id", fmt::format("{}:{}", type, devices.size())},
                              {"process_id", member.process_id()},
                              {"host", member.host()},
                              {"local_id", device.local_id()},
                              {"name", coordination::nameIn(member, device)},
                              {"uuid", device.uuid().empty() ? Json() : Json(device.uuid())},
                              {"memory_bytes", device.memory_bytes()}}));
        }
    return Json(std::move(devices));
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
                        const TrainingOutcome& outcome, const MetricSet& metrics,
                        std::string_view backend, std::string_view device,
                        const std::vector<std::string>& notices, const std::string& initialWeights,
                        const wire::Welcome& roster) {
    Json summary;
    summary["status"] = outcome.stopped ? "stopped" : "completed";
    summary["world_size"] = job.cluster.replicaCount();
    summary["backend"] = backend;
    summary["device"] = device;
    summary["devices"] = devicesOf(roster, device);
    if (device == "gpu") summary["precision"] = nameOf(job.training.precision);
    summary["steps"] = outcome.step;
    summary["epochs"] = outcome.step / plan.stepsPerEpoch;
    addScore(summary, "train", outcome.train, metrics);
    addScore(summary, "validation", outcome.validation, metrics);
    addScore(summary, "test", outcome.test, metrics);
    summary["trained_steps"] = outcome.step - plan.firstStep;
    summary["train_seconds"] = outcome.trainSeconds;
    summary["samples_per_second"] =
        outcome.trainSeconds > 0 ? Json(outcome.samplesTrained / outcome.trainSeconds) : Json();
    summary["step_milliseconds"] =
        Json::object({{"p50", percentile(outcome.stepMilliseconds, 0.5)},
                      {"p99", percentile(outcome.stepMilliseconds, 0.99)}});
    summary["state_hash"] = outcome.stateHash;
    summary["stopped_early_at_epoch"] =
        outcome.stoppedEarlyAtEpoch > 0 ? Json(outcome.stoppedEarlyAtEpoch) : Json();
    summary["stopped_early_because"] =
        outcome.stoppedBecause.empty() ? Json() : Json(outcome.stoppedBecause);
    const bool hasBest = outcome.best.step > 0;
    summary["best_epoch"] = hasBest ? Json(outcome.best.epoch) : Json();
    summary["best_step"] = hasBest ? Json(outcome.best.step) : Json();
    summary["best_value"] = hasBest ? Json(outcome.best.value) : Json();
    summary["restored_best"] = outcome.restoredStep > 0;
    summary["restored_step"] = outcome.restoredStep > 0 ? Json(outcome.restoredStep) : Json();
    summary["skipped_steps"] = outcome.skippedSteps;
    if (!initialWeights.empty()) summary["initial_weights"] = initialWeights;
    summary["warnings"] = notices;
    return summary.text();
}

}  // namespace lockstep::train
