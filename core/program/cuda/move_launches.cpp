// SPDX-License-Identifier: Apache-2.0
// Operations that bring numbers to other places: what they do forward, their gradient undoes.
#include <optional>
#include <variant>

#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/layers/moves.h"

namespace lockstep::program {

namespace {

using namespace tensor::cuda;

DeviceKernel makePadding(const DeviceKernelSource& source, bool isForward) {
    const auto& operation = std::get<model::ZeroPadding>(source.node().operation);
    const ImageShape inner(source.inputShape());
    const ImageShape outer(source.node().shape);
    InnerImage shape{.height = static_cast<std::int32_t>(inner.height),
                     .width = static_cast<std::int32_t>(inner.width),
                     .channels = static_cast<std::int32_t>(inner.channels),
                     .outerHeight = static_cast<std::int32_t>(outer.height),
                     .outerWidth = static_cast<std::int32_t>(outer.width),
                     .top = static_cast<std::int32_t>(operation.before[0]),
                     .left = static_cast<std::int32_t>(operation.before[1])};
    return [shape, isForward, from = source.read(0),
            to = source.write()](const DeviceFrame& frame) -> Result<void> {
        InnerImage now = shape;
        now.samples = rowsOf(frame);
        const auto move = isForward ? launchPad : launchCrop;
        move(frame.stream, now, from.read(frame), to.write(frame));
        return {};
    };
}

DeviceKernel makeUpSampling(const DeviceKernelSource& source, bool isForward) {
    const auto& operation = std::get<model::UpSampling>(source.node().operation);
    const ImageShape image(source.inputShape());
    const UpSampledImage shape{.height = static_cast<std::int32_t>(image.height),
                               .width = static_cast<std::int32_t>(image.width),
                               .channels = static_cast<std::int32_t>(image.channels),
                               .rowFactor = static_cast<std::int32_t>(operation.factor[0]),
                               .columnFactor = static_cast<std::int32_t>(operation.factor[1])};
    return [shape, isForward, from = source.read(0),
            to = source.write()](const DeviceFrame& frame) -> Result<void> {
        UpSampledImage now = shape;
        now.samples = rowsOf(frame);
        const auto move = isForward ? launchUpSample : launchUpSampleGradient;
        move(frame.stream, now, from.read(frame), to.write(frame));
        return {};
    };
}

DeviceKernel makeFlatten(const DeviceKernelSource& source, bool isForward) {
    const ImageShape image(source.inputShape());
    const std::size_t rows = isForward ? image.places() : image.channels;
    const std::size_t columns = isForward ? image.channels : image.places();
    return [rows, columns, from = source.read(0),
            to = source.write()](const DeviceFrame& frame) -> Result<void> {
        launchTranspose(frame.stream, rowsOf(frame), rows, columns, from.read(frame),
                        to.write(frame));
        return {};
    };
}

/// An operand of a concatenation: its columns of the whole.
struct JoinedPart {
    std::optional<Place> place{};  ///< None: nobody wants its gradient.
    std::size_t first = 0;
    std::size_t columns = 0;
};

DeviceKernel makeConcatenate(const DeviceKernelSource& source, bool isForward) {
    std::vector<JoinedPart> parts;
    std::size_t columns = 0;
    for (std::size_t i = 0; i < source.node().inputs.size(); ++i) {
        JoinedPart part{.first = columns, .columns = ImageShape(source.inputShape(i)).channels};
        columns += part.columns;
        if (isForward) part.place = source.read(i);
        if (!isForward && source.instruction().writes[i] >= 0) part.place = source.write(i);
        parts.push_back(part);
    }
    const Place whole = isForward ? source.write() : source.read(0);
    const std::size_t places = ImageShape(source.node().shape).places();
    return [=, parts = std::move(parts)](const DeviceFrame& frame) -> Result<void> {
        for (const JoinedPart& part : parts) {
            if (!part.place) continue;
            const ColumnPart shape{rowsOf(frame) * places, part.columns, part.first, columns};
            if (isForward)
                launchPutColumns(frame.stream, shape, part.place->read(frame), whole.write(frame));
            else
                launchTakeColumns(frame.stream, shape, whole.read(frame), part.place->write(frame));
        }
        return {};
    };
}

/// Of samples that have named columns: the numbers of one input.
DeviceKernel makeInput(const DeviceKernelSource& source) {
    const model::Graph& graph = source.program().graph;
    const std::int64_t column = std::get<model::Input>(source.node().operation).column;
    std::int64_t first = column < 0 ? 0 : model::elementCount(graph.input);
    for (std::int64_t i = 0; i < column; ++i)
        first += model::elementCount(graph.columns[static_cast<std::size_t>(i)]);
    ColumnPart part{.columns = static_cast<std::size_t>(model::elementCount(source.node().shape)),
                    .first = static_cast<std::size_t>(first),
                    .whole = static_cast<std::size_t>(graph.sampleSize())};
    return [part, from = source.read(0),
            to = source.write()](const DeviceFrame& frame) -> Result<void> {
        ColumnPart now = part;
        now.rows = rowsOf(frame);
        launchTakeColumns(frame.stream, now, from.read(frame), to.write(frame));
        return {};
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceMove(DeviceKernelSource& source) {
    const model::Operation& operation = source.node().operation;
    const bool isForward = source.action() == Action::Forward;
    if (std::holds_alternative<model::Input>(operation)) return makeInput(source);
    if (std::holds_alternative<model::ZeroPadding>(operation))
        return makePadding(source, isForward);
    if (std::holds_alternative<model::UpSampling>(operation))
        return makeUpSampling(source, isForward);
    if (std::holds_alternative<model::Flatten>(operation)) return makeFlatten(source, isForward);
    return makeConcatenate(source, isForward);
}

}  // namespace lockstep::program
