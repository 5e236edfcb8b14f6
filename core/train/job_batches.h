// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/batch_plan.h"
#include "core/data/dataset.h"

namespace lockstep::train {

/// Which replica sees which sample at which step; of a mesh, which row does. BadInput for a
/// data.auto_shard that the job's data set does not allow.
[[nodiscard]] Result<data::BatchPlan> batchesOf(const config::JobSpec& job,
                                                const data::Dataset& data, std::uint64_t seed);

}  // namespace lockstep::train
