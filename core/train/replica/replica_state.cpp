// SPDX-License-Identifier: Apache-2.0
// The state of all replicas: handed out, put together, agreed on; of a mesh in parts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/checkpoint/training_state.h"
#include "core/tensor/cpu/operations.h"
#include "core/train/replica/replica_loop.h"

namespace lockstep::train {

Result<void> ReplicaLoop::gatherOfJob(std::span<const std::uint64_t> mine,
                                      std::span<std::uint64_t> all) {
    return setup_.mesh != nullptr ? setup_.mesh->allGather(mine, all)
                                  : setup_.communicator.allGather(mine, all);
}

/// What an earlier start has added is known to replica 0, and so to its column.
Result<void> ReplicaLoop::takeEpochScoreOfFirst() {
    SplitScore& train = outcome_.train;
    std::vector<std::uint64_t> words;
    std::vector<double*> numbers{&train.lossSum, &train.correct, &train.samples};
    for (double& metric : train.metrics)
        numbers.push_back(&metric);
    for (const double* number : numbers)
        words.push_back(std::bit_cast<std::uint64_t>(*number));
    TRY(setup_.mesh->takeFromFirst(words));
    for (std::size_t i = 0; i < words.size(); ++i)
        *numbers[i] = std::bit_cast<double>(words[i]);
    return {};
}

Result<void> ReplicaLoop::shareState(const WholeState* whole) {
    if (setup_.mesh != nullptr && setup_.mesh->isInFirstRow())
        TRY(setup_.mesh->handOut(whole, stateOf(setup_.optimizer, setup_.communicator),
                                 statistics_));
    return shareInColumns();
}

Result<void> ReplicaLoop::shareInColumns() {
    setup_.progress.collectivePlace().align();  // the first row has handed out parts
    TRY(setup_.communicator.broadcastState());
    return shareFromFirst(setup_.communicator, statistics_);
}

/// What the first row has read: each its own part, replica 0 for those who could not.
Result<void> ReplicaLoop::shareParts(std::map<int, WholeState>& parts) {
    const FlatState state = stateOf(setup_.optimizer, setup_.communicator);
    const int column = setup_.mesh->column();
    if (const auto own = parts.find(column); own != parts.end()) {
        std::ranges::copy(own->second.parameters, state.parameters.begin());
        for (std::size_t i = 0; i < state.moments.size(); ++i)
            std::ranges::copy(own->second.moments[i], state.moments[i].begin());
        std::ranges::copy(own->second.statistics, statistics_.begin());
        own->second.clear();  // others of this process have theirs
    }
    TRY(setup_.mesh->handOutParts(setup_.shards.handed, replica() == 0 ? &parts : nullptr, state,
                                  statistics_));
    if (replica() == 0)
        for (const int handed : setup_.shards.handed)
            parts.at(handed).clear();
    return shareInColumns();
}

Result<void> ReplicaLoop::takeKept() {
    const std::int64_t step = setup_.plan.firstStep;
    if (!setup_.isFed) {
        const KeptFigures figures = setup_.kept->figures(step);
        setup_.kept->restore(step, setup_.communicator.parameters(), moments());
        std::ranges::copy(figures.statistics, statistics_.begin());
        outcome_.train.lossSum = figures.lossSum;
        outcome_.train.correct = figures.correct;
        outcome_.train.samples = figures.samples;
        outcome_.skippedSteps = figures.skippedSteps;
        epochMetrics_.assign(figures.metrics.begin(), figures.metrics.end());
    }
    // Behind this the others' shares are there, too.
    const std::uint64_t mine[] = {static_cast<std::uint64_t>(step),
                                  static_cast<std::uint64_t>(outcome_.skippedSteps),
                                  std::bit_cast<std::uint64_t>(outcome_.train.lossSum),
                                  std::bit_cast<std::uint64_t>(outcome_.train.correct),
                                  std::bit_cast<std::uint64_t>(outcome_.train.samples)};
    constexpr std::size_t kWords = std::size(mine);
    std::vector<std::uint64_t> all(kWords * static_cast<std::size_t>(replicaCount()));
    TRY(setup_.communicator.allGather(mine, all));
    for (std::size_t one = 0; one < all.size(); one += kWords)
        if (all[one] != all[0])
            return fail(ErrorCode::Internal,
                        fmt::format("replica {} goes on from step {}, and replica 0 from step {}",
                                    one / kWords, all[one], all[0]));
    return setup_.feeds ? feedFromFirst(all) : Result<void>();
}

/// Replica 0's host has the step whole; `first` are its figures, equal on all who have them.
Result<void> ReplicaLoop::feedFromFirst(std::span<const std::uint64_t> first) {
    TRY(shareInColumns());
    if (!setup_.isFed) return {};
    outcome_.skippedSteps = static_cast<std::int64_t>(first[1]);
    outcome_.train.lossSum = std::bit_cast<double>(first[2]);
    outcome_.train.correct = std::bit_cast<double>(first[3]);
    outcome_.train.samples = std::bit_cast<double>(first[4]);
    // Nobody else knows what it had added up.
    std::ranges::fill(epochMetrics_, std::numeric_limits<double>::quiet_NaN());
    return {};
}

/// What of a step is not in the flat buffers, whose shares were copied as they were updated.
void ReplicaLoop::keepStep(const DoneStep& done) {
    setup_.kept->complete({.lossSum = outcome_.train.lossSum,
                           .correct = outcome_.train.correct,
                           .samples = outcome_.train.samples,
                           .skippedSteps = outcome_.skippedSteps,
                           .metrics = epochMetrics_,
                           .statistics = *done.statistics},
                          done.record);
}

/// Replica 0 knows what epochs have led to.
Result<void> ReplicaLoop::renewKeptText() {
    if (setup_.kept == nullptr || setup_.events == nullptr) return {};
    auto state = TRY(describe(outcome_.step, false)).state;
    state.sampleFacts.clear();  // the next life reads them with its data
    state.model.clear();
    return setup_.kept->setText(TRY(checkpoint::encodeState(state)));
}

Result<void> ReplicaLoop::collectWhole(std::optional<WholeState>& whole) {
    if (setup_.mesh == nullptr || !setup_.mesh->isInFirstRow()) return {};
    if (replica() == 0) whole.emplace(setup_.optimizer, network());
    return setup_.mesh->collect(stateOf(setup_.optimizer, setup_.communicator), statistics_,
                                whole ? &*whole : nullptr);
}

Result<void> ReplicaLoop::agreeOnHash(const std::string& hash) {
    LS_CHECK(hash.size() == 32, "a state hash has 32 hexadecimal digits");
    const std::uint64_t mine[] = {std::stoull(hash.substr(0, 16), nullptr, 16),
                                  std::stoull(hash.substr(16), nullptr, 16)};
    std::vector<std::uint64_t> all(2 *
                                   static_cast<std::size_t>(setup_.communicator.replicaCount()));
    TRY(setup_.communicator.allGather(mine, all));
    for (std::size_t replica = 0; replica < all.size() / 2; ++replica) {
        if (all[2 * replica] == all[0] && all[2 * replica + 1] == all[1]) continue;
        return fail(
            ErrorCode::Internal,
            fmt::format("replica {} holds other weights than replica 0 after step {}", replica,
                        outcome_.step),
            "This is a defect of the program or of a machine's memory; resume from the last "
            "checkpoint.");
    }
    return {};
}

std::vector<std::span<float>> ReplicaLoop::moments() {
    std::vector<std::span<float>> all;
    for (int i = 0; i < setup_.optimizer.momentCount(); ++i)
        all.push_back(setup_.communicator.moments(i));
    return all;
}

/// Of the state that one replica alone would have.
Result<std::string> ReplicaLoop::hashOfWhole() {
    constexpr std::size_t kDigits = 16;
    std::array<std::uint64_t, 2> words{};
    std::optional<WholeState> whole;
    TRY(collectWhole(whole));
    if (whole) {
        std::vector<std::span<const float>> parts{whole->parameters};
        for (const std::vector<float>& moment : whole->moments)
            parts.emplace_back(moment);
        if (!whole->statistics.empty()) parts.emplace_back(whole->statistics);
        const std::string hash = tensor::stateHash(parts);
        LS_CHECK(hash.size() == 2 * kDigits, "a state hash has 32 hexadecimal digits");
        words = {std::stoull(hash.substr(0, kDigits), nullptr, 16),
                 std::stoull(hash.substr(kDigits), nullptr, 16)};
    }
    std::vector<std::uint64_t> all(words.size() * static_cast<std::size_t>(replicaCount()));
    setup_.progress.collectivePlace().align();
    TRY(gatherOfJob(words, all));
    return fmt::format("{:016x}{:016x}", all[0], all[1]);
}

}  // namespace lockstep::train
