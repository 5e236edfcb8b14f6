// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::job {

/// The one figure of a split that a network is judged by at a glance: its accuracy; of numbers the
/// first of the job's metrics, else the loss.
[[nodiscard]] Score scoreOf(const EvaluationView& evaluation);
/// The same of the test data, as a run's summary.json has it. `metrics`: training.metrics of its
/// job. nullopt: nothing was tested.
[[nodiscard]] std::optional<Score> testScoreIn(const std::string& summaryJson,
                                               const std::vector<std::string>& metrics = {});

}  // namespace lockstep::job
