// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/part_restore.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/model/mesh/split_graph.h"
#include "core/text/json.h"
#include "core/train/checkpoints/shard_tensors.h"
#include "core/train/checkpoints/start_point.h"

namespace lockstep::train {

using text::Json;

namespace {

/// For the parts of all.
constexpr std::chrono::seconds kReadingTimeout{600};
/// A file system of several hosts may be late.
constexpr int kLooks = 3;
constexpr std::chrono::milliseconds kBetweenLooks{500};

/// Process 0's word: the step to be read, or what has been decided.
std::string wordKey(int attempt) {
    return fmt::format("restore/{}", attempt);
}
constexpr const char* kInParts = "parts";
constexpr const char* kWhole = "whole";

std::string answerKey(int attempt, int process) {
    return fmt::format("restore/{}/{}", attempt, process);
}

std::string encodeAnswer(const Result<void>& read) {
    if (read) return "{}";
    return Json::object({{"error", read.error().message},
                         {"remedy", read.error().remedy},
                         {"bad_input", read.error().code == ErrorCode::BadInput}})
        .text();
}

Result<void> parseAnswer(const std::string& text) {
    const auto answer = TRY(text::parseJson(text, text.size()));
    const auto error = answer.get<std::string>("error");
    if (!error) return {};
    const bool isBadInput = answer.get<bool>("bad_input").value_or(false);
    return fail(isBadInput ? ErrorCode::BadInput : ErrorCode::Corrupt, *error,
                answer.get<std::string>("remedy").value_or(""));
}

}  // namespace

PartRestore::PartRestore(collective::Store& store, const program::Network& network,
                         const model::MeshLayout& layout, const optim::Optimizer& optimizer,
                         Share share)
    : store_(store), optimizer_(optimizer), share_(std::move(share)) {
    for (const int column : share_.columns)
        networks_.try_emplace(column, model::splitGraph(network.graph(), layout, column));
}

Result<void> PartRestore::read(std::int64_t step, checkpoint::OpenShards& shards) {
    TRY(store_.set(wordKey(++attempt_), std::to_string(step)));
    Result<void> all = readOwn(shards);
    for (const int process : share_.others) {
        const auto text = store_.get(answerKey(attempt_, process), kReadingTimeout);
        if (!text) return failWithin(fmt::format("process {}", process), text.error());
        const auto answer = parseAnswer(*text);
        if (!answer && all) all = failWithin(fmt::format("process {}", process), answer.error());
    }
    return all;
}

Result<void> PartRestore::settle(bool isWhole) {
    isInParts_ = !isWhole;
    if (isWhole) parts_.clear();
    return store_.set(wordKey(attempt_ + 1), isWhole ? kWhole : kInParts);
}

Result<void> PartRestore::follow(Nanos timeout) {
    for (;;) {
        const std::string word = TRY(store_.get(wordKey(++attempt_), timeout));
        if (word == kInParts || word == kWhole) {
            isInParts_ = word == kInParts;
            if (!isInParts_) parts_.clear();
            return {};
        }
        if (share_.columns.empty()) continue;  // process 0 reads for it
        const auto step = TRY(text::parseJson(word, word.size())).as<std::int64_t>();
        if (!step) return fail(ErrorCode::Corrupt, "process 0's word cannot be read: " + word);
        const auto read = readOwnOf(*step);
        TRY(store_.set(answerKey(attempt_, share_.process), encodeAnswer(read)));
    }
}

Result<void> PartRestore::readOwnOf(std::int64_t step) {
    for (int look = 1;; ++look) {
        const auto read = [&]() -> Result<void> {
            const auto store = TRY(checkpoint::CheckpointStore::open(
                share_.checkpoints, checkpoint::CheckpointStore::Access::Read));
            const auto held = TRY(store.lease(step));
            auto shards = TRY(checkpoint::openShards(held.folder(), step));
            if (!shards) return fail(ErrorCode::Corrupt, "it is not in shards here");
            return readOwn(*shards);
        }();
        if (read || read.error().code == ErrorCode::BadInput || look == kLooks) return read;
        std::this_thread::sleep_for(kBetweenLooks);
    }
}

Result<void> PartRestore::readOwn(checkpoint::OpenShards& shards) {
    parts_.clear();
    for (const auto& [column, network] : networks_) {
        StartPoint start;
        start.checkpoint = TRY(readPart(shards, network, column));
        WholeState& part = parts_.try_emplace(column, optimizer_, network).first->second;
        TRY(applyStart(start, network, optimizer_, part.buffers(), part.statistics));
    }
    return {};
}

}  // namespace lockstep::train
