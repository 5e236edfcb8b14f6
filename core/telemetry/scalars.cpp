// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/scalars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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

/// A replica beyond the end of an epoch's last batch.
bool isWithoutSamples(const wire::StepBatch& steps, int index) {
    // They come in ascending order.
    return std::ranges::binary_search(steps.without_samples(), static_cast<std::uint32_t>(index));
}

}  // namespace

void ScalarExpander::expand(const wire::Record& record, std::vector<Scalar>& out) {
    switch (record.body_case()) {
        case wire::Record::kReplicaInfo:
            if (record.replica_info().role() == wire::ROLE_WORKER)
                processOfReplica_[static_cast<int>(record.replica_info().replica())] =
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
        case wire::Record::kScalarSeries:
            if (isWellFormed(record.scalar_series())) book_.add(record.scalar_series());
            break;
        case wire::Record::kScalars:
            if (isWellFormed(record.scalars())) expandNamed(record.scalars(), out);
            break;
        default:
            break;
    }
}

int ScalarExpander::processOf(int replica) const {
    const auto process = processOfReplica_.find(replica);
    return process == processOfReplica_.end() ? -1 : process->second;
}

/// Values whose name was lost with a damaged record are passed over: who reads the journal says so.
void ScalarExpander::expandNamed(const wire::ScalarBatch& batch, std::vector<Scalar>& out) {
    const bool ofJob = batch.replica() == kWholeJob;
    const int ofChief = batch.role() == wire::ROLE_WORKER ? kChief : -1;
    const int processId = ofJob ? ofChief : processOf(batch.replica());
    for (const wire::ScalarColumn& column : batch.columns()) {
        const auto* series = book_.find(batch.role(), batch.replica(), column.id());
        if (series == nullptr) continue;
        const std::string_view tag = *tags_.insert(series->name).first;
        for (int i = 0; i < column.values_size(); ++i)
            out.push_back({column.first_wall_time() + double{column.after_seconds(i)},
                           column.steps(i), processId, batch.replica(), tag, column.values(i),
                           true});
    }
}

void ScalarExpander::expandSteps(const wire::StepBatch& steps, std::vector<Scalar>& out) const {
    const int count = steps.loss_size();
    if (steps.accuracy_size() != count || steps.step_us_size() != count) return;  // not of ours
    Scalar scalar;
    scalar.replica = static_cast<int>(steps.replica());
    scalar.processId = processOf(scalar.replica);
    const auto add = [&](std::string_view tag, double value) {
        scalar.tag = tag;
        scalar.value = value;
        out.push_back(scalar);
    };
    const std::array<std::pair<std::string_view, const google::protobuf::RepeatedField<float>*>, 5>
        phases{{{"time/data_ms", &steps.data_us()},
                {"time/forward_ms", &steps.forward_us()},
                {"time/backward_ms", &steps.backward_us()},
                {"time/all_reduce_ms", &steps.all_reduce_us()},
                {"time/update_ms", &steps.update_us()}}};
    scalar.wallTime = steps.first_end_wall_time();
    for (int i = 0; i < count; ++i) {
        if (i > 0) scalar.wallTime += 1e-6 * double{steps.step_us(i)};
        scalar.step = steps.first_step() + static_cast<std::uint64_t>(i);
        const bool hasSamples = !isWithoutSamples(steps, i);
        if (hasSamples) add("train/loss", steps.loss(i));
        // A user's own program need not report one. A loss that is no number is worth a line.
        if (hasSamples && !std::isnan(steps.accuracy(i))) add("train/accuracy", steps.accuracy(i));
        add("time/step_ms", 1e-3 * double{steps.step_us(i)});
        // A user's own program may leave all of them at 0: it does not know them.
        const auto at = [i](const auto* column) { return i < column->size() ? column->Get(i) : 0; };
        if (std::ranges::none_of(phases, [&](const auto& phase) { return at(phase.second) > 0; }))
            continue;
        for (const auto& [tag, microseconds] : phases)
            add(tag, 1e-3 * double{at(microseconds)});
    }
}

}  // namespace lockstep::telemetry
