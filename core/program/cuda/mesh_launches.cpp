// SPDX-License-Identifier: Apache-2.0
// What a member of a mesh asks of the others in the midst of a pass, and what it does alone with
// values that all have. Sums are made here, in the members' order: all hold the same bits, those of
// the CPU's program.
#include "core/tensor/cuda/layers/mesh.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/layers/channel_sums.h"

namespace lockstep::program {

namespace {

using namespace tensor::cuda;
using Kind = model::MeshExchange::Kind;

/// Numbers of a member that travel at a time: 4 MiB, so that what all have of them needs little
/// room.
constexpr std::size_t kPiece = std::size_t{1} << 20;

const model::MeshExchange& exchangeOf(const KernelSource& source) {
    return std::get<model::MeshExchange>(source.node().operation);
}

/// All members' parts of so many numbers, in the scratch.
class GatheredParts {
public:
    GatheredParts(DeviceKernelSource& source, std::size_t most, std::size_t members)
        : members_(members) {
        scratch_ = source.reserve(most * members * sizeof(float));
        source.addGather(most);
    }

    [[nodiscard]] std::size_t members() const { return members_; }
    [[nodiscard]] Result<const float*> of(const DeviceFrame& frame, const float* mine,
                                          std::size_t count) const {
        LS_CHECK(frame.gather != nullptr && *frame.gather,
                 "a part of a network runs in a mesh's group");
        float* all = scratchAt<float>(frame, scratch_);
        TRY((*frame.gather)({mine, count}, {all, count * members_}));
        return all;
    }

private:
    std::size_t members_;
    std::size_t scratch_ = 0;
};

std::size_t mostFloats(const DeviceKernelSource& source, ValueId value) {
    const Value& of = source.program().values[static_cast<std::size_t>(value)];
    return static_cast<std::size_t>(of.size(source.program().maxBatch));
}

/// Of a sum forward, and of what was shared backward; a sum may have a bias.
DeviceKernel makeSum(DeviceKernelSource& source) {
    const auto members = static_cast<std::size_t>(exchangeOf(source).members);
    const std::size_t piece = std::min(kPiece, mostFloats(source, source.instruction().reads[0]));
    const bool hasBias = source.action() == Action::Forward && !source.node().tensors.empty();
    return [parts = GatheredParts(source, piece, members), x = source.read(0), y = source.write(),
            bias = hasBias ? std::optional(source.parameter(0)) : std::nullopt,
            columns = static_cast<std::size_t>(source.node().shape.back())](
               const DeviceFrame& frame) -> Result<void> {
        const std::size_t size = x.size(frame);
        for (std::size_t at = 0; at < size; at += kPiece) {
            const std::size_t count = std::min(kPiece, size - at);
            const float* all = TRY(parts.of(frame, x.read(frame) + at, count));
            launchSumParts(frame.stream, all, parts.members(), count, y.write(frame) + at);
        }
        if (bias && size > 0)
            launchBiasActivate(frame.stream, {}, bias->read(frame), y.write(frame), size / columns,
                               columns);
        return {};
    };
}

/// The columns of all members side by side: of a gather forward, of what was taken backward.
DeviceKernel makeJoin(DeviceKernelSource& source) {
    const model::MeshExchange& exchange = exchangeOf(source);
    MeshParts shape{.members = static_cast<std::size_t>(exchange.members),
                    .segments = static_cast<std::size_t>(exchange.segments)};
    shape.own = static_cast<std::size_t>(source.node().shape.back()) /
                (source.action() == Action::Forward ? shape.members : 1);
    const std::size_t rowsAtOnce = std::max<std::size_t>(kPiece / shape.own, 1);
    const std::size_t most =
        std::min(rowsAtOnce * shape.own, mostFloats(source, source.instruction().reads[0]));
    return [shape, rowsAtOnce, parts = GatheredParts(source, most, shape.members),
            x = source.read(0), y = source.write()](const DeviceFrame& frame) -> Result<void> {
        const std::size_t rows = x.size(frame) / shape.own;
        MeshParts some = shape;
        for (std::size_t row = 0; row < rows; row += rowsAtOnce) {
            some.rows = std::min(rowsAtOnce, rows - row);
            const float* all =
                TRY(parts.of(frame, x.read(frame) + row * shape.own, some.rows * shape.own));
            launchJoinParts(frame.stream, some, all,
                            y.write(frame) + row * shape.own * shape.members);
        }
        return {};
    };
}

/// This member's columns of what is read.
DeviceKernel takeColumns(const DeviceKernelSource& source) {
    const model::MeshExchange& exchange = exchangeOf(source);
    const bool isForward = source.action() == Action::Forward;
    const std::int64_t columns =
        isForward ? source.inputShape().back() : source.node().shape.back();
    MeshParts shape{.own = static_cast<std::size_t>(columns / exchange.members),
                    .members = static_cast<std::size_t>(exchange.members),
                    .segments = static_cast<std::size_t>(exchange.segments)};
    return [shape, index = static_cast<std::size_t>(exchange.index), x = source.read(0),
            y = source.write()](const DeviceFrame& frame) -> Result<void> {
        MeshParts now = shape;
        now.rows = x.size(frame) / (shape.own * shape.members);
        launchTakePart(frame.stream, now, index, false, x.read(frame), y.write(frame));
        return {};
    };
}

/// Of the bias that comes to a sum.
DeviceKernel biasGradient(DeviceKernelSource& source) {
    const auto columns = static_cast<std::size_t>(source.node().shape.back());
    const std::size_t most = mostFloats(source, source.instruction().reads[0]) / columns;
    return
        [columns, scratch = source.reserve(columnSumsScratch(most, columns)), dy = source.read(0),
         bias = source.parameter(0)](const DeviceFrame& frame) -> Result<void> {
            sumColumns(frame, dy.read(frame), dy.size(frame) / columns, columns, scratch,
                       bias.gradient(frame));
            return {};
        };
}

/// A tensor that members hold in parts: how, and where this one's part lies in the flat buffers.
struct StoredPart {
    explicit StoredPart(const DeviceKernelSource& source) {
        const model::Graph& graph = source.program().graph;
        const model::Tensor& whole = source.tensor(source.instruction().which);
        const auto stored = static_cast<std::size_t>(whole.gatheredFrom);
        const model::TensorShard& shard = graph.shards[stored];
        const model::Shape& part = graph.tensors[stored].shape;
        offset = source.program().layout.offsets[stored];
        index = static_cast<std::size_t>(shard.index);
        shape.rows = static_cast<std::size_t>(
            model::elementCount(model::Shape(part.begin(), part.begin() + shard.axis)));
        shape.own = size(graph.tensors[stored]) / shape.rows;
        shape.members = static_cast<std::size_t>(shard.members);
        shape.segments = static_cast<std::size_t>(shard.segments);
    }
    [[nodiscard]] static std::size_t size(const model::Tensor& tensor) {
        return static_cast<std::size_t>(tensor.size());
    }
    [[nodiscard]] std::size_t size() const { return shape.rows * shape.own; }

    MeshParts shape;
    std::size_t index = 0;
    std::size_t offset = 0;
};

/// By pieces, as exchanges are, so that a large tensor takes no more than itself. What lies
/// together of a member is a row here, be it of a segment.
DeviceKernel gatherTensor(DeviceKernelSource& source) {
    const StoredPart part(source);
    const MeshParts shape{.rows = part.shape.rows * part.shape.segments,
                          .own = part.shape.own / part.shape.segments,
                          .members = part.shape.members};
    const std::size_t rowsAtOnce =
        std::min(shape.rows, std::max<std::size_t>(kPiece / shape.own, 1));
    const std::size_t columnsAtOnce = std::min(shape.own, kPiece);
    return [shape, rowsAtOnce, columnsAtOnce, offset = part.offset,
            parts = GatheredParts(source, rowsAtOnce * columnsAtOnce, shape.members),
            whole = source.write()](const DeviceFrame& frame) -> Result<void> {
        for (std::size_t row = 0; row < shape.rows; row += rowsAtOnce) {
            const float* mine = frame.parameters + offset + row * shape.own;
            float* to = whole.write(frame) + row * shape.own * shape.members;
            MeshParts some = shape;
            some.rows = std::min(rowsAtOnce, shape.rows - row);
            for (std::size_t at = 0; at < shape.own; at += columnsAtOnce) {
                some.own = std::min(columnsAtOnce, shape.own - at);
                const float* all = TRY(parts.of(frame, mine + at, some.rows * some.own));
                if (some.own == shape.own)
                    launchJoinParts(frame.stream, some, all, to);
                else  // a piece of one row, to each member's place in it
                    for (std::size_t member = 0; member < shape.members; ++member)
                        launchTakePart(frame.stream, some, member, false, all,
                                       to + member * shape.own + at);
            }
        }
        return {};
    };
}

/// A gathered tensor's gradient is whole: this member's part of it goes to the flat buffer.
DeviceKernel keepGradient(const DeviceKernelSource& source) {
    return [part = StoredPart(source), adds = source.instruction().adds,
            whole = source.read(0)](const DeviceFrame& frame) -> Result<void> {
        launchTakePart(frame.stream, part.shape, part.index, adds, whole.read(frame),
                       frame.gradients + part.offset);
        return {};
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceMesh(DeviceKernelSource& source) {
    if (source.action() == Action::GatherTensor) return gatherTensor(source);
    if (source.action() == Action::KeepGradient) return keepGradient(source);
    if (source.action() == Action::ParameterGradient) return biasGradient(source);
    const bool isForward = source.action() == Action::Forward;
    switch (exchangeOf(source).kind) {
        case Kind::Sum:
        case Kind::Share:
            return makeSum(source);
        case Kind::Gather:
            return isForward ? makeJoin(source) : takeColumns(source);
        case Kind::Take:
            return isForward ? takeColumns(source) : makeJoin(source);
    }
    return makeSum(source);
}

}  // namespace lockstep::program
