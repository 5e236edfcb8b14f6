// SPDX-License-Identifier: Apache-2.0
// Operations that bring numbers to other places: what they do forward, their gradient undoes.
#include <optional>
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/layers/image_moves.h"

namespace lockstep::program {

namespace {

tensor::ImageShape shapeOf(const Frame& frame, const ImageShape& image) {
    return {static_cast<std::size_t>(frame.rows), image.height, image.width, image.channels};
}

Kernel makePaddingKernel(const KernelSource& source, bool isForward) {
    const auto& operation = std::get<model::ZeroPadding>(source.node().operation);
    const ImageShape image(source.inputShape());
    return [=, before = extentOf(operation.before), after = extentOf(operation.after),
            from = source.read(0), to = source.write()](const Frame& frame) {
        const auto move = isForward ? tensor::zeroPadding : tensor::zeroPaddingGradient;
        move(shapeOf(frame, image), before, after, all(frame, from), result(frame, to));
    };
}

Kernel makeUpSamplingKernel(const KernelSource& source, bool isForward) {
    const auto& operation = std::get<model::UpSampling>(source.node().operation);
    const ImageShape image(source.inputShape());
    return [=, factor = extentOf(operation.factor), from = source.read(0),
            to = source.write()](const Frame& frame) {
        const auto move = isForward ? tensor::upSampling : tensor::upSamplingGradient;
        move(shapeOf(frame, image), factor, all(frame, from), result(frame, to));
    };
}

Kernel makeFlattenKernel(const KernelSource& source, bool isForward) {
    const ImageShape image(source.inputShape());
    return [=, from = source.read(0), to = source.write()](const Frame& frame) {
        const auto move = isForward ? tensor::toChannelsFirst : tensor::toChannelsLast;
        move(static_cast<std::size_t>(frame.rows), image.places(), image.channels, all(frame, from),
             result(frame, to));
    };
}

/// An operand of a concatenation: its columns of the whole.
struct Part {
    std::optional<Place> place{};  ///< None: nobody wants its gradient.
    std::size_t first = 0;
    std::size_t columns = 0;
};

Kernel makeConcatenateKernel(const KernelSource& source, bool isForward) {
    std::vector<Part> parts;
    std::size_t columns = 0;
    for (std::size_t i = 0; i < source.node().inputs.size(); ++i) {
        Part part{.first = columns, .columns = ImageShape(source.inputShape(i)).channels};
        columns += part.columns;
        if (isForward) part.place = source.read(i);
        if (!isForward && source.instruction().writes[i] >= 0) part.place = source.write(i);
        parts.push_back(part);
    }
    const Place whole = isForward ? source.write() : source.read(0);
    const std::size_t places = ImageShape(source.node().shape).places();
    return [=, parts = std::move(parts)](const Frame& frame) {
        const std::size_t rows = static_cast<std::size_t>(frame.rows) * places;
        for (const Part& part : parts) {
            if (!part.place) continue;
            if (isForward)
                tensor::putColumns({part.place->read(frame), rows, part.columns}, part.first,
                                   {whole.write(frame), rows, columns});
            else
                tensor::takeColumns({whole.read(frame), rows, columns}, part.first,
                                    {part.place->write(frame), rows, part.columns});
        }
    };
}

/// Of samples that have named columns: the numbers of one input.
Kernel makeInputKernel(const KernelSource& source) {
    const model::Graph& graph = source.program().graph;
    const std::int64_t column = std::get<model::Input>(source.node().operation).column;
    std::int64_t first = column < 0 ? 0 : model::elementCount(graph.input);
    for (std::int64_t i = 0; i < column; ++i)
        first += model::elementCount(graph.columns[static_cast<std::size_t>(i)]);
    return [first = static_cast<std::size_t>(first),
            taken = static_cast<std::size_t>(model::elementCount(source.node().shape)),
            whole = static_cast<std::size_t>(graph.sampleSize()), from = source.read(0),
            to = source.write()](const Frame& frame) {
        const auto rows = static_cast<std::size_t>(frame.rows);
        tensor::takeColumns({from.read(frame), rows, whole}, first, {to.write(frame), rows, taken});
    };
}

}  // namespace

Result<Kernel> makeMovingKernel(const KernelSource& source) {
    const model::Operation& operation = source.node().operation;
    const bool isForward = source.action() == Action::Forward;
    if (std::holds_alternative<model::Input>(operation)) return makeInputKernel(source);
    if (std::holds_alternative<model::ZeroPadding>(operation))
        return makePaddingKernel(source, isForward);
    if (std::holds_alternative<model::UpSampling>(operation))
        return makeUpSamplingKernel(source, isForward);
    if (std::holds_alternative<model::Flatten>(operation))
        return makeFlattenKernel(source, isForward);
    return makeConcatenateKernel(source, isForward);
}

}  // namespace lockstep::program
