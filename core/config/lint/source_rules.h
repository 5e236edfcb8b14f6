// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

// Rules of lint() about tables, texts and arrays.

/// What such a data set cannot do without is given, and fits together.
void checkSources(const JobSpec& spec, Report& report);
/// Keys that the job's data set does not read are not given.
void checkSourceKeysAreUsed(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
