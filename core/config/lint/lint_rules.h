// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"

namespace lockstep::config {

/// A rule looks at the values of `needs`; it is silent when one of them is wrong already.
struct Rule {
    std::vector<std::string_view> needs;
    void (*check)(const JobSpec&, Report&);
};

/// The rules of [cluster] and [launch].
[[nodiscard]] const std::vector<Rule>& clusterRules();
/// The rules of [slurm].
[[nodiscard]] const std::vector<Rule>& slurmRules();

}  // namespace lockstep::config
