// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/recurrence.h"

#include <memory>
#include <optional>
#include <variant>

#include "core/program/cpu/kernels.h"

namespace lockstep::program {

namespace {

/// One node's steps, with what they need of a frame.
struct Steps {
    explicit Steps(const KernelSource& source)
        : operation(std::get<model::Recurrence>(source.node().operation)),
          weight(source.parameter(0)) {
        shape.kind = operation.kind == model::Recurrence::Kind::Lstm ? tensor::RecurrenceKind::Lstm
                                                                     : tensor::RecurrenceKind::Gru;
        shape.units = static_cast<std::size_t>(source.node().shape.back());
        shape.positions =
            static_cast<std::size_t>(model::elementCount(source.inputShape())) / shape.width();
        shape.goesBackwards = operation.goesBackwards;
        if (source.node().tensors.size() > 1) bias = source.parameter(1);
        steps = std::make_shared<tensor::Recurrence>(shape);
    }

    [[nodiscard]] tensor::RecurrenceWeights weights(const Frame& frame) const {
        return {
            .weight = {weight.read(frame), shape.width() * shape.units},
            .bias = bias ? std::span(bias->read(frame), shape.width()) : std::span<const float>()};
    }
    /// Numbers of each position, sample behind sample.
    template <typename T>
    [[nodiscard]] tensor::BasicTrack<T> track(T* data, std::size_t width) const {
        return {data, shape.positions * width, width};
    }
    template <typename T>
    [[nodiscard]] tensor::BasicTrack<T> units(T* data) const {
        return track(data, shape.units);
    }
    template <typename T>
    [[nodiscard]] tensor::BasicTrack<T> gates(T* data) const {
        return track(data, shape.width());
    }
    /// One place for all steps.
    template <typename T>
    [[nodiscard]] tensor::BasicTrack<T> single(T* data, std::size_t width) const {
        return {data, width, 0};
    }

    model::Recurrence operation;
    tensor::RecurrenceShape shape;
    TensorPlace weight{};
    std::optional<TensorPlace> bias{};
    std::shared_ptr<tensor::Recurrence> steps;
};

/// Nothing is kept but what the layer gives.
Kernel evaluate(const KernelSource& source) {
    return
        [self = Steps(source), x = source.read(0), y = source.write(), gates = std::vector<float>(),
         extra = std::vector<float>()](const Frame& frame) mutable {
            const auto batch = static_cast<std::size_t>(frame.rows);
            gates.resize(batch * self.shape.width());
            extra.resize(batch * self.shape.units);
            self.steps->forward(batch, self.gates(x.read(frame)), self.weights(frame),
                                {.gates = self.single(gates.data(), self.shape.width()),
                                 .extra = self.single(extra.data(), self.shape.units),
                                 .states = self.operation.returnsSequences
                                               ? self.units(y.write(frame))
                                               : self.single(y.write(frame), self.shape.units)});
        };
}

Kernel forward(const KernelSource& source) {
    if (source.instruction().writes.size() == 1) return evaluate(source);
    const bool isLast = source.instruction().writes.size() > 3;
    return [self = Steps(source), x = source.read(0), gates = source.write(0), y = source.write(1),
            extra = source.write(2), states = source.write(isLast ? 3 : 1),
            isLast](const Frame& frame) {
        const auto batch = static_cast<std::size_t>(frame.rows);
        const tensor::Track all = self.units(states.write(frame));
        self.steps->forward(batch, self.gates(x.read(frame)), self.weights(frame),
                            {.gates = self.gates(gates.write(frame)),
                             .extra = self.units(extra.write(frame)),
                             .states = all});
        if (!isLast) return;
        const float* last = all.at(self.shape.positions - 1);
        for (std::size_t row = 0; row < batch; ++row)
            std::copy_n(last + row * all.row, self.shape.units,
                        y.write(frame) + row * self.shape.units);
    };
}

Kernel inputGradient(const KernelSource& source) {
    return [self = Steps(source), gates = source.read(0), extra = source.read(1),
            states = source.read(2), dy = source.read(3), dx = source.write()](const Frame& frame) {
        self.steps->inputGradient(static_cast<std::size_t>(frame.rows),
                                  self.operation.returnsSequences
                                      ? self.units(dy.read(frame))
                                      : self.single(dy.read(frame), self.shape.units),
                                  self.weights(frame),
                                  {.gates = self.gates(gates.read(frame)),
                                   .extra = self.units(extra.read(frame)),
                                   .states = self.units(states.read(frame))},
                                  self.gates(dx.write(frame)));
    };
}

Kernel parameterGradient(const KernelSource& source) {
    const bool hasGates = source.instruction().reads.size() > 2;
    return [self = Steps(source), dx = source.read(0), states = source.read(1),
            gates = hasGates ? source.read(2) : Place(), hasGates,
            trainsWeight = source.tensor(0).isTrainable,
            trainsBias = source.node().tensors.size() > 1 &&
                         source.tensor(1).isTrainable](const Frame& frame) {
        const std::size_t width = self.shape.width();
        const std::span<float> all(self.weight.gradient(frame), width * self.shape.units);
        self.steps->weightGradient(
            static_cast<std::size_t>(frame.rows), dx.read(frame),
            {.gates = hasGates ? self.gates(gates.read(frame)) : tensor::ConstTrack(),
             .extra = {},
             .states = self.units(states.read(frame))},
            trainsWeight ? all : std::span<float>(),
            trainsBias ? std::span(self.bias->gradient(frame), width) : std::span<float>());
    };
}

}  // namespace

Result<Kernel> makeRecurrenceKernel(const KernelSource& source) {
    return byAction(source, {.forward = forward,
                             .parameterGradient = parameterGradient,
                             .inputGradient = inputGradient});
}

}  // namespace lockstep::program
