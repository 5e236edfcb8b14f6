// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

/// launch.least_processes is a number that fewer processes of this job can go on with.
void checkLeastProcesses(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
