// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/step_collector.h"

#include <array>
#include <utility>

namespace lockstep::job {

namespace {

using WireColumn = google::protobuf::RepeatedField<float>;

/// The phases' columns of a batch in the order of Phase.
std::array<const WireColumn*, kStepPhases> phaseColumns(const wire::StepBatch& batch) {
    return {&batch.data_us(), &batch.forward_us(), &batch.backward_us(), &batch.all_reduce_us(),
            &batch.update_us()};
}

/// Steps that come so much later than those before them say are no continuation: the run stood
/// still, as before a start of its own, and the times of the later ones would be told wrongly.
constexpr double kPauseSeconds = 1;

void append(std::vector<float>& column, const WireColumn& values) {
    column.insert(column.end(), values.data(), values.data() + values.size());
}

}  // namespace

bool isWellFormed(const wire::StepBatch& batch) {
    const int size = batch.loss_size();
    bool isEven = size > 0 && batch.accuracy_size() == size && batch.step_us_size() == size;
    for (const WireColumn* column : phaseColumns(batch))
        isEven = isEven && column->size() == size;
    return isEven;
}

void StepCollector::add(const wire::StepBatch& batch, int start, std::int64_t firstEnd) {
    const auto firstStep = static_cast<std::int64_t>(batch.first_step());
    const auto [known, isNew] = newestOf_.try_emplace(batch.replica(), columns_.size());
    bool continues = !isNew;
    if (continues) {
        const StepColumns& newest = columns_[known->second];
        continues = newest.start == start &&
                    newest.firstStep + static_cast<std::int64_t>(newest.loss.size()) == firstStep &&
                    batch.first_end_wall_time() - 1e-6 * batch.step_us(0) - ends_[known->second] <
                        kPauseSeconds;
    }
    if (!continues) {
        known->second = columns_.size();
        StepColumns& fresh = columns_.emplace_back();
        fresh.replica = static_cast<int>(batch.replica());
        fresh.start = start;
        fresh.firstStep = firstStep;
        fresh.firstEndWallTime = batch.first_end_wall_time();
        ends_.push_back(batch.first_end_wall_time() - 1e-6 * batch.step_us(0));
    }
    StepColumns& columns = columns_[known->second];
    columns.measuredEnds.push_back({columns.loss.size(), firstEnd});
    for (const std::uint32_t index : batch.without_samples())
        columns.withoutSamples.push_back(firstStep + static_cast<std::int64_t>(index));
    append(columns.loss, batch.loss());
    append(columns.accuracy, batch.accuracy());
    append(columns.stepMicroseconds, batch.step_us());
    for (const float microseconds : batch.step_us())
        ends_[known->second] += 1e-6 * double(microseconds);
    const auto phases = phaseColumns(batch);
    for (std::size_t phase = 0; phase < kStepPhases; ++phase)
        append(columns.phaseMicroseconds[phase], *phases[phase]);
    size_ += static_cast<std::size_t>(batch.loss_size());
}

std::vector<StepColumns> StepCollector::take() {
    newestOf_.clear();
    ends_.clear();
    size_ = 0;
    return std::exchange(columns_, {});
}

}  // namespace lockstep::job
