// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/lint/lint_rules.h"

namespace lockstep::config {

/// The rules of jobs whose launch.command trains, in place of those of [data], [model] and so on.
[[nodiscard]] const std::vector<Rule>& programRules();

/// Warns of variables for a program that the job does not have.
void checkEnvironmentIsUsed(const JobSpec& spec, Report& report);

}  // namespace lockstep::config
