// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/training_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

}  // namespace

std::string encodeState(const TrainingState& state) {
    json document = json::object();
    visitMembers(state, [&](const char* key, const auto& member) { document[key] = member; });
    // A job's name may hold anything; what is not UTF-8 is replaced rather than refused.
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<TrainingState> parseState(std::string_view text) {
    if (auto checked = checkJson(text); !checked) return fail(checked.error());
    TrainingState state;
    std::size_t members = 0;
    try {
        const json document = json::parse(text);
        visitMembers(state, [&](const char* key, auto& member) {
            document.at(key).get_to(member);
            ++members;
        });
        if (document.size() != members)
            return fail(ErrorCode::Corrupt, "it holds a key that this version does not know");
    } catch (const std::exception& error) {
        return fail(ErrorCode::Corrupt, error.what());
    }
    if (state.step < 0 || state.epoch < 0 || state.worldSize < 1)
        return fail(ErrorCode::Corrupt, fmt::format("step {}, epoch {} and world size {} cannot be",
                                                    state.step, state.epoch, state.worldSize));
    return state;
}

}  // namespace lockstep::checkpoint
