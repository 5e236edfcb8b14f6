// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

// Rules of lint() about images in folders.

/// The data set "image_folder" has a size, and something to validate and test on.
void checkImages(const JobSpec& spec, Report& report);
/// Its keys are given for it only.
void checkImageKeysAreUsed(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
