// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

// Rules of lint() about what accompanies training: watched figures, the best checkpoint, and how
// the data reach the processes.

void checkMonitors(const JobSpec& spec, Report& report);
void checkBestIsRestored(const JobSpec& spec, Report& report);
void checkAutoShard(const JobSpec& spec, Report& report);
void checkTune(const JobSpec& spec, Report& report);
void checkCache(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
