// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/layers/activations.h"
#include "core/tensor/cpu/layers/elementwise.h"

namespace lockstep::program {

namespace {

using model::Function;

/// Linear and Softmax are none.
tensor::ElementFunction elementFunction(Function function) {
    switch (function) {
        case Function::LeakyRelu:
            return tensor::ElementFunction::LeakyRelu;
        case Function::Gelu:
            return tensor::ElementFunction::Gelu;
        case Function::GeluTanh:
            return tensor::ElementFunction::GeluTanh;
        case Function::Silu:
            return tensor::ElementFunction::Silu;
        case Function::Sigmoid:
            return tensor::ElementFunction::Sigmoid;
        case Function::Tanh:
            return tensor::ElementFunction::Tanh;
        case Function::Elu:
            return tensor::ElementFunction::Elu;
        default:
            return tensor::ElementFunction::Relu;
    }
}

/// Rows of the last dimension.
struct LastDimension {
    explicit LastDimension(const KernelSource& source)
        : columns(ImageShape(source.node().shape).channels) {}

    [[nodiscard]] tensor::ConstMatrix read(const Frame& frame, const Place& place) const {
        return {place.read(frame), place.size(frame) / columns, columns};
    }
    [[nodiscard]] tensor::Matrix write(const Frame& frame, const Place& place) const {
        return {place.write(frame), place.size(frame) / columns, columns};
    }

    std::size_t columns;
};

Kernel makeSoftmaxKernel(const KernelSource& source) {
    const LastDimension rows(source);
    if (source.action() == Action::Forward)
        return [rows, x = source.read(0), y = source.write()](const Frame& frame) {
            tensor::softmax(rows.read(frame, x), rows.write(frame, y));
        };
    return [rows, dy = source.read(0), y = source.read(1),
            dx = source.write()](const Frame& frame) {
        tensor::softmaxGradient(rows.read(frame, dy), rows.read(frame, y), rows.write(frame, dx));
    };
}

Kernel makeCopyKernel(const KernelSource& source) {
    return [x = source.read(0), y = source.write()](const Frame& frame) {
        if (x.read(frame) != y.write(frame))
            std::copy_n(x.read(frame), x.size(frame), y.write(frame));
    };
}

Kernel makeActivationKernel(const KernelSource& source) {
    const auto& operation = std::get<model::Activation>(source.node().operation);
    if (operation.function == Function::Softmax) return makeSoftmaxKernel(source);
    if (operation.function == Function::Linear) return makeCopyKernel(source);
    const auto function = elementFunction(operation.function);
    const float slope = operation.slope;
    if (source.action() == Action::Forward)
        return [=, x = source.read(0), y = source.write()](const Frame& frame) {
            tensor::activate(function, slope, all(frame, x), result(frame, y));
        };
    return
        [=, dy = source.read(0), value = source.read(1), dx = source.write()](const Frame& frame) {
            tensor::activationGradient(function, slope, all(frame, dy), all(frame, value),
                                       result(frame, dx));
        };
}

Kernel makeAddKernel(const KernelSource& source) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == Function::Relu;
    std::vector<Place> others;
    for (std::size_t i = 1; i < source.instruction().reads.size(); ++i)
        others.push_back(source.read(i));
    return [first = source.read(0), others = std::move(others), y = source.write(), isRelu,
            activate = isRelu ? nullptr : inPlace(fused)](const Frame& frame) {
        std::span<const float> sum = all(frame, first);
        const std::span<float> out = result(frame, y);
        for (const Place& other : others) {
            const bool isLast = &other == &others.back();
            const auto combine = isLast && isRelu ? tensor::addRelu : tensor::add;
            combine(sum, all(frame, other), out, tensor::bestIsa());
            sum = out;
        }
        if (activate) activate(out.data(), out.size());
    };
}

/// The first of `factors` times all others.
void multiplyAll(const Frame& frame, const std::vector<Place>& factors, std::span<float> product) {
    std::span<const float> sofar = all(frame, factors.front());
    for (std::size_t i = 1; i < factors.size(); ++i) {
        tensor::multiply(sofar, all(frame, factors[i]), product);
        sofar = product;
    }
}

Kernel makeMultiplyKernel(const KernelSource& source) {
    std::vector<Place> reads;
    for (std::size_t i = 0; i < source.instruction().reads.size(); ++i)
        reads.push_back(source.read(i));
    if (source.action() == Action::Forward)
        return [reads = std::move(reads), y = source.write()](const Frame& frame) {
            multiplyAll(frame, reads, result(frame, y));
        };
    // The gradient of an input is that of the output times all other inputs.
    struct Gradient {
        std::vector<Place> factors;
        Place dx;
    };
    std::vector<Gradient> gradients;
    for (std::size_t i = 0; i < source.instruction().writes.size(); ++i) {
        if (source.instruction().writes[i] < 0) continue;
        Gradient gradient{.factors = reads, .dx = source.write(i)};
        gradient.factors.erase(gradient.factors.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        gradients.push_back(std::move(gradient));
    }
    return [gradients = std::move(gradients)](const Frame& frame) {
        for (const Gradient& gradient : gradients)
            multiplyAll(frame, gradient.factors, result(frame, gradient.dx));
    };
}

Kernel makeAffineKernel(const KernelSource& source) {
    const LastDimension rows(source);
    auto operation = std::get<model::Affine>(source.node().operation);
    if (source.action() == Action::Forward)
        return [rows, operation = std::move(operation), x = source.read(0),
                y = source.write()](const Frame& frame) {
            tensor::affine(rows.read(frame, x), operation.scale, operation.offset,
                           rows.write(frame, y));
        };
    return [rows, operation = std::move(operation), dy = source.read(0),
            dx = source.write()](const Frame& frame) {
        tensor::affineGradient(rows.read(frame, dy), operation.scale, rows.write(frame, dx));
    };
}

}  // namespace

std::function<void(float*, std::size_t)> inPlace(const model::Activation& activation) {
    if (activation.function == Function::Linear) return nullptr;
    return [function = elementFunction(activation.function), slope = activation.slope](
               float* values, std::size_t count) {
        tensor::activate(function, slope, {values, count}, {values, count});
    };
}

Result<Kernel> makeAccumulateKernel(const KernelSource& source) {
    if (source.instruction().fused.function == Function::Relu)
        return [a = source.read(0), b = source.read(1), value = source.read(2),
                y = source.write()](const Frame& frame) {
            tensor::addReluGradients(all(frame, a), all(frame, b), all(frame, value),
                                     result(frame, y));
        };
    return [a = source.read(0), b = source.read(1), y = source.write()](const Frame& frame) {
        tensor::add(all(frame, a), all(frame, b), result(frame, y));
    };
}

Result<Kernel> makeElementwiseKernel(const KernelSource& source) {
    const model::Operation& operation = source.node().operation;
    if (std::holds_alternative<model::Activation>(operation)) return makeActivationKernel(source);
    if (std::holds_alternative<model::Add>(operation)) return makeAddKernel(source);
    if (std::holds_alternative<model::Multiply>(operation)) return makeMultiplyKernel(source);
    return makeAffineKernel(source);
}

}  // namespace lockstep::program
