// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

/// What the loss of process 0's host costs, and whether checkpoint.copies can change it.
void checkCopies(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
