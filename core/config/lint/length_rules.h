// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/lint/lint_rules.h"

namespace lockstep::config {

/// Of how long training takes, the parts of a step and the average of the weights.
[[nodiscard]] const std::vector<Rule>& lengthRules();

}  // namespace lockstep::config
