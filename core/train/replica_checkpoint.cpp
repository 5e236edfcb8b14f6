// SPDX-License-Identifier: Apache-2.0
// What a replica writes down, and takes back: its state, of which all agree, behind the copy, that
// they hold the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "core/base/check.h"
#include "core/base/record_clock.h"
#include "core/base/try.h"
#include "core/config/job/mesh.h"
#include "core/config/job/monitor.h"
#include "core/config/keys/optimizer_keys.h"
#include "core/data/sample_facts.h"
#include "core/tensor/cpu/operations.h"
#include "core/train/checkpoints/commit_patience.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/checkpoints/shard_tensors.h"
#include "core/train/checkpoints/state_tensors.h"
#include "core/train/replica/replica_loop.h"
#include "core/train/worker.h"

namespace lockstep::train {

namespace {

/// What the epoch in progress has added up. What nobody knows is left out, so that a resume knows
/// that it does not know it.
void putEpoch(const SplitScore& score, checkpoint::TrainingState& state) {
    state.epochLossSum = score.lossSum;
    state.epochCorrect = std::isfinite(score.correct) ? score.correct : 0;
    state.epochSamples = score.samples;
    if (std::ranges::all_of(score.metrics, [](double sum) { return std::isfinite(sum); }))
        state.epochMetrics = score.metrics;
}

}  // namespace

/// That all hold the same, and numbers: of what is trained, and of what is kept. Of a mesh's
/// checkpoint each column knows its own part alone, so its first row votes: all of it, or none.
Result<void> ReplicaLoop::agreeOnWeights(std::int64_t step) {
    MeshMember* const mesh = setup_.mesh;
    CollectivePlace& place = setup_.progress.collectivePlace();
    place.align();  // the first row has put its parts together
    auto agreed = agreeInColumn(step);
    Result<bool> isDenied = false;
    if (mesh != nullptr && mesh->isInFirstRow()) isDenied = mesh->isAnybodys(!agreed);
    place.align();
    TRY(std::move(agreed));
    if (!TRY(std::move(isDenied))) return {};
    return fail(ErrorCode::PeerLost,
                fmt::format("another part of the network is not right after step {}; no checkpoint "
                            "is written",
                            step));
}

/// A change before the hash is seen by who looks at the weights behind it; one behind the hash
/// makes it unlike the others'.
Result<void> ReplicaLoop::agreeInColumn(std::int64_t step) {
    std::vector<std::span<const float>> parts{setup_.communicator.parameters(), statistics_};
    if (const int average = setup_.optimizer.averageIndex(); average >= 0)
        parts.emplace_back(setup_.communicator.moments(average));
    // Alike on all: the copy before, which some alone make, and what waits behind it are no part.
    setup_.progress.beginShare(SteadyClock::read());
    const std::string hash = tensor::stateHash(parts);
    setup_.progress.endShare(SteadyClock::read(), true);
    TRY(steps_->checkWeights(step));
    bool isFinite = true;
    for (const std::span<const float> part : parts)
        isFinite = isFinite && tensor::allFinite(part);
    if (!isFinite)
        return fail(
            ErrorCode::Diverged,
            fmt::format("weights are not finite after step {}; no checkpoint is written", step),
            "Lower training.learning_rate.\nCheckpoints written before are good: --resume "
            "continues "
            "from the newest.");
    return agreeOnHash(hash);
}

Result<void> ReplicaLoop::writeCheckpoint(std::int64_t step, bool isLast) {
    enter(wire::PHASE_CHECKPOINT);
    TRY(settleStatistics());
    const std::int64_t inEpoch = step % setup_.plan.stepsPerEpoch;
    const bool isWithin = inEpoch > 0 || epochEndDue_;
    if (isWithin) TRY(gatherEpochScore());
    ++checkpoints_;
    return config::writesShards(setup_.job) ? writeShards(step, isWithin, isLast)
                                            : writeWhole(step, isWithin, isLast);
}

Result<void> ReplicaLoop::writeWhole(std::int64_t step, bool isWithin, bool isLast) {
    std::optional<WholeState> whole;
    TRY(collectWhole(whole));
    if (setup_.events == nullptr) return agreeOnWeights(step);
    auto snapshot = TRY(describe(step, isWithin));
    const FlatState state =
        whole ? whole->buffers() : stateOf(setup_.optimizer, setup_.communicator);
    const SavedBuffers saved = savedBuffers(setup_.optimizer, state);
    snapshot.isBest = outcome_.bestStep == step;
    snapshot.model = modelTensors(network(), saved.model, whole ? whole->statistics : statistics_);
    snapshot.optimizer = optimizerTensors(network(), saved.state, saved.names);
    return handOver(step, setup_.events->isDiskBusy(), [&](const checkpoint::CopyCheck& isRight) {
        setup_.events->checkpoint(snapshot, isLast, isRight);
    });
}

/// Each member of the first row has what it alone holds written; the other rows hold the same.
Result<void> ReplicaLoop::writeShards(std::int64_t step, bool isWithin, bool isLast) {
    MeshMember* const mesh = setup_.mesh;
    if (mesh != nullptr && !mesh->isInFirstRow()) return agreeOnWeights(step);
    const int column = mesh != nullptr ? mesh->column() : 0;
    FlatState state = stateOf(setup_.optimizer, setup_.communicator);
    if (mesh != nullptr) TRY(mesh->compareShared(state, statistics_));
    auto handed = TRY(collectHanded());
    checkpoint::ShardWriter* const writer = setup_.shards.writer;
    const bool isHanded = replica() != 0 && setup_.shards.isHanded(column);
    if (isHanded || (setup_.events == nullptr && writer == nullptr)) return agreeOnWeights(step);
    checkpoint::Snapshot snapshot;
    if (replica() == 0) snapshot = TRY(describe(step, isWithin));
    snapshot.isSharded = true;
    snapshot.isBest = outcome_.bestStep == step;
    snapshot.number = checkpoints_;
    addShards(setup_.network, column, savedBuffers(setup_.optimizer, state), statistics_, snapshot);
    for (auto& [one, part] : handed)
        addShards(setup_.network, one, savedBuffers(setup_.optimizer, part.buffers()),
                  part.statistics, snapshot);
    const bool isBusy = replica() == 0 ? setup_.events->isDiskBusy() : writer->isBusy();
    return handOver(step, isBusy, [&](const checkpoint::CopyCheck& isRight) {
        if (replica() == 0)
            setup_.events->checkpoint(snapshot, isLast, isRight);
        else
            writer->submit(snapshot, commitPatience(isLast), isLast, isRight);
    });
}

/// The replicas agree behind the copy: nobody trains on before, and what changes until then is not
/// kept. Whoever waits for a disk says so: that may take longer than what a checkpoint takes else.
Result<void> ReplicaLoop::handOver(std::int64_t step, bool isDiskBusy,
                                   const std::function<void(const checkpoint::CopyCheck&)>& copy) {
    Result<void> agreed;
    if (isDiskBusy) enter(wire::PHASE_DISK);
    copy([&] {
        if (isDiskBusy) enter(wire::PHASE_CHECKPOINT);
        agreed = agreeOnWeights(step);
        return agreed;
    });
    return agreed;
}

/// On replica 0 the parts of those who cannot write where it does.
Result<std::map<int, WholeState>> ReplicaLoop::collectHanded() {
    std::map<int, WholeState> parts;
    if (setup_.mesh == nullptr || setup_.shards.handed.empty()) return parts;
    if (replica() == 0)
        for (const int column : setup_.shards.handed)
            parts.try_emplace(column, setup_.optimizer, setup_.network);
    TRY(setup_.mesh->collectParts(stateOf(setup_.optimizer, setup_.communicator), statistics_,
                                  setup_.shards.handed, replica() == 0 ? &parts : nullptr));
    return parts;
}

/// What replica 0 knows beside the tensors.
Result<checkpoint::Snapshot> ReplicaLoop::describe(std::int64_t step, bool isWithin) {
    checkpoint::Snapshot snapshot;
    snapshot.state.step = step;
    snapshot.state.epoch = step / setup_.plan.stepsPerEpoch;
    snapshot.state.samplePosition =
        static_cast<std::uint64_t>(step % setup_.batches.stepsPerEpoch()) *
        static_cast<std::uint64_t>(setup_.job.training.globalBatchSize / setup_.batches.copies());
    snapshot.state.epochEndDue = epochEndDue_;
    if (isWithin) putEpoch(outcome_.train, snapshot.state);
    snapshot.state.metrics = setup_.objective.metrics().names();
    snapshot.state.seed = setup_.plan.seed;
    snapshot.state.optimizer = toString(setup_.job.training.optimizer);
    snapshot.state.worldSize = replicaCount();
    snapshot.state.globalBatchSize = setup_.job.training.globalBatchSize;
    snapshot.state.jobName = setup_.job.name;
    snapshot.state.dataFingerprint = setup_.data.fingerprint;
    snapshot.state.model = modelText(setup_.job.model);
    snapshot.state.initialWeights = setup_.initialWeights;
    if (setup_.place.methods != nullptr)
        snapshot.state.convolutions = setup_.place.methods->words();
    if (sampleFacts_.empty())
        sampleFacts_ = TRY(data::encodeSampleFacts(data::sampleFactsOf(setup_.data)));
    snapshot.state.sampleFacts = sampleFacts_;
    snapshot.state.buildId = buildId();
    snapshot.state.wallTime = recordSeconds();
    snapshot.state.datasetCopies = setup_.batches.copies();
    snapshot.state.skippedSteps = outcome_.skippedSteps;
    snapshot.state.stepsPerEpoch = setup_.plan.stepsPerEpoch;
    snapshot.state.best = watch_.best();
    snapshot.state.patience = beforeCut_ ? beforeCut_->patience : watch_.patience();
    snapshot.state.plateau = beforeCut_ ? beforeCut_->plateau : plateau_.state();
    return snapshot;
}

/// Puts the best weights that are on disk into these buffers, and gives their step; 0 where there
/// are none, and the run ends with its last weights.
Result<std::int64_t> ReplicaLoop::loadBest(const FlatState& state, std::span<float> statistics) {
    const auto best = setup_.events->bestCheckpoint(outcome_.bestStep);
    if (!best) {
        setup_.events->notice(
            fmt::format("the best weights, of step {}, cannot be restored: {}; the run ends with "
                        "its last weights",
                        outcome_.bestStep, best.error().message));
        return 0;
    }
    const SavedBuffers saved = savedBuffers(setup_.optimizer, state);
    auto restored = restoreModel(network(), *best, saved.model, statistics);
    if (restored) restored = restoreOptimizer(network(), *best, saved.state, saved.names);
    if (!restored) return fail(restored.error());
    if (best->state.step != outcome_.bestStep)
        setup_.events->notice(
            fmt::format("the best weights, of step {}, are not on disk; the run ends with the best "
                        "that are, of step {}",
                        outcome_.bestStep, best->state.step));
    return best->state.step;
}

/// The run's last weights are those of its best epoch, where the job asks for it.
Result<void> ReplicaLoop::restoreBest() {
    const bool isBest = outcome_.bestStep == 0 || outcome_.bestStep == outcome_.step;
    if (!config::restoresBest(setup_.job) || isBest) return {};
    enter(wire::PHASE_CHECKPOINT);
    collective::Communicator& communicator = setup_.communicator;
    std::optional<WholeState> whole;
    std::int64_t step = 0;
    if (setup_.events != nullptr) {
        if (setup_.mesh != nullptr) whole.emplace(setup_.optimizer, network());
        step = TRY(loadBest(whole ? whole->buffers() : stateOf(setup_.optimizer, communicator),
                            whole ? whole->statistics : statistics_));
    }
    const std::uint64_t words[] = {static_cast<std::uint64_t>(step)};
    std::vector<std::uint64_t> all(static_cast<std::size_t>(replicaCount()));
    TRY(gatherOfJob(words, all));
    outcome_.restoredStep = static_cast<std::int64_t>(all[0]);
    if (outcome_.restoredStep == 0) return {};
    TRY(shareState(whole ? &*whole : nullptr));
    TRY(steps_->takeState(statistics_));
    if (setup_.data.validation->count == 0) return {};
    auto score = TRY(scoreTogether(ScoredSplit::Validation));
    outcome_.validation = score;  // absent where a stop is heard: the test will hear it, too
    return {};
}

}  // namespace lockstep::train
