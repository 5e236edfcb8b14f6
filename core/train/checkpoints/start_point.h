// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"
#include "core/collective/communicator.h"
#include "core/collective/store.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/exchange/initial_weights.h"
#include "core/optim/optimizer.h"
#include "core/program/network.h"
#include "core/tensor/cpu/layers/convolution_method.h"
#include "core/train/replica/evaluation.h"
#include "core/train/replica/flat_state.h"

namespace lockstep::train {

class PartRestore;

/// Where a run begins, as the chief decides for all.
struct StartPoint {
    std::int64_t step = 0;  ///< Steps done before.
    std::uint64_t seed = 0;
    SplitScore epochSoFar{};   ///< On the chief: of the epoch in progress.
    bool epochEndDue = false;  ///< See TrainingState, as the next one.
    std::int64_t skippedSteps = 0;
    bool isKept = false;     ///< Processes have the step's state in their memory (KeptSteps),
    std::vector<int> fed{};  ///< but these, who get it from the host of process 0.
    std::uint64_t keptLineage = 0;  ///< See KeptSteps; where steps are kept.
    /// By replica, the newest step that the journal has, of a run that goes on from kept steps;
    /// empty where its file cannot be read, and telemetry::JournalledSteps::kUnknown of a replica
    /// then that its coordinator has not heard of.
    std::vector<std::int64_t> journalled{};
    std::string dataFingerprint{};
    /// On the chief, when it resumes; without the tensors' values where a mesh has read its parts,
    /// and without tensors where isKept.
    std::optional<checkpoint::LoadedCheckpoint> checkpoint{};
    /// Of a resume, a sentence each: damaged checkpoints, an average that begins or ends, what is
    /// not gone on with.
    std::vector<std::string> notices{};
    /// On the chief, of a fresh start with model.initial_weights.
    std::optional<exchange::InitialWeights> weights{};
    std::string initialWeights{};               ///< See TrainingState.
    tensor::ConvolutionMethods convolutions{};  ///< Of training.tune.

    /// That `process` goes on from as it has kept it; 0: it has it from elsewhere.
    [[nodiscard]] std::int64_t keptStep(std::uint32_t process) const {
        return isKept && std::ranges::count(fed, static_cast<int>(process)) == 0 ? step : 0;
    }
    [[nodiscard]] const checkpoint::TrainingState* resumed() const {
        return checkpoint ? &checkpoint->state : nullptr;
    }
};

/// How often each step's samples are gone through over all processes: as many times as there are
/// processes with data.auto_shard = "off", else once. BadInput for a policy that the job's data set
/// does not allow.
[[nodiscard]] Result<int> datasetCopies(const config::JobSpec& job);

/// A fresh start, or with `resume` the newest checkpoint that verifies. `seedWord` is the seed
/// where neither job nor checkpoint has one. BadInput when the checkpoint does not fit the job (see
/// checkFits), or when there are checkpoints and none of them is good. `restore`: of a mesh that
/// reads sharded ones in parts, and what it has read is settled then; null: they are read whole.
[[nodiscard]] Result<StartPoint> findStart(const config::JobSpec& job, const data::Dataset& data,
                                           const std::filesystem::path& checkpoints, bool resume,
                                           std::uint64_t seedWord,
                                           const config::JobSpec* former = nullptr,
                                           PartRestore* restore = nullptr);

/// The weights of model.initial_weights for a fresh start; a resume does not need them. BadInput as
/// exchange::readInitialWeights. `jobFolder`: from which the file is found.
[[nodiscard]] Result<void> readStartWeights(const config::JobSpec& job,
                                            const std::filesystem::path& jobFolder,
                                            const program::Network& network, StartPoint& start);
/// What of them is used: a sentence for the log.
[[nodiscard]] std::string startWeightsText(const config::JobSpec& job,
                                           const exchange::InitialWeights& weights);

/// Until process 0 says where the run starts: of a mesh, the first row reads a checkpoint first.
[[nodiscard]] Nanos startPatience(const config::JobSpec& job);

/// From the chief to all others through the job's store. awaitStart is BadInput when this process
/// has other data than the chief.
[[nodiscard]] Result<void> announceStart(collective::Store& store, const StartPoint& start);
[[nodiscard]] Result<StartPoint> awaitStart(collective::Store& store, const data::Dataset& data,
                                            Nanos timeout);

/// Initialises or restores replica 0's parameters, statistics and moments.
[[nodiscard]] Result<void> applyStart(const StartPoint& start, const program::Network& network,
                                      const optim::Optimizer& optimizer,
                                      collective::Communicator& communicator,
                                      std::span<float> statistics = {});
[[nodiscard]] Result<void> applyStart(const StartPoint& start, const program::Network& network,
                                      const optim::Optimizer& optimizer, const FlatState& state,
                                      std::span<float> statistics);

}  // namespace lockstep::train
