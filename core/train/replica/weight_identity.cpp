// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/weight_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/try.h"

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

WeightIdentity::WeightIdentity(const program::Network& network,
                               collective::Communicator& communicator,
                               std::span<const collective::Range> buckets, int replica,
                               bool isGuarded)
    : network_(network),
      communicator_(communicator),
      replica_(replica),
      hashes_(static_cast<std::size_t>(communicator.replicaCount())) {
    if (isGuarded) guard_.emplace(buckets);
}

Result<void> WeightIdentity::checkShares(std::int64_t step) const {
    if (!guard_) return {};
    const auto change = guard_->findChange(communicator_.parameters());
    return change ? changed(*change, step + 1) : Result<void>{};
}

Result<void> WeightIdentity::changed(const collective::Range& block, std::int64_t step) const {
    const program::PlacedTensor& tensor = tensorAt(block.begin);
    const program::PlacedTensor& last = tensorAt(block.end - 1);
    const std::string tensors = &tensor == &last
                                    ? fmt::format("tensor '{}'", tensor.name)
                                    : fmt::format("tensors '{}' to '{}'", tensor.name, last.name);
    return fail(ErrorCode::Internal,
                fmt::format("weights changed between the updates of steps {} and {}: in {}, in "
                            "replica {}'s share; no update did it",
                            step - 1, step, tensors, replica_),
                kRemedy);
}

Result<void> WeightIdentity::compareCopies(std::int64_t step) {
    const std::uint64_t mine[] = {hashOf(communicator_.parameters())};
    TRY(communicator_.allGather(mine, hashes_));
    const bool areEqual = std::ranges::adjacent_find(hashes_, std::not_equal_to{}) == hashes_.end();
    return areEqual ? Result<void>{} : nameDifference(step);
}

bool WeightIdentity::hasCopies() const {
    return communicator_.backend().find("gloo") != std::string_view::npos;
}

/// All know that copies differ: whose, and where, is told by those who are not most.
Result<void> WeightIdentity::nameDifference(std::int64_t step) {
    std::vector<std::uint64_t> mine;
    std::vector<std::string> names;
    for (const program::PlacedTensor& tensor : network_.tensors()) {
        if (tensor.isStatistic()) continue;
        mine.push_back(hashOf(tensor.in(std::span<const float>(communicator_.parameters()))));
        names.push_back(tensor.name);
    }
    std::vector<std::uint64_t> all(mine.size() *
                                   static_cast<std::size_t>(communicator_.replicaCount()));
    TRY(communicator_.allGather(mine, all));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto groups = groupByValue(all, names.size(), i);
        if (groups.size() < 2) continue;
        const bool hasMost = groups[0].size() > groups[1].size();
        std::vector<int> others;
        for (const auto& group : groups | std::views::drop(1))
            others.insert(others.end(), group.begin(), group.end());
        std::ranges::sort(others);
        const bool isMine =
            !hasMost || std::ranges::find(groups[0], communicator_.replica()) == groups[0].end();
        return fail(
            isMine ? ErrorCode::Internal : ErrorCode::PeerLost,
            fmt::format("{} {} other weights than {} after step {}, first in tensor "
                        "'{}'{}",
                        namesOf(others), others.size() == 1 ? "holds" : "hold", namesOf(groups[0]),
                        step, names[i], hasMost ? "" : "; which are wrong, nothing tells"),
            kRemedy);
    }
    return {};  // between tensors, where nobody reads
}

const program::PlacedTensor& WeightIdentity::tensorAt(std::size_t element) const {
    const program::PlacedTensor* found = nullptr;
    for (const program::PlacedTensor& tensor : network_.tensors())
        if (!tensor.isStatistic() && tensor.offset <= element &&
            (found == nullptr || tensor.offset > found->offset))
            found = &tensor;
    return *found;  // a network without a tensor has no share
}

}  // namespace lockstep::train
