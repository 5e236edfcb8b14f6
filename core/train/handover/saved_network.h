// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"
#include "core/config/job/job_spec.h"
#include "core/data/sample_facts.h"
#include "core/program/network.h"

namespace lockstep::train {

/// Which checkpoint of a run is meant where the run's folder is named: what it has come to (see
/// resultStep()), or the one that BEST names.
enum class WhichCheckpoint : std::uint8_t { Result, Best };

/// A network as a run has trained it: what it takes to hand it over, without the run's data.
struct SavedNetwork {
    std::filesystem::path folder;  ///< Of the checkpoint.
    config::JobSpec job;
    checkpoint::TrainingState state;
    data::SampleFacts samples;
    program::Network network;
    std::vector<float> parameters;
    std::vector<float> statistics;
};

/// What the user should know beside the result: a checkpoint that was passed over, a sentence.
using Warn = std::function<void(const std::string&)>;

/// Of a run's folder, or of a checkpoint's folder in it: BadInput where the best one is asked for
/// then. Every byte
/// of the checkpoint is verified. Checkpoints of older versions do not tell what their samples are:
/// for these the run's data are read. NotFound where there is no run or no checkpoint.
[[nodiscard]] Result<SavedNetwork> openSaved(const std::filesystem::path& runOrCheckpoint,
                                             WhichCheckpoint which, const Warn& warn);

}  // namespace lockstep::train
