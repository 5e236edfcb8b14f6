// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/embedding.h"

#include <variant>

#include "core/program/cuda/device_kernels.h"

namespace lockstep::program {

namespace {

using namespace tensor::cuda;

EmbeddingTable tableOf(const DeviceKernelSource& source) {
    EmbeddingTable table{.rows = static_cast<std::size_t>(source.tensor(0).shape[0]),
                         .width = static_cast<std::size_t>(source.tensor(0).shape[1])};
    const auto* operation = std::get_if<model::Embedding>(&source.node().operation);
    if (operation == nullptr || operation->firstRow < 0) return table;
    table.first = static_cast<std::size_t>(operation->firstRow);
    table.isPart = 1;
    return table;
}

DeviceKernel makeTable(DeviceKernelSource& source) {
    const EmbeddingTable table = tableOf(source);
    const TensorPlace weight = source.parameter(0);
    if (source.action() == Action::Forward)
        return
            [=, x = source.read(0), y = source.write()](const DeviceFrame& frame) -> Result<void> {
                launchEmbedding(frame.stream, table, weight.read(frame), x.read(frame),
                                x.size(frame), y.write(frame));
                return {};
            };
    const auto chosen = static_cast<std::size_t>(model::elementCount(source.inputShape()));
    const std::size_t scratch = source.reserve(embeddingScratch(source.maxBatch() * chosen));
    return [=, x = source.read(0), dy = source.read(1),
            adds = source.instruction().adds](const DeviceFrame& frame) -> Result<void> {
        launchEmbeddingGradient(frame.stream, table, x.read(frame), x.size(frame), dy.read(frame),
                                adds, scratchAt<std::uint32_t>(frame, scratch),
                                weight.gradient(frame));
        return {};
    };
}

/// A table may have more rows than there are positions: the first ones are read, the others have
/// no gradient.
DeviceKernel makePositions(DeviceKernelSource& source) {
    const EmbeddingTable table = tableOf(source);
    const TensorPlace weight = source.parameter(0);
    const auto numbers = static_cast<std::size_t>(model::elementCount(source.node().shape));
    if (source.action() == Action::Forward)
        return
            [=, x = source.read(0), y = source.write()](const DeviceFrame& frame) -> Result<void> {
                launchAddPositions(frame.stream, x.read(frame), weight.read(frame), rowsOf(frame),
                                   numbers, y.write(frame));
                return {};
            };
    return [=, dy = source.read(0),
            adds = source.instruction().adds](const DeviceFrame& frame) -> Result<void> {
        launchPositionGradient(frame.stream, dy.read(frame), rowsOf(frame), numbers,
                               table.rows * table.width, adds, weight.gradient(frame));
        return {};
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceEmbedding(DeviceKernelSource& source) {
    if (std::holds_alternative<model::PositionEmbedding>(source.node().operation))
        return makePositions(source);
    return makeTable(source);
}

}  // namespace lockstep::program
