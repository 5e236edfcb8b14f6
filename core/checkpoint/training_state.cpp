// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/training_state.h"

#include <fmt/format.h>

#include "core/base/try.h"
#include "core/text/json.h"
#include "core/text/json_fields.h"

namespace lockstep::checkpoint {

namespace {

/// Of data with a vocabulary of many words.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// Calls `visit(key, member)` for every member, so that writing and reading name the same keys.
template <typename State, typename Visitor>
void visitMembers(State& state, const Visitor& visit) {
    visit("step", state.step);
    visit("epoch", state.epoch);
    visit("sample_position", state.samplePosition);
    visit("epoch_loss_sum", state.epochLossSum);
    visit("epoch_correct", state.epochCorrect);
    visit("epoch_samples", state.epochSamples);
    visit("seed", state.seed);
    visit("optimizer", state.optimizer);
    visit("world_size", state.worldSize);
    visit("global_batch_size", state.globalBatchSize);
    visit("job_name", state.jobName);
    visit("data_fingerprint", state.dataFingerprint);
    visit("build_id", state.buildId);
    visit("wall_time", state.wallTime);
}

/// Members that came later: absent in the checkpoints of older versions.
template <typename State, typename Visitor>
void visitLaterMembers(State& state, const Visitor& visit) {
    visit("dataset_copies", state.datasetCopies);
    visit("skipped_steps", state.skippedSteps);
    visit("steps_per_epoch", state.stepsPerEpoch);
    visit("best_monitor", state.best.monitor);
    visit("best_step", state.best.step);
    visit("best_epoch", state.best.epoch);
    visit("best_value", state.best.value);
    visit("patience_monitor", state.patience.monitor);
    visit("patience_best_epoch", state.patience.bestEpoch);
    visit("patience_best_value", state.patience.bestValue);
    visit("patience_epochs_waited", state.patience.epochsWaited);
    visit("plateau_rate", state.plateau.rate);
    visit("plateau_initial_rate", state.plateau.initialRate);
    visit("plateau_has_best", state.plateau.hasBest);
    visit("plateau_best", state.plateau.best);
    visit("plateau_waited", state.plateau.waited);
    visit("plateau_cooldown", state.plateau.cooldown);
    visit("epoch_end_due", state.epochEndDue);
    visit("model", state.model);
    visit("metrics", state.metrics);
    visit("epoch_metrics", state.epochMetrics);
    visit("initial_weights", state.initialWeights);
    visit("convolutions", state.convolutions);
}

Result<text::Json> parseSamples(const std::string& facts) {
    auto samples = text::parseJson(facts, kMostBytes);
    if (samples) return samples;
    return fail(ErrorCode::Corrupt,
                "what the samples are cannot be kept: " + samples.error().message);
}

}  // namespace

Result<std::string> encodeState(const TrainingState& state) {
    text::Json document;
    const auto write = [&](const char* key, const auto& member) { document[key] = member; };
    visitMembers(state, write);
    visitLaterMembers(state, write);
    if (!state.sampleFacts.empty()) document["samples"] = TRY(parseSamples(state.sampleFacts));
    return document.text() + "\n";
}

Result<TrainingState> parseState(std::string_view text) {
    const text::Json document = TRY(text::parseJson(text, kMostBytes));
    TrainingState state;
    text::JsonFields fields(document);
    visitMembers(state, [&](const char* key, auto& member) { fields.read(key, member); });
    visitLaterMembers(state,
                      [&](const char* key, auto& member) { fields.readIfThere(key, member); });
    text::Json samples;
    fields.readIfThere("samples", samples);
    if (!samples.isNull()) state.sampleFacts = samples.text();
    fields.refuseOthers();
    TRY(fields.checked());
    if (state.step < 0 || state.epoch < 0 || state.worldSize < 1 || state.datasetCopies < 1)
        return fail(ErrorCode::Corrupt, fmt::format("step {}, epoch {} and world size {} cannot be",
                                                    state.step, state.epoch, state.worldSize));
    return state;
}

}  // namespace lockstep::checkpoint
