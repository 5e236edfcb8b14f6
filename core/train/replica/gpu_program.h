// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/program/cuda_programs.h"
#include "core/program/network.h"

namespace lockstep::train {

/// Where an engine finds the splits of a data set.
enum EngineSplitIndex : std::uint8_t { kTrainSplit, kValidationSplit, kTestSplit };

/// Why a GPU cannot run the job's whole steps, updates included: a part of the job, in words. Its
/// programs run there all the same, and the host does the rest. Empty: it can.
[[nodiscard]] std::string beyondWholeSteps(const config::TrainingSpec& training,
                                           const data::Dataset& data);

/// The job's whole steps as a device runs them; the splits are views of `data`. For a job that is
/// not beyond them.
[[nodiscard]] program::EnginePrograms enginePrograms(const config::TrainingSpec& training,
                                                     const program::Network& network,
                                                     const data::Dataset& data,
                                                     const std::vector<collective::Range>& buckets,
                                                     std::uint32_t maxBatch, std::uint64_t seed);

/// The steps of a replica that is alone, of a job that is beyond whole steps for what its samples,
/// its loss or its metrics are: these are the host's, weights and updates the device's.
[[nodiscard]] program::EnginePrograms fedPrograms(const config::TrainingSpec& training,
                                                  const program::Network& network,
                                                  std::uint32_t maxBatch, std::uint64_t seed);
/// Whether the job's updates can be made there.
[[nodiscard]] bool updatesOnDevice(const config::TrainingSpec& training);

/// What becomes of its weights there.
[[nodiscard]] tensor::UpdateSettings updateOf(const config::TrainingSpec& training);

/// What products of a job are computed with.
[[nodiscard]] tensor::Precision precisionOf(config::Precision precision);

}  // namespace lockstep::train
