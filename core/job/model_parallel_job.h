// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/distribution/model_parallel.h"

namespace lockstep::job {

/// The [distribution] that trains a job as a ModelParallel asks: its mesh as rows and columns, its
/// layouts, by Keras' axes, as rules in words. Reads the job's data as far as the network's shapes
/// need it. Keys of the layout map that mean no variable are a warning on standard error. BadInput,
/// naming the variable and its axis, for a layout that cannot be trained; for a mesh of more than
/// two axes, and one whose devices are not in the order of their processes; for a job that has a
/// mesh or a layout of its own.
[[nodiscard]] Result<config::DistributionSpec> distributionUnder(
    const distribution::ModelParallel& parallel, const config::JobSpec& job,
    const std::filesystem::path& jobFolder);

/// What lint says of a job file's layout, on standard error: what each device holds of the network
/// and sends in a step, and what in a layout costs more than it need. `job`: as it is trained, with
/// a distribution of distributionUnder().
void tellPrice(const config::JobSpec& job, const std::filesystem::path& jobFolder);

}  // namespace lockstep::job
