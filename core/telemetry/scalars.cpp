// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/scalars.h"

#include <cmath>

namespace lockstep::telemetry {

namespace {

constexpr int kChief = 0;

void expandEpoch(const wire::EpochResult& epoch, double wallTime, std::vector<Scalar>& out) {
    const auto add = [&](std::string_view tag, double value) {
        const bool isAbsent = std::isnan(value) && tag.ends_with("accuracy");
        if (!isAbsent) out.push_back({wallTime, epoch.step(), kChief, -1, tag, value});
    };
    add("train/loss", epoch.train_loss());
    add("train/accuracy", epoch.train_accuracy());
    if (!epoch.has_validation()) return;
    add("validation/loss", epoch.validation_loss());
    add("validation/accuracy", epoch.validation_accuracy());
}

void expandEvaluation(const wire::Evaluation& evaluation, double wallTime,
                      std::vector<Scalar>& out) {
    if (!evaluation.error().empty()) return;
    const bool isTest = evaluation.split() == "test";
    const auto add = [&](std::string_view tag, double value) {
        const bool isAbsent = std::isnan(value) && tag.ends_with("accuracy");
        if (!isAbsent) out.push_back({wallTime, evaluation.step(), -1, -1, tag, value});
    };
    add(isTest ? "evaluator/test_loss" : "evaluator/loss", evaluation.loss());
    add(isTest ? "evaluator/test_accuracy" : "evaluator/accuracy", evaluation.accuracy());
}

}  // namespace

void ScalarExpander::expand(const wire::Record& record, std::vector<Scalar>& out) {
    switch (record.body_case()) {
        case wire::Record::kReplicaInfo:
            if (record.replica_info().role() == wire::ROLE_WORKER)
                processOfReplica_[record.replica_info().replica()] =
                    static_cast<int>(record.replica_info().process_id());
            break;
        case wire::Record::kSteps:
            expandSteps(record.steps(), out);
            break;
        case wire::Record::kEpoch:
            expandEpoch(record.epoch(), record.wall_time(), out);
            break;
        case wire::Record::kEvaluation:
            expandEvaluation(record.evaluation(), record.wall_time(), out);
            break;
        default:
            break;
    }
}

void ScalarExpander::expandSteps(const wire::StepBatch& steps, std::vector<Scalar>& out) const {
    const int count = steps.loss_size();
    if (steps.accuracy_size() != count || steps.step_us_size() != count) return;  // not of ours
    const auto process = processOfReplica_.find(steps.replica());
    const int processId = process == processOfReplica_.end() ? -1 : process->second;
    const int replica = static_cast<int>(steps.replica());
    double wallTime = steps.first_end_wall_time();
    for (int i = 0; i < count; ++i) {
        if (i > 0) wallTime += 1e-6 * double{steps.step_us(i)};
        const std::uint64_t step = steps.first_step() + static_cast<std::uint64_t>(i);
        out.push_back({wallTime, step, processId, replica, "train/loss", steps.loss(i)});
        // A user's own program need not report one. A loss that is no number is worth a line.
        if (!std::isnan(steps.accuracy(i)))
            out.push_back(
                {wallTime, step, processId, replica, "train/accuracy", steps.accuracy(i)});
        out.push_back(
            {wallTime, step, processId, replica, "time/step_ms", 1e-3 * double{steps.step_us(i)}});
    }
}

}  // namespace lockstep::telemetry
