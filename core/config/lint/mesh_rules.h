// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/config/lint/lint_rules.h"
#include "core/model/data_facts.h"

namespace lockstep::config {

/// The rules of [distribution]: that a mesh has a place for every replica, what it does not go
/// with, and of data that are known before they are read what a layout costs.
[[nodiscard]] const std::vector<Rule>& meshRules();
/// Why every process is needed: it alone has its part of the network. Empty: each has all of it.
[[nodiscard]] std::string whyPartsAreNeeded(const JobSpec& spec);
/// The last of them for such data.
void checkLayout(const JobSpec& spec, const model::DataFacts& facts, Report& report);

}  // namespace lockstep::config
