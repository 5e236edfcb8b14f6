// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/config/job/job_spec.h"

namespace lockstep::config {

// The files that every host of a job reads for itself: data, their cache, a tokenizer, initial
// weights. A new key that names one belongs here, and nowhere else.

/// As from `jobFolder`, the job file's, so that the job means the same from any folder. What is
/// not given stays so.
void makePathsAbsolute(JobSpec& job, const std::string& jobFolder);

/// Those of `own` in place of the job's.
void takePaths(JobSpec& job, const JobSpec& own);

/// Equal for jobs that differ in where these files lie, not in which there are.
void hidePaths(JobSpec& job);

}  // namespace lockstep::config
