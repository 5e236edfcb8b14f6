// SPDX-License-Identifier: Apache-2.0
// What a member of a mesh does alone with values that all have, and with their gradients.
#include <variant>
#include <vector>

#include "core/base/check.h"
#include "core/program/cpu/kernels.h"
#include "core/tensor/cpu/kernels.h"

namespace lockstep::program {

namespace {

using Kind = model::MeshExchange::Kind;

/// This member's columns of what is read.
Kernel takeColumns(const KernelSource& source) {
    const auto& exchange = std::get<model::MeshExchange>(source.node().operation);
    const model::TensorShard shard{1, exchange.segments, exchange.index, exchange.members};
    const bool isForward = source.action() == Action::Forward;
    const std::int64_t columns =
        isForward ? source.inputShape().back() : source.node().shape.back();
    return [=, from = source.read(0), to = source.write()](const Frame& frame) {
        const auto whole = all(frame, from);
        const auto rows = static_cast<std::int64_t>(whole.size()) / columns;
        model::takeShard(shard, {rows, columns}, whole, result(frame, to));
    };
}

/// Of the bias that comes to a sum.
Kernel biasGradient(const KernelSource& source) {
    return [bias = source.parameter(0), dy = source.read(0),
            columns = static_cast<std::size_t>(source.node().shape.back()),
            &kernels = tensor::bestKernels()](const Frame& frame) {
        kernels.columnSums(dy.read(frame), dy.size(frame) / columns, columns, bias.gradient(frame));
    };
}

/// A gathered tensor's gradient is whole: this member's part of it goes to the flat buffer.
Kernel keepGradient(const KernelSource& source) {
    const model::Graph& graph = source.program().graph;
    const std::size_t which = source.instruction().which;
    const model::Shape shape = source.tensor(which).shape;
    const auto stored = static_cast<std::size_t>(source.tensor(which).gatheredFrom);
    const auto size = static_cast<std::size_t>(graph.tensors[stored].size());
    return [shard = graph.shards[stored], shape, size, whole = source.read(0),
            offset = source.program().layout.offsets[stored], adds = source.instruction().adds,
            own = std::vector<float>()](const Frame& frame) mutable {
        const std::span<float> gradient(frame.gradients + offset, size);
        const auto numbers = static_cast<std::size_t>(model::elementCount(shape));
        const std::span<const float> from(whole.read(frame), numbers);
        if (!adds) {
            model::takeShard(shard, shape, from, gradient);
            return;
        }
        own.resize(size);
        model::takeShard(shard, shape, from, own);
        for (std::size_t i = 0; i < size; ++i)
            gradient[i] += own[i];
    };
}

}  // namespace

/// What waits for other members is the executor's: nothing is done here.
Result<Kernel> makeMeshKernel(const KernelSource& source) {
    if (source.action() == Action::KeepGradient) return keepGradient(source);
    const auto* exchange = std::get_if<model::MeshExchange>(&source.node().operation);
    if (exchange != nullptr && source.action() != Action::GatherTensor) {
        if (source.action() == Action::ParameterGradient) return biasGradient(source);
        const bool isForward = source.action() == Action::Forward;
        if (exchange->kind == (isForward ? Kind::Take : Kind::Gather)) return takeColumns(source);
    }
    return Kernel([](const Frame&) {});
}

}  // namespace lockstep::program
