// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/mesh_member.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/try.h"

namespace lockstep::train {

Result<void> MeshMember::gather(std::span<const float> mine, std::span<float> all) {
    const wire::Phase interrupted = progress_.read().phase;
    const Nanos begin = SteadyClock::read();
    progress_.enter(wire::PHASE_ALL_REDUCE, begin);
    const auto done = exchange(mine, all);
    const Nanos end = SteadyClock::read();
    time_ += end - begin;
    if (done) progress_.enter(interrupted, end);
    return done;
}

/// Two numbers travel as one word.
Result<void> MeshMember::exchange(std::span<const float> mine, std::span<float> all) {
    constexpr std::size_t kNumbers = sizeof(std::uint64_t) / sizeof(float);
    const std::size_t words = (mine.size() + kNumbers - 1) / kNumbers;
    mine_.resize(words);
    all_.resize(words * static_cast<std::size_t>(members()));
    std::memcpy(mine_.data(), mine.data(), mine.size_bytes());
    TRY(model_.allGather(mine_, all_));
    for (std::size_t member = 0; member < static_cast<std::size_t>(members()); ++member)
        std::memcpy(all.data() + member * mine.size(), all_.data() + member * words,
                    mine.size_bytes());
    return {};
}

Result<void> MeshMember::allGather(std::span<const std::uint64_t> mine,
                                   std::span<std::uint64_t> all) {
    const auto rows = static_cast<std::size_t>(batch_.replicaCount());
    const auto columns = static_cast<std::size_t>(members());
    std::vector<std::uint64_t> ofColumn(mine.size() * rows);
    TRY(batch_.allGather(mine, ofColumn));
    std::vector<std::uint64_t> ofAll(ofColumn.size() * columns);
    TRY(model_.allGather(ofColumn, ofAll));
    for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t row = 0; row < rows; ++row)
            std::copy_n(
                ofAll.begin() + static_cast<std::ptrdiff_t>((column * rows + row) * mine.size()),
                mine.size(),
                all.begin() + static_cast<std::ptrdiff_t>((row * columns + column) * mine.size()));
    return {};
}

Result<bool> MeshMember::isAnybodys(bool mine) {
    const std::uint64_t word[] = {mine ? std::uint64_t{1} : 0};
    std::vector<std::uint64_t> all(static_cast<std::size_t>(members()));
    TRY(model_.allGather(word, all));
    return std::ranges::any_of(all, [](std::uint64_t one) { return one != 0; });
}

Result<void> MeshMember::takeFromFirst(std::span<std::uint64_t> words) {
    std::vector<std::uint64_t> all(words.size() * static_cast<std::size_t>(members()));
    TRY(model_.allGather(words, all));
    std::copy_n(all.begin(), words.size(), words.begin());
    return {};
}

Result<void> MeshMember::collect(const FlatState& state, std::span<const float> statistics,
                                 WholeState* whole) {
    TRY(collectTensors(state.parameters, false, whole == nullptr ? nullptr : &whole->parameters));
    for (std::size_t i = 0; i < state.moments.size(); ++i)
        TRY(collectTensors(state.moments[i], false,
                           whole == nullptr ? nullptr : &whole->moments[i]));
    return collectTensors(statistics, true, whole == nullptr ? nullptr : &whole->statistics);
}

/// Tensor by tensor, so that nobody but the first needs room for all of them.
Result<void> MeshMember::collectTensors(std::span<const float> part, bool areStatistics,
                                        std::vector<float>* whole) {
    std::vector<float> all;
    for (std::size_t i = 0; i < part_.tensors().size(); ++i) {
        const program::PlacedTensor& own = part_.tensors()[i];
        if (own.isStatistic() != areStatistics) continue;
        const std::span<const float> mine = own.in(part);
        all.resize(mine.size() * static_cast<std::size_t>(members()));
        TRY(exchange(mine, all));
        const program::PlacedTensor& full = whole_.tensors()[i];
        for (int member = 0; member < members(); ++member) {
            const auto theirs = std::span<const float>(all).subspan(
                static_cast<std::size_t>(member) * mine.size(), mine.size());
            if (isWhole(i) && std::memcmp(theirs.data(), all.data(), mine.size_bytes()) != 0)
                return fail(ErrorCode::Internal,
                            fmt::format("member {} of the mesh's group holds another {} than "
                                        "member 0",
                                        member, own.name),
                            "This is a defect of the program or of a machine's memory; resume "
                            "from the last checkpoint.");
            if (whole != nullptr)
                model::putShard(part_.graph().shards[i].of(member), full.shape, theirs,
                                full.in(std::span(*whole)));
        }
    }
    return {};
}

Result<void> MeshMember::handOut(const WholeState* whole, const FlatState& state,
                                 std::span<float> statistics) {
    TRY(handOutTensors(whole == nullptr ? nullptr : &whole->parameters, false, state.parameters));
    for (std::size_t i = 0; i < state.moments.size(); ++i)
        TRY(handOutTensors(whole == nullptr ? nullptr : &whole->moments[i], false,
                           state.moments[i]));
    return handOutTensors(whole == nullptr ? nullptr : &whole->statistics, true, statistics);
}

Result<void> MeshMember::handOutTensors(const std::vector<float>* whole, bool areStatistics,
                                        std::span<float> part) {
    std::vector<float> mine;
    std::vector<float> all;
    for (std::size_t i = 0; i < part_.tensors().size(); ++i) {
        const program::PlacedTensor& own = part_.tensors()[i];
        if (own.isStatistic() != areStatistics) continue;
        const program::PlacedTensor& full = whole_.tensors()[i];
        mine.assign(full.size(), 0.0F);
        if (whole != nullptr) std::ranges::copy(full.in(std::span(*whole)), mine.begin());
        all.resize(mine.size() * static_cast<std::size_t>(members()));
        TRY(exchange(mine, all));
        model::takeShard(part_.graph().shards[i], full.shape, std::span(all).first(full.size()),
                         own.in(part));
    }
    return {};
}

}  // namespace lockstep::train
