// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/messages.pb.h"

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

/// Makes records of the run's journal of what a user's own program reports: completes and checks
/// them, since anybody may have written that program. Pure: no socket, no clock, no thread.
class ProgramReports {
public:
    /// `replica`: the number of the program's one replica; `chief`: it speaks for the run, too.
    ProgramReports(std::uint32_t replica, bool chief);

    /// The record of a report, or nothing where there is none to be made (progress, a run's figures
    /// from a process that is not the chief). Corrupt, BadInput: it is not one; nothing has
    /// changed. `now` and `wall`: the same moment, monotonic and since 1970.
    [[nodiscard]] Result<std::optional<wire::Record>> take(std::string_view bytes, Nanos now,
                                                           double wall);

    /// Where the program is. Silence counts from the last change that it reported.
    [[nodiscard]] wire::ReplicaProgress progress(Nanos now) const;
    /// The program has ended by itself.
    void finish(Nanos now) { enter(wire::PHASE_DONE, now); }
    [[nodiscard]] const ProgramResults& results() const { return results_; }
    /// How much there is to do, as far as the chief's program has said it.
    [[nodiscard]] const wire::ProgramPlan& plan() const { return plan_; }
    /// Whether it has said what it begins with: its plan, or its first step.
    [[nodiscard]] bool hasBegun() const { return hasBegun_; }

private:
    [[nodiscard]] Result<std::optional<wire::Record>> takeSteps(wire::StepBatch steps, Nanos now,
                                                                double wall);
    [[nodiscard]] Result<std::optional<wire::Record>> takeEpoch(const wire::EpochResult& epoch);
    [[nodiscard]] Result<std::optional<wire::Record>> takeEvaluation(
        const wire::Evaluation& evaluation);
    void takeProgress(const wire::ReplicaProgress& progress, Nanos now);
    void enter(wire::Phase phase, Nanos now);

    const std::uint32_t replica_;
    const bool chief_;
    std::uint64_t step_ = 0;
    wire::Phase phase_ = wire::PHASE_PROGRAM;
    std::optional<Nanos> since_;  ///< Of this step and phase.
    ProgramResults results_;
    wire::ProgramPlan plan_;
    bool hasBegun_ = false;
};

}  // namespace lockstep::launch
