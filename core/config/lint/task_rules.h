// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"
#include "core/model/data_facts.h"

namespace lockstep::config {

// Rules of lint() about the loss and the metrics.

/// They fit each other, and data that are known before they are read.
void checkTask(const JobSpec& spec, Report& report);
/// They fit such data.
void checkTask(const JobSpec& spec, const model::DataFacts& facts, Report& report);

}  // namespace lockstep::config
