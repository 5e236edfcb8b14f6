// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/mesh_member.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/model/mesh/mesh_price.h"

namespace lockstep::train {

namespace {

/// Numbers of a state that travel at a time: 1 MiB.
constexpr std::size_t kPiece = std::size_t{1} << 18;

std::size_t wordsOf(std::size_t numbers) {
    constexpr std::size_t kNumbers = sizeof(std::uint64_t) / sizeof(float);
    return (numbers + kNumbers - 1) / kNumbers;
}

}  // namespace

/// What waits for the others of the row in the midst of another phase shows as what it is.
template <typename Exchange>
Result<void> MeshMember::inAllReduce(const Exchange& exchange) {
    const wire::Phase interrupted = progress_.read().phase;
    const Nanos begin = SteadyClock::read();
    progress_.enter(wire::PHASE_ALL_REDUCE, begin);
    const auto done = exchange();
    const Nanos end = SteadyClock::read();
    time_ += end - begin;
    if (done) progress_.enter(interrupted, end);
    return done;
}

Result<void> MeshMember::gather(std::span<const float> mine, std::span<float> all) {
    return inAllReduce([&] { return exchange(mine, all); });
}

/// Memory that all share is read where it lies.
bool MeshMember::addsByPieces(std::size_t numbers) const {
    return model_.backend().ends_with("gloo") &&
           model::addsByPieces(members(), static_cast<std::int64_t>(numbers));
}

/// As exchange(), a piece a member.
Result<void> MeshMember::deal(std::span<const float> mine, std::span<float> pieces) {
    const auto count = static_cast<std::size_t>(members());
    const std::size_t piece = mine.size() / count;
    const std::size_t words = wordsOf(piece);
    mine_.resize(words * count);
    all_.resize(words * count);
    for (std::size_t member = 0; member < count; ++member)
        std::memcpy(mine_.data() + member * words, mine.data() + member * piece,
                    piece * sizeof(float));
    TRY(inAllReduce([&] { return model_.allToAll(mine_, all_); }));
    for (std::size_t member = 0; member < count; ++member)
        std::memcpy(pieces.data() + member * piece, all_.data() + member * words,
                    piece * sizeof(float));
    return {};
}

/// Two numbers travel as one word.
Result<void> MeshMember::exchange(std::span<const float> mine, std::span<float> all) {
    const std::size_t words = wordsOf(mine.size());
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
    TRY(inAllReduce([&] { return model_.allGather(word, all); }));
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

/// Piece by piece, so that nobody but the first needs room for what is not its own.
Result<void> MeshMember::collectTensors(std::span<const float> part, bool areStatistics,
                                        std::vector<float>* whole) {
    std::vector<float> all;
    std::vector<std::vector<float>> shards(static_cast<std::size_t>(members()));
    for (std::size_t i = 0; i < part_.tensors().size(); ++i) {
        const program::PlacedTensor& own = part_.tensors()[i];
        if (own.isStatistic() != areStatistics) continue;
        for (std::vector<float>& shard : shards)
            shard.clear();
        for (std::size_t at = 0; at < own.size(); at += kPiece) {
            const auto mine = own.in(part).subspan(at, std::min(kPiece, own.size() - at));
            all.resize(mine.size() * static_cast<std::size_t>(members()));
            TRY(exchange(mine, all));
            for (std::size_t member = 0; member < shards.size(); ++member) {
                const auto theirs =
                    std::span<const float>(all).subspan(member * mine.size(), mine.size());
                if (isWhole(i) && std::memcmp(theirs.data(), all.data(), mine.size_bytes()) != 0)
                    return failOf(own, member);
                const bool isNew = whole != nullptr && (member == 0 || !isWhole(i));
                if (isNew)
                    shards[member].insert(shards[member].end(), theirs.begin(), theirs.end());
            }
        }
        for (std::size_t member = 0; member < shards.size(); ++member)
            if (!shards[member].empty())
                model::putShard(part_.graph().shards[i].of(static_cast<std::int64_t>(member)),
                                whole_.tensors()[i].shape, shards[member],
                                whole_.tensors()[i].in(std::span(*whole)));
    }
    return {};
}

/// One after the other, so that it takes no room but for the parts that are asked for.
Result<void> MeshMember::collectParts(const FlatState& state, std::span<const float> statistics,
                                      const std::vector<int>& columns,
                                      std::map<int, WholeState>* parts) {
    std::vector<float> all;
    const auto collectFlat = [&](std::span<const float> mine, const auto& target) -> Result<void> {
        for (std::size_t at = 0; at < mine.size(); at += kPiece) {
            const auto piece = mine.subspan(at, std::min(kPiece, mine.size() - at));
            all.resize(piece.size() * static_cast<std::size_t>(members()));
            TRY(exchange(piece, all));
            if (parts == nullptr) continue;
            for (const int column : columns)
                std::ranges::copy(
                    std::span<const float>(all).subspan(
                        static_cast<std::size_t>(column) * piece.size(), piece.size()),
                    target(parts->at(column)).subspan(at, piece.size()).begin());
        }
        return {};
    };
    if (columns.empty()) return {};
    TRY(collectFlat(state.parameters,
                    [](WholeState& part) { return std::span<float>(part.parameters); }));
    for (std::size_t i = 0; i < state.moments.size(); ++i)
        TRY(collectFlat(state.moments[i],
                        [i](WholeState& part) { return std::span<float>(part.moments[i]); }));
    return collectFlat(statistics,
                       [](WholeState& part) { return std::span<float>(part.statistics); });
}

Result<void> MeshMember::compareShared(const FlatState& state, std::span<const float> statistics) {
    std::vector<std::uint64_t> hashes;
    std::vector<const program::PlacedTensor*> shared;
    const auto add = [&](const program::PlacedTensor& tensor, std::span<const float> flat) {
        const auto bytes = std::as_bytes(tensor.in(flat));
        hashes.push_back(shortHash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
        shared.push_back(&tensor);
    };
    for (std::size_t i = 0; i < part_.tensors().size(); ++i) {
        const program::PlacedTensor& tensor = part_.tensors()[i];
        if (!isWhole(i)) continue;
        add(tensor, tensor.isStatistic() ? statistics : std::span<const float>(state.parameters));
        if (tensor.isStatistic()) continue;
        for (const std::span<float> moment : state.moments)
            add(tensor, moment);
    }
    if (hashes.empty()) return {};
    std::vector<std::uint64_t> all(hashes.size() * static_cast<std::size_t>(members()));
    TRY(model_.allGather(hashes, all));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != all[i % hashes.size()])
            return failOf(*shared[i % hashes.size()], i / hashes.size());
    return {};
}

Result<void> MeshMember::failOf(const program::PlacedTensor& tensor, std::size_t member) {
    return fail(ErrorCode::Internal,
                fmt::format("member {} of the mesh's group holds another {} than member 0", member,
                            tensor.name),
                "This is a defect of the program or of a machine's memory; resume from the last "
                "checkpoint.");
}

Result<void> MeshMember::handOut(const WholeState* whole, const FlatState& state,
                                 std::span<float> statistics) {
    TRY(handOutTensors(whole == nullptr ? nullptr : &whole->parameters, false, state.parameters));
    for (std::size_t i = 0; i < state.moments.size(); ++i)
        TRY(handOutTensors(whole == nullptr ? nullptr : &whole->moments[i], false,
                           state.moments[i]));
    return handOutTensors(whole == nullptr ? nullptr : &whole->statistics, true, statistics);
}

Result<void> MeshMember::handOutParts(const std::vector<int>& columns,
                                      const std::map<int, WholeState>* parts,
                                      const FlatState& state, std::span<float> statistics) {
    for (const int column : columns) {
        const WholeState* const part = parts != nullptr ? &parts->at(column) : nullptr;
        const auto give = [&](const std::vector<float>* from, std::span<float> to) -> Result<void> {
            return handOutShard(
                from != nullptr ? std::span<const float>(*from) : std::span<const float>(),
                to.size(), column == model_.replica() ? to : std::span<float>());
        };
        TRY(give(part != nullptr ? &part->parameters : nullptr, state.parameters));
        for (std::size_t i = 0; i < state.moments.size(); ++i)
            TRY(give(part != nullptr ? &part->moments[i] : nullptr, state.moments[i]));
        TRY(give(part != nullptr ? &part->statistics : nullptr, statistics));
    }
    return {};
}

/// Each part travels to all, and whose it is keeps it.
Result<void> MeshMember::handOutTensors(const std::vector<float>* whole, bool areStatistics,
                                        std::span<float> part) {
    std::vector<float> shard;
    for (std::size_t i = 0; i < part_.tensors().size(); ++i) {
        const program::PlacedTensor& own = part_.tensors()[i];
        if (own.isStatistic() != areStatistics) continue;
        const int parts = isWhole(i) ? 1 : members();
        for (int member = 0; member < parts; ++member) {
            if (whole != nullptr) {
                const program::PlacedTensor& full = whole_.tensors()[i];
                shard.resize(own.size());
                model::takeShard(part_.graph().shards[i].of(member), full.shape,
                                 full.in(std::span(*whole)), shard);
            }
            const bool isMine = isWhole(i) || member == model_.replica();
            TRY(handOutShard(shard, own.size(), isMine ? own.in(part) : std::span<float>()));
        }
    }
    return {};
}

/// `shard`: on the first member. `to`: empty where it is not kept.
Result<void> MeshMember::handOutShard(std::span<const float> shard, std::size_t size,
                                      std::span<float> to) {
    std::vector<float> mine;
    std::vector<float> all;
    for (std::size_t at = 0; at < size; at += kPiece) {
        const std::size_t count = std::min(kPiece, size - at);
        mine.assign(count, 0.0F);
        if (!shard.empty()) std::ranges::copy(shard.subspan(at, count), mine.begin());
        all.resize(count * static_cast<std::size_t>(members()));
        TRY(exchange(mine, all));
        if (!to.empty())
            std::ranges::copy(std::span<const float>(all).first(count),
                              to.subspan(at, count).begin());
    }
    return {};
}

}  // namespace lockstep::train
