// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/program/network.h"
#include "core/tensor/step_engine.h"

namespace lockstep::train {

/// Where an engine finds the splits of a data set.
enum EngineSplitIndex : std::uint8_t { kTrainSplit, kValidationSplit, kTestSplit };

/// The job's step as a device runs it; the splits are views of `data`. BadInput, naming the layer,
/// when the network has one that GPUs cannot compute yet.
[[nodiscard]] Result<tensor::EngineProgram> engineProgram(
    const config::TrainingSpec& training, const program::Network& network,
    const data::Dataset& data, const std::vector<collective::Range>& buckets,
    std::uint32_t maxBatch);

/// Whether GPUs can compute such data, the network and its update at all: the error of
/// engineProgram().
[[nodiscard]] Result<void> checkEngineCan(const config::TrainingSpec& training,
                                          const program::Network& network,
                                          const data::Dataset& data);

}  // namespace lockstep::train
