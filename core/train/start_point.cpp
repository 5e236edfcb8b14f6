// SPDX-License-Identifier: Apache-2.0
#include "core/train/start_point.h"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>
#include <vector>

#include "core/base/plural.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/config/auto_shard.h"
#include "core/train/state_tensors.h"

namespace lockstep::train {

namespace {

constexpr std::string_view kStartKey = "train/start";

Result<void> checkFits(const config::JobSpec& job, const data::Dataset& data,
                       const checkpoint::TrainingState& state) {
    if (state.globalBatchSize != job.training.globalBatchSize)
        return fail(
            ErrorCode::BadInput,
            fmt::format("the checkpoint of step {} was trained with global_batch_size {}, the job "
                        "says {}",
                        state.step, state.globalBatchSize, job.training.globalBatchSize),
            fmt::format("Resume with training.global_batch_size = {}.", state.globalBatchSize));
    if (job.training.seed && *job.training.seed != state.seed)
        return fail(
            ErrorCode::BadInput,
            fmt::format("the checkpoint of step {} was trained with seed {}, the job says {}",
                        state.step, state.seed, *job.training.seed),
            fmt::format("Resume with training.seed = {}, or leave the seed out.", state.seed));
    if (state.dataFingerprint != data.fingerprint)
        return fail(ErrorCode::BadInput,
                    fmt::format("the checkpoint of step {} was trained on other data", state.step),
                    "Resume with the dataset that it was trained on.");
    const auto copies = datasetCopies(job);
    if (!copies) return fail(copies.error());
    if (state.datasetCopies != *copies)
        return fail(
            ErrorCode::BadInput,
            fmt::format(
                "in the checkpoint of step {} every sample is seen by {}, the job says by {}",
                state.step, counted(state.datasetCopies, "process"), *copies),
            "Resume with the same data.auto_shard, and with \"off\" the same number of processes.");
    return {};
}

}  // namespace

Result<int> datasetCopies(const config::JobSpec& job) {
    const int processes = job.cluster.numProcesses;
    const auto policy =
        config::resolveAutoShard(job.data.autoShard, config::trainingFiles(job.data), processes);
    if (!policy) return fail(policy.error());
    return *policy == config::AutoShard::Off ? processes : 1;
}

Result<StartPoint> findStart(const config::JobSpec& job, const data::Dataset& data,
                             const std::filesystem::path& checkpoints, bool resume,
                             std::uint64_t seedWord) {
    StartPoint start{.step = 0,
                     .seed = job.training.seed.value_or(seedWord),
                     .dataFingerprint = data.fingerprint,
                     .checkpoint = std::nullopt};
    if (!resume) return start;
    auto store =
        checkpoint::CheckpointStore::open(checkpoints, checkpoint::CheckpointStore::Access::Read);
    if (!store) return fail(store.error());
    auto latest = store->latestGood();
    if (!latest) return fail(latest.error());
    for (const std::string& reason : latest->rejected)
        std::fprintf(stderr, "warning: passed over a checkpoint: %s\n", reason.c_str());
    if (!latest->step) return start;  // it ended before its first checkpoint
    auto loaded = store->load(*latest->step);
    if (!loaded) return fail(loaded.error());
    if (auto fits = checkFits(job, data, loaded->state); !fits) return fail(fits.error());
    start.step = loaded->state.step;
    start.seed = loaded->state.seed;
    start.epochSoFar = {loaded->state.epochLossSum, loaded->state.epochCorrect,
                        loaded->state.epochSamples};
    start.checkpoint = std::move(*loaded);
    return start;
}

Result<void> announceStart(collective::Store& store, const StartPoint& start) {
    return store.set(kStartKey,
                     fmt::format("{} {} {}", start.step, start.seed, start.dataFingerprint));
}

Result<std::int64_t> announcedStep(collective::Store& store, Nanos timeout) {
    const auto text = store.get(kStartKey, timeout);
    if (!text) return fail(text.error());
    std::int64_t step = 0;
    std::istringstream words(*text);
    if (!(words >> step))
        return fail(ErrorCode::Corrupt, "the chief's start point cannot be read: " + *text);
    return step;
}

Result<StartPoint> awaitStart(collective::Store& store, const data::Dataset& data, Nanos timeout) {
    auto text = store.get(kStartKey, timeout);
    if (!text) return fail(text.error());
    StartPoint start;
    std::istringstream words(*text);
    if (!(words >> start.step >> start.seed >> start.dataFingerprint))
        return fail(ErrorCode::Corrupt, "the chief's start point cannot be read: " + *text);
    if (start.dataFingerprint != data.fingerprint)
        return fail(ErrorCode::BadInput, "this process reads other data than process 0",
                    "Give every host the same files in data.directory.");
    return start;
}

Result<void> applyStart(const StartPoint& start, const nn::Network& network,
                        const optim::Optimizer& optimizer, collective::Communicator& communicator) {
    if (!start.checkpoint) {
        network.initialise(communicator.parameters(), start.seed);
        return {};
    }
    if (auto restored = restoreModel(network, *start.checkpoint, communicator.parameters());
        !restored)
        return restored;
    std::vector<std::span<float>> moments;
    for (int i = 0; i < optimizer.momentCount(); ++i)
        moments.push_back(communicator.moments(i));
    return restoreOptimizer(network, *start.checkpoint, moments);
}

}  // namespace lockstep::train
