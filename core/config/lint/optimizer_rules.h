// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

// Rules of lint() about the update: the optimizer's settings, decay, clipping, the schedule.

void checkOptimizerOptions(const JobSpec& spec, Report& report);
void checkClipping(const JobSpec& spec, Report& report);
void checkSchedule(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
