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

/// What the members hold of [rows, columns], each of its own columns, as one.
void putColumns(std::span<const float> part, const model::TensorShard& shard, std::int64_t rows,
                std::span<float> whole) {
    const std::int64_t columns =
        rows == 0 ? 0 : static_cast<std::int64_t>(part.size()) / rows * shard.members;
    model::putShard(shard, {rows, columns}, part, whole);
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

Result<void> MeshExchanges::run(const Instruction& instruction, const Frame& frame) {
    if (instruction.action == Action::GatherTensor) return gatherTensor(instruction, frame);
    const Kind kind = exchangeOf(nodeOf(instruction))->kind;
    const bool adds = kind == Kind::Sum || kind == Kind::Share;
    return adds ? sum(instruction, frame) : join(instruction, frame);
}

Result<std::span<const float>> MeshExchanges::gather(std::span<const float> mine,
                                                     std::int64_t members) {
    LS_CHECK(group_ != nullptr, "a part of a network runs in a group");
    all_.resize(mine.size() * static_cast<std::size_t>(members));
    if (!mine.empty()) TRY(group_->gather(mine, all_));
    return std::span<const float>(all_);
}

Result<void> MeshExchanges::sum(const Instruction& instruction, const Frame& frame) {
    const model::Node& node = nodeOf(instruction);
    const Place from(program_, instruction.reads[0]);
    const Place to(program_, instruction.writes[0]);
    const std::size_t count = from.size(frame);
    const std::int64_t members = exchangeOf(node)->members;
    const auto parts = TRY(gather({from.read(frame), count}, members));
    const std::span<float> sums = result(frame, to);
    std::ranges::copy(parts.first(count), sums.begin());
    for (std::size_t member = 1; member < static_cast<std::size_t>(members); ++member) {
        const float* part = parts.data() + member * count;
        for (std::size_t i = 0; i < count; ++i)
            sums[i] += part[i];
    }
    if (instruction.action == Action::Forward && !node.tensors.empty()) {
        const auto columns = static_cast<std::size_t>(node.shape.back());
        const KernelSource source(program_, instruction);
        tensor::bestKernels().addBias(sums.data(), source.parameter(0).read(frame), count / columns,
                                      columns);
    }
    return {};
}

Result<void> MeshExchanges::join(const Instruction& instruction, const Frame& frame) {
    const model::MeshExchange& exchange = *exchangeOf(nodeOf(instruction));
    const Place from(program_, instruction.reads[0]);
    const Place to(program_, instruction.writes[0]);
    const std::span<const float> mine(from.read(frame), from.size(frame));
    const auto parts = TRY(gather(mine, exchange.members));
    const std::int64_t columns = nodeOf(instruction).shape.back() *
                                 (instruction.action == Action::Forward ? 1 : exchange.members);
    const std::span<float> whole = result(frame, to);
    const std::int64_t rows = static_cast<std::int64_t>(whole.size()) / columns;
    const model::TensorShard shard{1, exchange.segments, 0, exchange.members};
    for (std::int64_t member = 0; member < exchange.members; ++member)
        putColumns(parts.subspan(static_cast<std::size_t>(member) * mine.size(), mine.size()),
                   shard.of(member), rows, whole);
    return {};
}

Result<void> MeshExchanges::gatherTensor(const Instruction& instruction, const Frame& frame) {
    const model::Graph& graph = program_.graph;
    const int gathered = nodeOf(instruction).tensors[instruction.which];
    const model::Tensor& whole = graph.tensors[static_cast<std::size_t>(gathered)];
    const auto stored = static_cast<std::size_t>(whole.gatheredFrom);
    const model::TensorShard& shard = graph.shards[stored];
    const auto size = static_cast<std::size_t>(graph.tensors[stored].size());
    const auto parts =
        TRY(gather({frame.parameters + program_.layout.offsets[stored], size}, shard.members));
    const Place to(program_, instruction.writes[0]);
    for (std::int64_t member = 0; member < shard.members; ++member)
        model::putShard(shard.of(member), whole.shape,
                        parts.subspan(static_cast<std::size_t>(member) * size, size),
                        result(frame, to));
    return {};
}

}  // namespace lockstep::program
