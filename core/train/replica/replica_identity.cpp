// SPDX-License-Identifier: Apache-2.0
// How replicas find that weights are not what their updates made of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/train/replica/replica_loop.h"

namespace lockstep::train {

namespace {

constexpr const char* kRemedy =
    "The memory or a processor of its host may be bad: test them before it trains on.\n"
    "--resume goes on from the newest checkpoint; launch.max_restarts does so by itself.";

std::uint64_t hashOf(std::span<const float> values) {
    return shortHash({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

std::string namesOf(const std::vector<int>& replicas) {
    return fmt::format("{} {}", nounFor(replicas.size(), "replica"), fmt::join(replicas, ", "));
}

/// Replicas by what they hold, the most common first; of equals that of the lowest replica.
std::vector<std::vector<int>> groupByValue(std::span<const std::uint64_t> values,
                                           std::size_t stride, std::size_t place) {
    std::map<std::uint64_t, std::vector<int>> byValue;
    for (std::size_t replica = 0; replica * stride < values.size(); ++replica)
        byValue[values[replica * stride + place]].push_back(static_cast<int>(replica));
    std::vector<std::vector<int>> groups;
    for (auto& [value, replicas] : byValue)
        groups.push_back(std::move(replicas));
    std::ranges::sort(groups, [](const auto& one, const auto& other) {
        return one.size() != other.size() ? one.size() > other.size() : one < other;
    });
    return groups;
}

}  // namespace

/// As one block after the other, each looked at before and behind its update.
Result<void> ReplicaLoop::updateGuarded(std::size_t bucket, const collective::Range& share,
                                        std::int64_t step) {
    collective::Communicator& communicator = setup_.communicator;
    const std::span<const float> parameters = communicator.parameters();
    const bool isFirst = step == outcome_.skippedSteps + 1;
    for (std::size_t i = 0; i < WeightGuard::blockCount(share); ++i) {
        const collective::Range block = WeightGuard::blockOf(share, i);
        if (!guard_->isUnchanged(bucket, share, i, parameters)) return weightsChanged(block, step);
        update_.apply(communicator, block, step, isFirst);
        guard_->take(bucket, share, i, parameters);
    }
    return {};
}

/// Of what no later update looks at.
Result<void> ReplicaLoop::checkShares(std::int64_t step) {
    if (!guard_) return {};
    const auto change = guard_->findChange(setup_.communicator.parameters());
    return change ? weightsChanged(*change, step + 1) : Result<void>{};
}

Result<void> ReplicaLoop::weightsChanged(const collective::Range& block, std::int64_t step) const {
    const program::PlacedTensor& tensor = tensorAt(block.begin);
    const program::PlacedTensor& last = tensorAt(block.end - 1);
    const std::string tensors = &tensor == &last
                                    ? fmt::format("tensor '{}'", tensor.name)
                                    : fmt::format("tensors '{}' to '{}'", tensor.name, last.name);
    return fail(ErrorCode::Internal,
                fmt::format("weights changed between the updates of steps {} and {}: in {}, in "
                            "replica {}'s share; no update did it",
                            step - 1, step, tensors, replica()),
                kRemedy);
}

/// Replicas that share memory have one copy: those of other hosts have others, kept alike by the
/// same updates alone.
Result<void> ReplicaLoop::compareCopies(std::int64_t step) {
    if (!hasCopies()) return {};
    enter(wire::PHASE_ALL_REDUCE);
    const std::uint64_t mine[] = {hashOf(setup_.communicator.parameters())};
    TRY(setup_.communicator.allGather(mine, copyHashes_));
    const bool areEqual =
        std::ranges::adjacent_find(copyHashes_, std::not_equal_to{}) == copyHashes_.end();
    return areEqual ? Result<void>{} : nameDifference(step);
}

bool ReplicaLoop::hasCopies() const {
    return !wholeStepsOnGpu() &&
           setup_.communicator.backend().find("gloo") != std::string_view::npos;
}

/// All know that copies differ: whose, and where, is told by those who are not most.
Result<void> ReplicaLoop::nameDifference(std::int64_t step) {
    std::vector<std::uint64_t> mine;
    std::vector<std::string> names;
    for (const program::PlacedTensor& tensor : setup_.network.tensors()) {
        if (tensor.isStatistic()) continue;
        mine.push_back(hashOf(tensor.in(std::span<const float>(setup_.communicator.parameters()))));
        names.push_back(tensor.name);
    }
    std::vector<std::uint64_t> all(mine.size() *
                                   static_cast<std::size_t>(setup_.communicator.replicaCount()));
    TRY(setup_.communicator.allGather(mine, all));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto groups = groupByValue(all, names.size(), i);
        if (groups.size() < 2) continue;
        const bool hasMost = groups[0].size() > groups[1].size();
        const bool isMine =
            !hasMost ||
            std::ranges::find(groups[0], setup_.communicator.replica()) == groups[0].end();
        return fail(isMine ? ErrorCode::Internal : ErrorCode::PeerLost,
                    fmt::format("{} {} other weights than {} after step {}, first in tensor "
                                "'{}'{}",
                                namesOf(groups[1]), groups[1].size() == 1 ? "holds" : "hold",
                                namesOf(groups[0]), step, names[i],
                                hasMost ? "" : "; which are wrong, nothing tells"),
                    kRemedy);
    }
    return {};  // between tensors, where nobody reads
}

}  // namespace lockstep::train
