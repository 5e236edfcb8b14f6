// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/training_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/try.h"
#include "core/checkpoint/json_guard.h"

namespace lockstep::checkpoint {

namespace {

using nlohmann::json;

/// Calls `visit(key, member)` for every member, so that writing and reading name the same keys.
template <typename State, typename Visitor>
void visitMembers(State& state, Visitor&& visit) {
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
void visitLaterMembers(State& state, Visitor&& visit) {
    visit("dataset_copies", state.datasetCopies);
    visit("skipped_steps", state.skippedSteps);
    visit("best_monitor", state.best.monitor);
    visit("best_step", state.best.step);
    visit("best_epoch", state.best.epoch);
    visit("best_value", state.best.value);
    visit("patience_monitor", state.patience.monitor);
    visit("patience_best_epoch", state.patience.bestEpoch);
    visit("patience_best_value", state.patience.bestValue);
    visit("patience_epochs_waited", state.patience.epochsWaited);
    visit("epoch_end_due", state.epochEndDue);
    visit("model", state.model);
}

}  // namespace

std::string encodeState(const TrainingState& state) {
    json document = json::object();
    const auto write = [&](const char* key, const auto& member) { document[key] = member; };
    visitMembers(state, write);
    visitLaterMembers(state, write);
    // A job's name may hold anything; what is not UTF-8 is replaced rather than refused.
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<TrainingState> parseState(std::string_view text) {
    TRY(checkJson(text));
    TrainingState state;
    std::size_t members = 0;
    try {
        const json document = json::parse(text);
        visitMembers(state, [&](const char* key, auto& member) {
            document.at(key).get_to(member);
            ++members;
        });
        visitLaterMembers(state, [&](const char* key, auto& member) {
            if (!document.contains(key)) return;
            document.at(key).get_to(member);
            ++members;
        });
        if (document.size() != members)
            return fail(ErrorCode::Corrupt, "it holds a key that this version does not know");
    } catch (const std::exception& error) {
        return fail(ErrorCode::Corrupt, error.what());
    }
    if (state.step < 0 || state.epoch < 0 || state.worldSize < 1 || state.datasetCopies < 1)
        return fail(ErrorCode::Corrupt, fmt::format("step {}, epoch {} and world size {} cannot be",
                                                    state.step, state.epoch, state.worldSize));
    return state;
}

}  // namespace lockstep::checkpoint
