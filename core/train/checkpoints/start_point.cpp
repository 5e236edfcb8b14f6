// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/start_point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/config/job/auto_shard.h"
#include "core/config/job/mesh.h"
#include "core/text/json.h"
#include "core/train/checkpoints/part_restore.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/checkpoints/shard_tensors.h"
#include "core/train/checkpoints/state_tensors.h"

namespace lockstep::train {

namespace {

constexpr std::string_view kStartKey = "train/start";

/// To begin anew would train over what may still be rescued.
tl::unexpected<Error> noneIsGood(const std::filesystem::path& checkpoints,
                                 const checkpoint::LatestGood& latest) {
    return fail(ErrorCode::BadInput,
                fmt::format("none of the checkpoints in {} can be read: {}", checkpoints.string(),
                            fmt::join(latest.rejected, "; ")),
                "Nothing was changed. Put a good copy of one in its place and resume. Or train "
                "anew: here with --resume --from-scratch, which puts aside what is there, or "
                "without --resume in another folder, named with --run-dir.");
}

std::string suspectNotice(const checkpoint::Suspicion& one, std::int64_t taken) {
    if (one.step == taken)
        return fmt::format(
            "the run goes on from the checkpoint of step {}, though {}: no other one "
            "is good",
            taken, suspicionText(one));
    return fmt::format("the checkpoint of step {} is passed over: {}; going on from step {}",
                       one.step, suspicionText(one), taken);
}

/// What an older version has saved, as this one would have.
Result<void> moderniseState(checkpoint::LoadedCheckpoint& checkpoint,
                            const config::JobSpec* former) {
    const bool hasMomentum = checkpoint.state.optimizer == "sgd" && !checkpoint.optimizer.empty();
    if (checkpoint.format == 1 && hasMomentum && former == nullptr)
        return fail(ErrorCode::BadInput,
                    fmt::format("the checkpoint of step {} was written by an older version, and "
                                "with which learning rate cannot be read from the run's job.toml",
                                checkpoint.state.step),
                    "Put the job.toml that the run was started with into its folder.");
    modernise(checkpoint, former != nullptr ? former->training.learningRate : 1);
    return {};
}

/// Whether no other checkpoint can help.
bool endsTheSearch(ErrorCode code) {
    return code == ErrorCode::BadInput || code == ErrorCode::Timeout ||
           code == ErrorCode::PeerLost || code == ErrorCode::Cancelled;
}

/// The newest that all who need a part of it can read: of shards its outline, and their parts.
Result<checkpoint::LatestGood> newestInParts(const checkpoint::CheckpointStore& store,
                                             PartRestore& restore, const auto& check) {
    Result<void> fits;
    bool isWhole = true;
    auto latest = TRY(store.loadLatestGood(
        [&](int folder, std::int64_t step) -> Result<checkpoint::LoadedCheckpoint> {
            TRY(fits);  // an older one would not fit either
            auto shards = TRY(checkpoint::openShards(folder, step));
            isWhole = !shards;
            if (isWhole) return checkpoint::readCheckpoint(folder, step);
            auto outline = outlineOf(*shards);
            fits = check(outline);
            TRY(fits);
            const auto read = restore.read(step, *shards);
            if (!read && endsTheSearch(read.error().code)) fits = read;
            TRY(read);
            return outline;
        }));
    TRY(fits);
    TRY(restore.settle(isWhole || !latest.loaded));
    return latest;
}

Result<tensor::ConvolutionMethods> parseMethods(std::string_view text) {
    const auto words = TRY(text::parseJson(text)).as<tensor::ConvolutionMethods::Words>();
    if (!words)
        return fail(ErrorCode::Corrupt,
                    fmt::format("the chief's choice of methods cannot be read: {}", text));
    return tensor::ConvolutionMethods::parse(*words);
}

/// Their number, and they.
template <typename Number>
void readList(std::istream& words, std::vector<Number>& numbers) {
    std::size_t count = 0;
    words >> count;
    for (Number one{}; numbers.size() < count && words >> one;)
        numbers.push_back(one);
}

/// What the epoch in progress has added up; its rows are nobody's business any more.
SplitScore epochOf(const checkpoint::TrainingState& state) {
    SplitScore score;
    score.lossSum = state.epochLossSum;
    score.correct = state.epochCorrect;
    score.samples = state.epochSamples;
    score.metrics = state.epochMetrics;
    return score;
}

/// In the place of what the initialisers gave.
void putWeights(const exchange::InitialWeights& weights, const program::Network& network,
                std::span<float> parameters, std::span<float> statistics) {
    for (const program::PlacedTensor& placed : network.tensors())
        for (const checkpoint::Tensor& tensor : weights.tensors)
            if (tensor.name == placed.name)
                std::ranges::copy(
                    tensor.values,
                    placed.in(placed.isStatistic() ? statistics : parameters).begin());
}

}  // namespace

Result<int> datasetCopies(const config::JobSpec& job) {
    const int processes = job.cluster.numProcesses;
    const auto policy = config::resolveAutoShard(job.data, processes);
    if (!policy) return fail(policy.error());
    return *policy == config::AutoShard::Off ? processes : 1;
}

Result<StartPoint> findStart(const config::JobSpec& job, const data::Dataset& data,
                             const std::filesystem::path& checkpoints, bool resume,
                             std::uint64_t seedWord, const config::JobSpec* former,
                             PartRestore* restore) {
    StartPoint start{.step = 0,
                     .seed = job.training.seed.value_or(seedWord),
                     .dataFingerprint = data.fingerprint,
                     .checkpoint = std::nullopt};
    if (!resume) {
        if (restore != nullptr) TRY(restore->settle(true));
        return start;
    }
    auto store = TRY(
        checkpoint::CheckpointStore::open(checkpoints, checkpoint::CheckpointStore::Access::Read));
    const auto check = [&](const checkpoint::LoadedCheckpoint& one) {
        return checkFits(job, data, one, former);
    };
    auto latest =
        TRY(restore != nullptr ? newestInParts(store, *restore, check) : store.loadLatestGood());
    if (!latest.loaded && !latest.rejected.empty()) return noneIsGood(checkpoints, latest);
    if (!latest.loaded) {  // it ended before its first checkpoint
        start.notices.emplace_back(
            "there is no checkpoint to go on from: training begins at step 0");
        return start;
    }
    auto& loaded = latest.loaded;
    TRY(check(*loaded));
    TRY(moderniseState(*loaded, former));
    for (const std::string& reason : latest.rejected)
        start.notices.push_back(
            fmt::format("a damaged checkpoint was passed over: {}; the run "
                        "goes on from step {}",
                        reason, *latest.step));
    for (const checkpoint::Suspicion& one : latest.suspects)
        start.notices.push_back(suspectNotice(one, *latest.step));
    if (const bool keeps = job.training.average.isUsed; keeps != hasAverage(*loaded))
        start.notices.push_back(fmt::format(
            "the checkpoint of step {} has {}", *latest.step,
            keeps ? "no average of the weights, which training.use_ema asks for: it begins at the "
                    "weights of that step"
                  : "an average of the weights, which the job does not ask for: training goes on "
                    "with the weights themselves"));
    start.step = loaded->state.step;
    start.seed = loaded->state.seed;
    start.epochSoFar = epochOf(loaded->state);
    start.initialWeights = loaded->state.initialWeights;
    start.epochEndDue = loaded->state.epochEndDue;
    start.skippedSteps = loaded->state.skippedSteps;
    start.convolutions = TRY(tensor::ConvolutionMethods::parse(loaded->state.convolutions));
    start.checkpoint = std::move(*loaded);
    return start;
}

Result<void> readStartWeights(const config::JobSpec& job, const std::filesystem::path& jobFolder,
                              const program::Network& network, StartPoint& start) {
    if (start.checkpoint || job.model.initialWeights.file.empty()) return {};
    start.weights =
        TRY(exchange::readInitialWeights(job.model.initialWeights, jobFolder, network.graph()));
    start.initialWeights = start.weights->hash;
    return {};
}

std::string startWeightsText(const config::JobSpec& job, const exchange::InitialWeights& weights) {
    std::string text = fmt::format("training begins with {} of {} (XXH3-128 {})",
                                   counted(weights.tensors.size(), "tensor"),
                                   job.model.initialWeights.file, weights.hash);
    if (!weights.left.empty())
        text += fmt::format("; as their initialisers say: {}", fmt::join(weights.left, ", "));
    if (!weights.unused.empty())
        text += fmt::format("; not used: {}", fmt::join(weights.unused, ", "));
    return text;
}

Nanos startPatience(const config::JobSpec& job) {
    constexpr std::chrono::seconds kReadingTimeout{600};
    const auto patience =
        std::chrono::duration_cast<Nanos>(Seconds(job.cluster.initializationTimeoutSeconds));
    return config::isModelParallel(job) ? patience + kReadingTimeout : patience;
}

Result<void> announceStart(collective::Store& store, const StartPoint& start) {
    return store.set(
        kStartKey,
        fmt::format("{} {} {} {:d} {} {:d} {} {} {} {} {} {}", start.step, start.seed,
                    start.dataFingerprint, start.epochEndDue, start.skippedSteps, start.isKept,
                    start.keptLineage, start.fed.size(), fmt::join(start.fed, " "),
                    start.journalled.size(), fmt::join(start.journalled, " "),
                    text::Json(start.convolutions.words()).text()));
}

Result<StartPoint> awaitStart(collective::Store& store, const data::Dataset& data, Nanos timeout) {
    auto text = TRY(store.get(kStartKey, timeout));
    StartPoint start;
    std::istringstream words(text);
    std::string methods;
    words >> start.step >> start.seed >> start.dataFingerprint >> start.epochEndDue >>
        start.skippedSteps >> start.isKept >> start.keptLineage;
    readList(words, start.fed);
    readList(words, start.journalled);
    if (!words || !std::getline(words, methods))
        return fail(ErrorCode::Corrupt, "the chief's start point cannot be read: " + text);
    start.convolutions = TRY(parseMethods(methods));
    if (start.dataFingerprint != data.fingerprint)
        return fail(ErrorCode::BadInput, "this process reads other data than process 0",
                    "Give every host the same files of [data]; lockstepctl doctor compares them.");
    return start;
}

Result<void> applyStart(const StartPoint& start, const program::Network& network,
                        const optim::Optimizer& optimizer, collective::Communicator& communicator,
                        std::span<float> statistics) {
    return applyStart(start, network, optimizer, stateOf(optimizer, communicator), statistics);
}

Result<void> applyStart(const StartPoint& start, const program::Network& network,
                        const optim::Optimizer& optimizer, const FlatState& state,
                        std::span<float> statistics) {
    const SavedBuffers saved = savedBuffers(optimizer, state);
    if (start.checkpoint) {
        TRY(optimizer.averageIndex() >= 0
                ? restoreModel(network, *start.checkpoint, saved.model, statistics)
                : restoreTrained(network, *start.checkpoint, saved.model, statistics));
        return restoreOptimizer(network, *start.checkpoint, saved.state, saved.names);
    }
    network.initialise(state.parameters, start.seed, statistics);
    if (start.weights) putWeights(*start.weights, network, state.parameters, statistics);
    if (optimizer.averageIndex() >= 0) std::ranges::copy(state.parameters, saved.model.begin());
    return {};
}

}  // namespace lockstep::train
