// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/launch/program/report_line.h"
#include "core/telemetry/scalar_recorder.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::launch {

/// What a user's own program has said of itself so far. Where it said nothing: 0 and NaN.
struct ProgramResults {
    std::uint64_t steps = 0;
    std::uint32_t epochs = 0;
    double trainLoss = 0;
    double trainAccuracy = 0;
    double validationLoss = 0;
    double validationAccuracy = 0;
    double testLoss = 0;
    double testAccuracy = 0;
};

/// Makes records of the run's journal of what a user's own program reports (report_line.h):
/// completes and checks them, since anybody may have written that program. Pure: no socket, no
/// clock, no thread.
class ProgramReports {
public:
    /// `replica`: the number of the program's one replica; `chief`: it speaks for the run, too.
    ProgramReports(std::uint32_t replica, bool chief);

    /// The record of a report, or nothing where there is none to be made (progress, a run's figures
    /// from a process that is not the chief); named figures go to `figures`. BadInput: it is none;
    /// nothing has changed. `now` and `wall`: the same moment, monotonic and since 1970.
    [[nodiscard]] Result<std::optional<wire::Record>> take(std::string_view line, Nanos now,
                                                           double wall);

    /// A named figure that somebody else has found, in a file that the program writes.
    telemetry::ScalarRecorder::Added addFigure(std::string_view name, std::uint64_t step,
                                               double wallTime, double value,
                                               std::string_view unit);
    /// Values of the program's figures for which there was no room, since the last call.
    [[nodiscard]] std::uint64_t takeLost() { return std::exchange(lost_, 0); }
    /// The program's named figures, on their way.
    [[nodiscard]] telemetry::ScalarRecorder& figures() { return figures_; }

    /// Where the program is. Silence counts from the last change that it reported.
    [[nodiscard]] wire::ReplicaProgress progress(Nanos now) const;
    /// The program has ended by itself.
    void finish(Nanos now) { enter(wire::PHASE_DONE, now); }
    [[nodiscard]] const ProgramResults& results() const { return results_; }
    /// How much there is to do, as far as the chief's program has said it.
    [[nodiscard]] const ProgramPlan& plan() const { return plan_; }
    /// Whether it has said what it begins with: its plan, or its first step.
    [[nodiscard]] bool hasBegun() const { return hasBegun_; }

private:
    using Taken = Result<std::optional<wire::Record>>;
    [[nodiscard]] Taken takeSteps(wire::StepBatch steps, Nanos now, double wall);
    [[nodiscard]] Taken takeFigures(const NamedFigures& figures, Nanos now, double wall);
    [[nodiscard]] Taken takeEpoch(const wire::EpochResult& epoch);
    [[nodiscard]] Taken takeEvaluation(const wire::Evaluation& evaluation);
    [[nodiscard]] Taken takeDrops(wire::Drops drops) const;
    void takeProgress(const wire::ReplicaProgress& progress, Nanos now);
    void begin(std::uint64_t firstStep);
    void enter(wire::Phase phase, Nanos now);

    const std::uint32_t replica_;
    const bool chief_;
    std::uint64_t step_ = 0;
    wire::Phase phase_ = wire::PHASE_PROGRAM;
    std::optional<Nanos> since_;  ///< Of this step and phase.
    bool hasSteps_ = false;
    ProgramResults results_;
    telemetry::ScalarRecorder figures_;
    ProgramPlan plan_;
    bool hasBegun_ = false;
    std::uint64_t lost_ = 0;
};

}  // namespace lockstep::launch
