// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/process_group.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <tuple>
#include <vector>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/thread.h"
#include "core/base/try.h"

namespace lockstep::distribution {

namespace {

constexpr const char* kRosterKey = "distribution/roster";
constexpr const char* kSeedKey = "distribution/seed";
constexpr const char* kPartitionKey = "distribution/partition/";
constexpr const char* kPartitionsKey = "distribution/partitions";
constexpr std::chrono::seconds kLeaveTimeout{10};
constexpr std::chrono::seconds kTellingTheOthers{3};  ///< Should the coordinator stand still.
constexpr std::chrono::seconds kFlushing{1};

/// What the program has written reaches its files, but for those that another of its threads holds:
/// one that reads its input holds that for as long as nothing comes.
void flushFiles() {
    const auto done = std::make_shared<std::promise<void>>();
    const auto flushed = done->get_future();
    startThread("flush", [done](const std::stop_token&) {
        std::fflush(nullptr);
        done->set_value();
    }).detach();
    flushed.wait_for(kFlushing);
}

}  // namespace

ProcessGroup::ProcessGroup(const InitializeOptions& options, config::ClusterFacts cluster,
                           std::optional<std::string> secret)
    : options_(options),
      cluster_(std::move(cluster)),
      meeting_(options_, cluster_, std::move(secret),
               [this](const std::string& cause) { noteFailure(cause); }) {}

ProcessGroup::~ProcessGroup() {
    leaving_ = true;
    awaitOthersTold();
}

bool ProcessGroup::isEvaluator() const {
    return meeting_.self().role == wire::ROLE_EVALUATOR;
}

Result<std::unique_ptr<ProcessGroup>> ProcessGroup::form(const InitializeOptions& options,
                                                         config::ClusterFacts cluster,
                                                         std::optional<std::string> secret,
                                                         const wire::Register& self) {
    auto group = std::unique_ptr<ProcessGroup>(
        new ProcessGroup(options, std::move(cluster), std::move(secret)));
    TRY(group->agree(self));
    return group;
}

Result<void> ProcessGroup::agree(const wire::Register& self) {
    welcome_ = TRY(meeting_.meet(self));
    joined_ = true;
    TRY(agreeOnPartitions());
    return agreeOnSeed();
}

/// Each says whether it gives a partition, and process 0 whether that goes together.
Result<void> ProcessGroup::agreeOnPartitions() {
    const Nanos timeout = toNanos(options_.initializationTimeoutSeconds);
    if (isEvaluator()) return {};
    const auto& own = cluster_.partitionIndex;
    TRY(client().set(kPartitionKey + std::to_string(processId()), own ? "given" : ""));
    if (meeting_.coordinator() != nullptr) {
        auto sentence = TRY(partitionProblem(timeout));
        TRY(client().set(kPartitionsKey, sentence));
    }
    auto problem = TRY(client().get(kPartitionsKey, timeout));
    if (problem.empty()) return {};
    leaving_ = true;
    std::ignore = client().barrier(kPartitionsKey, kLeaveTimeout);  // all have read it
    return lockstep::fail(
        ErrorCode::BadInput, problem,
        "Give partition_index (JAX_PARTITION_INDEX) to every process, or to none.");
}

/// Who gives a partition and who does not; empty: all do, or none.
Result<std::string> ProcessGroup::partitionProblem(Nanos timeout) {
    std::vector<int> giving;
    std::vector<int> others;
    for (int id = 0; id < processCount(); ++id) {
        auto said = TRY(client().get(kPartitionKey + std::to_string(id), timeout));
        (said.empty() ? others : giving).push_back(id);
    }
    if (giving.empty() || others.empty()) return std::string();
    return fmt::format(
        "partition_index must be given by all processes or by none: {} {} {} it, {} {} "
        "{} not",
        nounFor(giving.size(), "process"), compressRanges(giving),
        giving.size() == 1 ? "gives" : "give", nounFor(others.size(), "process"),
        compressRanges(others), others.size() == 1 ? "does" : "do");
}

Result<void> ProcessGroup::agreeOnSeed() {
    if (meeting_.coordinator() != nullptr) {
        seed_ = options_.seed.value_or(welcome_.seed_word());
        TRY(client().set(kRosterKey, welcome_.SerializeAsString()));
        return client().set(kSeedKey, std::to_string(seed_));
    }
    if (isEvaluator()) {  // it was welcome before the others had come
        auto roster = client().get(kRosterKey, toNanos(options_.initializationTimeoutSeconds));
        if (!roster) return lockstep::fail(roster.error());
        if (!welcome_.ParseFromString(*roster))
            return lockstep::fail(ErrorCode::Corrupt, "process 0's roster does not parse");
    }
    auto text = TRY(client().get(kSeedKey, toNanos(options_.initializationTimeoutSeconds)));
    seed_ = std::strtoull(text.c_str(), nullptr, 10);
    return {};
}

Result<void> ProcessGroup::set(const std::string& key, const std::string& value) {
    return client().set(key, value);
}

Result<std::string> ProcessGroup::get(const std::string& key, Nanos timeout) {
    return client().get(key, timeout);
}

Result<void> ProcessGroup::barrier(const std::string& name, Nanos timeout) {
    return client().barrier(name, timeout);
}

/// On the client's thread, or on that of who watches the coordinator: once.
void ProcessGroup::noteFailure(const std::string& sentence) {
    if (leaving_ || !joined_) return;  // whoever waits is told by its own call
    if (failed_.exchange(true)) return;
    if (options_.onFailure) {  // it may leave the group, which waits for this thread
        awaitOthersTold();     // or end the process at once
        startThread("on-failure", [handler = options_.onFailure, sentence](const std::stop_token&) {
            handler(sentence);
        }).detach();
        return;
    }
    std::fprintf(stderr, "error: %s\n", sentence.c_str());
    flushFiles();
    awaitOthersTold();
    meeting_.removeFiles();  // no destructor will
    ::_exit(1);
}

Result<void> ProcessGroup::shutdown() {
    const Nanos timeout = toNanos(options_.shutdownTimeoutSeconds);
    Result<void> met;
    if (!isEvaluator()) met = client().barrier("distribution/shutdown", timeout);
    leaving_ = true;
    auto left = client().leave("completed", "", kLeaveTimeout);
    if (const auto* coordinator = meeting_.coordinator(); coordinator != nullptr && met)
        std::ignore = (*coordinator)->waitOutcome(timeout);
    awaitOthersTold();  // the group may be held by others, too, and outlive this
    if (!met) return failWithin("Shutdown barrier has failed", met.error());
    return left;
}

/// Whoever is told later than the coordinator's own process would only see it end.
void ProcessGroup::awaitOthersTold() {
    if (const auto* coordinator = meeting_.coordinator(); coordinator != nullptr)
        (*coordinator)->awaitTold(kTellingTheOthers);
}

}  // namespace lockstep::distribution
