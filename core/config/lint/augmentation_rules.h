// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

/// Whether the changes of data.augment fit the images and each other: they are images, a crop fits
/// into what it is taken from, and the network gets images of their own size.
void checkAugmentation(const JobSpec& spec, Report& report);
/// As many numbers as the images have channels.
void checkNormalization(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
