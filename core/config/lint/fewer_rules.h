// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

/// Why the job cannot go on with fewer processes than it began with; empty: it can.
[[nodiscard]] std::string whyAllAreNeeded(const JobSpec& spec);

/// launch.least_processes is a number that fewer processes of this job can go on with.
void checkLeastProcesses(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
