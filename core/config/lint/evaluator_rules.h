// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

/// evaluator.device names what it can name.
void checkEvaluatorDevice(const JobSpec& spec, Report& report);
/// What is said of evaluators is said of some.
void checkEvaluatorIsThere(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
