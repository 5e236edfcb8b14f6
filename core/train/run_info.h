// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/data/batch_plan.h"
#include "core/train/connection.h"
#include "core/train/replica/job_context.h"
#include "core/train/replica/training_plan.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// What process 0 tells of the run at its start. `jobToml`: what it trains.
[[nodiscard]] wire::Record runInfo(const wire::WorkerConfig& config, const std::string& jobToml,
                                   const JobContext& context, const TrainingPlan& plan,
                                   const data::BatchPlan& batches, const Connection& connection);

/// Why what replicas report of their steps does not tell who of them is slow; empty: it does.
/// `unevenness`: of their batches. `wholeSteps`: GPUs run their steps whole.
[[nodiscard]] std::string slownessUnknown(double unevenness, bool wholeSteps, bool isMesh,
                                          const model::Graph& graph);

}  // namespace lockstep::train
