// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/optim/optimizer.h"
#include "core/program/network.h"
#include "core/train/objective/objective.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::train {

/// What a worker and the evaluator make of a job before they start: its data, network,
/// optimiser and objective. Errors here are bad input, found before the first step.
struct JobContext {
    config::JobSpec job;
    data::Dataset data;
    program::Network network;
    optim::Optimizer optimizer;
    Objective objective;
};

/// The job as the agent sent it. BadInput when it does not lint.
[[nodiscard]] Result<config::JobSpec> jobOf(const wire::WorkerConfig& config);
/// Reads the data (up to seconds) and builds network and optimiser.
[[nodiscard]] Result<std::unique_ptr<const JobContext>> makeJobContext(
    const config::JobSpec& job, const std::string& jobFolder);

}  // namespace lockstep::train
