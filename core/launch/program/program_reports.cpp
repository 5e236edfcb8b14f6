// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_reports.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "core/base/try.h"

namespace lockstep::launch {

namespace {

constexpr int kMostSteps = 4096;  ///< Of one report; and values of a figure.
constexpr std::uint64_t kLastStep = std::uint64_t{1} << 53;
constexpr double kMostStepMicroseconds = 1e12;
constexpr double kMostClockDifference = 86400;  ///< Seconds between its clock and this one.
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

using Column = google::protobuf::RepeatedField<float>;

/// A column has one entry a step; left out, each is `otherwise`.
bool completeColumn(Column& column, int count, float otherwise) {
    if (column.empty()) column.Resize(count, otherwise);
    return column.size() == count;
}

void clampTimes(Column& column) {
    for (float& microseconds : column)
        if (!(microseconds >= 0 && double{microseconds} <= kMostStepMicroseconds)) microseconds = 0;
}

auto timesOf(wire::StepBatch& steps) {
    return std::array<Column*, 6>{steps.mutable_step_us(),       steps.mutable_data_us(),
                                  steps.mutable_forward_us(),    steps.mutable_backward_us(),
                                  steps.mutable_all_reduce_us(), steps.mutable_update_us()};
}

Result<void> checkSteps(wire::StepBatch& steps) {
    const int count = steps.loss_size();
    if (count == 0 || count > kMostSteps || steps.first_step() == 0 ||
        steps.first_step() > kLastStep)
        return fail(ErrorCode::BadInput, "a report of steps has no steps, or too many");
    constexpr float kNoFigure = std::numeric_limits<float>::quiet_NaN();
    bool complete = completeColumn(*steps.mutable_accuracy(), count, kNoFigure);
    for (Column* times : timesOf(steps)) {
        complete = complete && completeColumn(*times, count, 0);
        clampTimes(*times);
    }
    if (complete) return {};
    return fail(ErrorCode::BadInput, "a report of steps has columns of unequal lengths");
}

double durationOf(const wire::StepBatch& steps) {
    double microseconds = 0;
    for (int i = 1; i < steps.step_us_size(); ++i)
        microseconds += double{steps.step_us(i)};
    return 1e-6 * microseconds;
}

wire::Record recordOf(wire::StepBatch steps) {
    wire::Record record;
    *record.mutable_steps() = std::move(steps);
    return record;
}

}  // namespace

ProgramReports::ProgramReports(std::uint32_t replica, bool chief)
    : replica_(replica), chief_(chief), figures_(wire::ROLE_WORKER, static_cast<int>(replica)) {
    results_.trainLoss = results_.trainAccuracy = kUnknown;
    results_.validationLoss = results_.validationAccuracy = kUnknown;
    results_.testLoss = results_.testAccuracy = kUnknown;
}

ProgramReports::Taken ProgramReports::take(std::string_view line, Nanos now, double wall) {
    auto report = TRY(parseReport(line));
    if (auto* steps = std::get_if<wire::StepBatch>(&report))
        return takeSteps(std::move(*steps), now, wall);
    if (const auto* figures = std::get_if<NamedFigures>(&report))
        return takeFigures(*figures, now, wall);
    if (const auto* epoch = std::get_if<wire::EpochResult>(&report)) return takeEpoch(*epoch);
    if (const auto* scores = std::get_if<wire::Evaluation>(&report)) return takeEvaluation(*scores);
    if (const auto* drops = std::get_if<wire::Drops>(&report)) return takeDrops(*drops);
    if (const auto* progress = std::get_if<wire::ReplicaProgress>(&report))
        takeProgress(*progress, now);
    if (const auto* plan = std::get_if<ProgramPlan>(&report)) {
        plan_ = *plan;
        hasBegun_ = true;
    }
    return std::nullopt;
}

/// Where no plan said it, the first step does.
void ProgramReports::begin(std::uint64_t firstStep) {
    if (!std::exchange(hasBegun_, true)) plan_.firstStep = firstStep == 0 ? 0 : firstStep - 1;
}

ProgramReports::Taken ProgramReports::takeDrops(wire::Drops drops) const {
    wire::Record record;
    *record.mutable_drops() = std::move(drops);
    record.mutable_drops()->set_replica(replica_);
    return record;
}

ProgramReports::Taken ProgramReports::takeSteps(wire::StepBatch steps, Nanos now, double wall) {
    TRY(checkSteps(steps));
    steps.set_replica(replica_);
    const double latest = steps.first_end_wall_time() + durationOf(steps);
    if (!(std::abs(latest - wall) <= kMostClockDifference))
        steps.set_first_end_wall_time(wall - durationOf(steps));
    begin(steps.first_step());
    hasSteps_ = true;
    const auto count = static_cast<std::uint64_t>(steps.loss_size());
    step_ = std::max(step_, steps.first_step() + count - 1);
    results_.steps = step_;
    results_.trainLoss = double{steps.loss(steps.loss_size() - 1)};
    results_.trainAccuracy = double{steps.accuracy(steps.accuracy_size() - 1)};
    since_ = now;
    return recordOf(std::move(steps));
}

ProgramReports::Taken ProgramReports::takeFigures(const NamedFigures& figures, Nanos now,
                                                  double wall) {
    const std::size_t count = figures.values.size();
    if (count == 0 || count > kMostSteps)
        return fail(ErrorCode::BadInput, "a report of a figure has no values, or too many");
    const bool hasTimes = figures.wallTimes.size() == count;
    if (figures.steps.size() != count || (!hasTimes && !figures.wallTimes.empty()))
        return fail(ErrorCode::BadInput, "a report of a figure has columns of unequal lengths");
    since_ = now;
    for (std::size_t i = 0; i < count; ++i) {
        const double told = hasTimes ? figures.wallTimes[i] : wall;
        const double time = std::abs(told - wall) <= kMostClockDifference ? told : wall;
        const auto added =
            addFigure(figures.name, figures.steps[i], time, figures.values[i], figures.unit);
        if (added == telemetry::ScalarRecorder::Added::Full) ++lost_;
        // A program that reports no steps is where its figures are.
        if (added == telemetry::ScalarRecorder::Added::Yes && !hasSteps_)
            step_ = std::max(step_, figures.steps[i]);
    }
    return std::nullopt;
}

telemetry::ScalarRecorder::Added ProgramReports::addFigure(std::string_view name,
                                                           std::uint64_t step, double wallTime,
                                                           double value, std::string_view unit) {
    const auto added = figures_.add(name, step, wallTime, value, unit);
    if (added == telemetry::ScalarRecorder::Added::Yes) begin(step);
    return added;
}

void ProgramReports::takeProgress(const wire::ReplicaProgress& progress, Nanos now) {
    if (progress.step() > step_ && progress.step() <= kLastStep) {
        step_ = progress.step();
        since_ = now;
    }
    if (wire::Phase_IsValid(progress.phase()) && progress.phase() != phase_)
        enter(progress.phase(), now);
}

void ProgramReports::enter(wire::Phase phase, Nanos now) {
    phase_ = phase;
    since_ = now;
}

ProgramReports::Taken ProgramReports::takeEpoch(const wire::EpochResult& epoch) {
    if (epoch.epoch() == 0) return fail(ErrorCode::BadInput, "a report is of epoch 0");
    if (!chief_) return std::nullopt;
    results_.epochs = std::max(results_.epochs, epoch.epoch());
    results_.trainLoss = epoch.train_loss();
    results_.trainAccuracy = epoch.train_accuracy();
    if (epoch.has_validation()) {
        results_.validationLoss = epoch.validation_loss();
        results_.validationAccuracy = epoch.validation_accuracy();
    }
    wire::Record record;
    *record.mutable_epoch() = epoch;
    if (epoch.step() == 0) record.mutable_epoch()->set_step(step_);
    return record;
}

/// The scores alone: what readers index by each other is not taken from a stranger.
ProgramReports::Taken ProgramReports::takeEvaluation(const wire::Evaluation& evaluation) {
    const bool isTest = evaluation.split() == "test";
    if (!isTest && evaluation.split() != "validation")
        return fail(ErrorCode::BadInput, "a report scores neither validation nor test");
    if (!chief_) return std::nullopt;
    (isTest ? results_.testLoss : results_.validationLoss) = evaluation.loss();
    (isTest ? results_.testAccuracy : results_.validationAccuracy) = evaluation.accuracy();
    wire::Record record;
    wire::Evaluation& scores = *record.mutable_evaluation();
    scores = evaluation;
    scores.clear_per_class_accuracy();
    scores.clear_confusion();
    scores.clear_samples();
    if (scores.step() == 0) scores.set_step(step_);
    return record;
}

wire::ReplicaProgress ProgramReports::progress(Nanos now) const {
    wire::ReplicaProgress progress;
    progress.set_replica(replica_);
    progress.set_step(step_);
    progress.set_phase(phase_);
    progress.set_phase_seconds(
        since_ ? std::chrono::duration<float>(std::max(now - *since_, Nanos{})).count() : 0);
    return progress;
}

}  // namespace lockstep::launch
