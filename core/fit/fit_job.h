// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/fit/model.h"
#include "core/fit/training_data.h"

namespace lockstep::fit {

/// What fit() trains on.
struct FitData {
    TrainingData train;
    std::optional<Element> validation{};
};

/// BadInput for datasets that cannot be trained on or scored.
[[nodiscard]] Result<FitData> fitDataOf(const Dataset& train, const FitOptions& options,
                                        config::LossKind loss);

/// The job of a call of fit(), with its arrays in the folder `data` of `runFolder`; what differs
/// between processes, the folder, is in data.* alone. `model`: with its training. BadInput for
/// settings that are none.
[[nodiscard]] Result<config::JobSpec> fitJob(const config::JobSpec& model, const Dataset& dataset,
                                             const FitData& data, const FitOptions& options,
                                             const std::filesystem::path& runFolder);

/// Writes the arrays that fitJob() names, into a folder that is empty, else BadInput. With `resume`
/// they must be there and the same, else BadInput: a run goes on with the data that it began with.
[[nodiscard]] Result<void> writeArrays(const FitData& data, const std::filesystem::path& runFolder,
                                       bool resume);

/// A start that came to nothing leaves nothing: what writeArrays() has written, and no other file,
/// is removed, with the folders where they are empty. Nothing once there is a job.toml.
void removeArrays(const std::filesystem::path& runFolder);

/// All processes of the group come here, each with how it got so far: where one has failed, or
/// brings another `identity` (of job and data) or has set another distribution than process 0, all
/// get that error.
[[nodiscard]] Result<void> agreeOnFit(const Result<void>& soFar, const std::string& identity);

}  // namespace lockstep::fit
