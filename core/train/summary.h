// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/job/job_spec.h"
#include "core/train/replica/replica_loop.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::train {

/// The chief's part of summary.json (see README), as JSON text: all but `wall_seconds`, `restarts`
/// and `failures`, which the agent knows. What was not reached is null.
/// `notices`: what the user was told on the way. `precision` is there on GPUs only: CPUs compute in
/// float32. `initialWeights`: as TrainingState has it; left out where it is empty.
/// `roster`: who trained; `devices` are what each replica computed on, in order of replica.
[[nodiscard]] std::string summaryJson(const config::JobSpec& job, const TrainingPlan& plan,
                                      const TrainingOutcome& outcome, const MetricSet& metrics,
                                      std::string_view backend, std::string_view device,
                                      const std::vector<std::string>& notices,
                                      const std::string& initialWeights = {},
                                      const wire::Welcome& roster = {});

}  // namespace lockstep::train
