// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/mesh_exchanges.h"

#include <algorithm>
#include <variant>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/program/cpu/kernels.h"
#include "core/tensor/cpu/kernels.h"

namespace lockstep::program {

namespace {

using Kind = model::MeshExchange::Kind;

const model::MeshExchange* exchangeOf(const model::Node& node) {
    return std::get_if<model::MeshExchange>(&node.operation);
}

/// Numbers that travel at a time, so that what all members have of them needs little room and is
/// added while it is in a cache: 1 MiB of each.
constexpr std::size_t kPiece = std::size_t{1} << 18;

/// In the members' order.
void addParts(std::span<const float> parts, std::span<float> sums) {
    std::ranges::copy(parts.first(sums.size()), sums.begin());
    for (std::size_t at = sums.size(); at < parts.size(); at += sums.size()) {
        const float* part = parts.data() + at;
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += part[i];
    }
}

}  // namespace

bool MeshExchanges::isOne(const Instruction& instruction) const {
    if (instruction.action == Action::GatherTensor) return true;
    const auto* exchange = exchangeOf(nodeOf(instruction));
    if (exchange == nullptr) return false;
    if (instruction.action == Action::Forward)
        return exchange->kind == Kind::Sum || exchange->kind == Kind::Gather;
    return instruction.action == Action::InputGradient &&
           (exchange->kind == Kind::Share || exchange->kind == Kind::Take);
}

std::size_t MeshExchanges::largest() const {
    std::size_t largest = 0;
    for (const auto* instructions : {&program_.forward, &program_.backward})
        for (const Instruction& instruction : *instructions) {
            if (!isOne(instruction)) continue;
            if (instruction.action == Action::GatherTensor) {
                const int gathered = nodeOf(instruction).tensors[instruction.which];
                const auto& tensors = program_.graph.tensors;
                const int stored = tensors[static_cast<std::size_t>(gathered)].gatheredFrom;
                largest = std::max(largest, static_cast<std::size_t>(
                                                tensors[static_cast<std::size_t>(stored)].size()));
                continue;
            }
            const auto read = static_cast<std::size_t>(instruction.reads[0]);
            const auto size =
                static_cast<std::size_t>(program_.values[read].size(program_.maxBatch));
            largest = std::max(largest, std::min(size, kPiece));
        }
    return largest;
}

Result<void> MeshExchanges::run(const Instruction& instruction, const Frame& frame) {
    if (instruction.action == Action::GatherTensor) return gatherTensor(instruction, frame);
    const Kind kind = exchangeOf(nodeOf(instruction))->kind;
    const bool adds = kind == Kind::Sum || kind == Kind::Share;
    return adds ? sum(instruction, frame) : join(instruction, frame);
}

Result<std::span<const float>> MeshExchanges::gather(std::span<const float> mine,
                                                     std::size_t members) {
    LS_CHECK(group_ != nullptr, "a part of a network runs in a group");
    all_.resize(mine.size() * members);
    if (!mine.empty()) TRY(group_->gather(mine, all_));
    return std::span<const float>(all_);
}

Result<void> MeshExchanges::add(std::span<const float> mine, std::span<float> sums,
                                std::size_t members) {
    addParts(TRY(gather(mine, members)), sums);
    return {};
}

/// A number is added by one member, as each would have added it: all hold the same bits.
Result<void> MeshExchanges::addByPieces(std::span<const float> mine, std::span<float> sums,
                                        std::size_t members) {
    const std::size_t piece = (mine.size() + members - 1) / members;
    mine_.assign(piece * members, 0.0F);
    std::ranges::copy(mine, mine_.begin());
    all_.resize(mine_.size());
    TRY(group_->deal(mine_, all_));
    own_.resize(piece);
    addParts(all_, own_);
    std::ranges::copy(TRY(gather(own_, members)).first(sums.size()), sums.begin());
    return {};
}

Result<void> MeshExchanges::sum(const Instruction& instruction, const Frame& frame) {
    const model::Node& node = nodeOf(instruction);
    const Place from(program_, instruction.reads[0]);
    const Place to(program_, instruction.writes[0]);
    const std::span<const float> mine(from.read(frame), from.size(frame));
    const std::span<float> sums = result(frame, to);
    const auto members = static_cast<std::size_t>(exchangeOf(node)->members);
    for (std::size_t at = 0; at < mine.size(); at += kPiece) {
        const std::size_t count = std::min(kPiece, mine.size() - at);
        const auto some = mine.subspan(at, count);
        const auto added = sums.subspan(at, count);
        const bool byPieces = group_ != nullptr && group_->addsByPieces(count);
        TRY(byPieces ? addByPieces(some, added, members) : add(some, added, members));
    }
    if (instruction.action == Action::Forward && !node.tensors.empty()) {
        const auto columns = static_cast<std::size_t>(node.shape.back());
        const KernelSource source(program_, instruction);
        tensor::bestKernels().addBias(sums.data(), source.parameter(0).read(frame),
                                      mine.size() / columns, columns);
    }
    return {};
}

Result<void> MeshExchanges::join(const Instruction& instruction, const Frame& frame) {
    const model::MeshExchange& exchange = *exchangeOf(nodeOf(instruction));
    const Place from(program_, instruction.reads[0]);
    const Place to(program_, instruction.writes[0]);
    const std::span<const float> mine(from.read(frame), from.size(frame));
    const std::span<float> whole = result(frame, to);
    const auto members = static_cast<std::size_t>(exchange.members);
    const std::size_t own = static_cast<std::size_t>(nodeOf(instruction).shape.back()) /
                            (instruction.action == Action::Forward ? members : 1);
    const std::size_t rows = mine.size() / own;
    const std::size_t rowsAtOnce = std::max<std::size_t>(kPiece / own, 1);
    const model::TensorShard shard{1, exchange.segments, 0, exchange.members};
    for (std::size_t row = 0; row < rows; row += rowsAtOnce) {
        const std::size_t some = std::min(rowsAtOnce, rows - row);
        const auto parts = TRY(gather(mine.subspan(row * own, some * own), members));
        const model::Shape shape{static_cast<std::int64_t>(some),
                                 static_cast<std::int64_t>(own * members)};
        for (std::size_t member = 0; member < members; ++member)
            model::putShard(shard.of(static_cast<std::int64_t>(member)), shape,
                            parts.subspan(member * some * own, some * own),
                            whole.subspan(row * own * members, some * own * members));
    }
    return {};
}

Result<void> MeshExchanges::gatherTensor(const Instruction& instruction, const Frame& frame) {
    const model::Graph& graph = program_.graph;
    const int gathered = nodeOf(instruction).tensors[instruction.which];
    const model::Tensor& whole = graph.tensors[static_cast<std::size_t>(gathered)];
    const auto stored = static_cast<std::size_t>(whole.gatheredFrom);
    const model::TensorShard& shard = graph.shards[stored];
    const auto size = static_cast<std::size_t>(graph.tensors[stored].size());
    const auto parts = TRY(gather({frame.parameters + program_.layout.offsets[stored], size},
                                  static_cast<std::size_t>(shard.members)));
    const Place to(program_, instruction.writes[0]);
    for (std::int64_t member = 0; member < shard.members; ++member)
        model::putShard(shard.of(member), whole.shape,
                        parts.subspan(static_cast<std::size_t>(member) * size, size),
                        result(frame, to));
    return {};
}

}  // namespace lockstep::program
