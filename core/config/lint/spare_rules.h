// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

/// launch.spares names hosts that can take another one's place, and what that takes is there.
void checkSpares(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
