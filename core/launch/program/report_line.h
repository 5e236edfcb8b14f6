// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::launch {

/// How much there is to do, as far as a user's own program knows: 0 is unknown.
struct ProgramPlan {
    std::uint64_t totalSteps = 0;
    std::uint64_t stepsPerEpoch = 0;
    std::uint32_t epochs = 0;
    std::uint32_t globalBatchSize = 0;
    std::uint64_t firstStep = 0;  ///< Steps done before this start.
    bool operator==(const ProgramPlan&) const = default;
};

/// Values of one named figure.
struct NamedFigures {
    std::string name;
    std::string unit;
    std::vector<std::uint64_t> steps;
    std::vector<double> wallTimes;
    std::vector<double> values;
};

using ProgramReport = std::variant<wire::StepBatch, NamedFigures, wire::ReplicaProgress,
                                   wire::EpochResult, wire::Evaluation, ProgramPlan, wire::Drops>;

// A user's own program tells of itself in lines over the unix stream socket whose path is in
// LOCKSTEP_REPORT_ENDPOINT. Each is a JSON object: {"version": 1, KIND: {…}}. What is left out is
// unknown; keys that a reader does not know are passed over. A number that JSON cannot write is
// null or "nan", "inf", "-inf". resources/python/lockstep_report writes these lines.
//
//   steps       first_step, first_end_wall_time, and columns: loss, accuracy, step_us, data_us,
//               forward_us, backward_us, all_reduce_us, update_us
//   scalars     name, unit, and columns: steps, wall_times, values
//   progress    step, phase
//   epoch       epoch, step, train_loss, train_accuracy, validation_loss, validation_accuracy,
//   seconds evaluation  split, loss, accuracy, step, epoch, seconds plan        total_steps,
//   steps_per_epoch, epochs, batch_size, first_step drops       first_step, count
inline constexpr int kReportVersion = 1;

/// Reads one line. BadInput, with what is wrong, when it is none of the above; lengths of columns
/// are not compared.
[[nodiscard]] Result<ProgramReport> parseReport(std::string_view line);

}  // namespace lockstep::launch
