// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/recurrence.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/tensor/cpu/gemm.h"
#include "core/tensor/cpu/layers/recurrence_loops.h"

namespace lockstep::tensor {

using namespace recurrence_loops;

namespace {

/// Rows of a product for the gradient of the weight, at least: below, it is slow.
constexpr std::size_t kRowsOfProduct = 256;

Rows<float> rowsOf(Track track, std::size_t index) {
    return {track.at(index), track.row};
}

Rows<const float> rowsOf(ConstTrack track, std::size_t index) {
    return {track.at(index), track.row};
}

}  // namespace

void Recurrence::reserve(std::size_t batch) {
    zeros_.resize(shape_.width());
    state_.assign(batch * shape_.units, 0.0F);
    product_.resize(batch * shape_.width());
}

void Recurrence::forward(std::size_t batch, ConstTrack x, const RecurrenceWeights& weights,
                         const Steps& steps) {
    if (batch == 0) return;
    const std::size_t units = shape_.units;
    const std::size_t width = shape_.width();
    LS_CHECK(weights.weight.size() == width * units, "a weight is as large as its gates want it");
    reserve(batch);
    for (std::size_t index = 0; index < shape_.positions; ++index) {
        const std::size_t position = shape_.positionOf(index);
        if (index > 0)
            multiplyByTransposed({state_.data(), batch, units},
                                 {weights.weight.data(), width, units},
                                 {product_.data(), batch, width});
        const Rows<const float> none{zeros_.data(), 0};
        const ForwardStep step{
            .rows = batch,
            .units = units,
            .x = rowsOf(x, position),
            .product = index > 0 ? Rows<const float>{product_.data(), width} : none,
            .bias = weights.bias.empty() ? zeros_.data() : weights.bias.data(),
            .extraBefore = index > 0 ? rowsOf(ConstTrack(steps.extra), index - 1) : none,
            .gates = rowsOf(steps.gates, position),
            .extra = rowsOf(steps.extra, index),
            .state = {state_.data(), units},
            .given = rowsOf(steps.states, index)};
        if (shape_.kind == RecurrenceKind::Lstm)
            runLoop<lstmForward>(isa_, step);
        else
            runLoop<gruForward>(isa_, step);
    }
}

void Recurrence::inputGradient(std::size_t batch, ConstTrack dy, const RecurrenceWeights& weights,
                               const ConstSteps& steps, Track dx) {
    if (batch == 0) return;
    const std::size_t units = shape_.units;
    const std::size_t width = shape_.width();
    reserve(batch);
    hidden_.resize(batch * width);
    const bool isLstm = shape_.kind == RecurrenceKind::Lstm;
    const ConstTrack before = isLstm ? steps.extra : steps.states;
    const Rows<const float> none{zeros_.data(), 0};
    for (std::size_t index = shape_.positions; index-- > 0;) {
        const bool isLast = index + 1 == shape_.positions;
        const std::size_t position = shape_.positionOf(index);
        if (!isLast)
            multiply({hidden_.data(), batch, width}, {weights.weight.data(), width, units},
                     {product_.data(), batch, units});
        const BackwardStep step{
            .rows = batch,
            .units = units,
            .dy = isLast || dy.step > 0 ? rowsOf(dy, index) : none,
            .product = isLast ? none : Rows<const float>{product_.data(), units},
            .gates = rowsOf(steps.gates, position),
            .extra = rowsOf(steps.extra, index),
            .before = index > 0 ? rowsOf(before, index - 1) : none,
            .dx = rowsOf(dx, position),
            .hidden = {hidden_.data(), width},
            .carry = {state_.data(), units}};
        if (isLstm)
            runLoop<lstmBackward>(isa_, step);
        else
            runLoop<gruBackward>(isa_, step);
    }
}

/// The gradient of the products with the states: of a GRU's candidate behind r.
ConstMatrix Recurrence::gradientRows(std::size_t first, std::size_t samples, const float* dx,
                                     const ConstSteps& steps) {
    const std::size_t rows = samples * shape_.positions;
    const std::size_t width = shape_.width();
    const std::size_t begin = first * shape_.positions * width;
    if (shape_.kind == RecurrenceKind::Lstm) return {dx + begin, rows, width};
    const std::size_t units = shape_.units;
    gradients_.assign(dx + begin, dx + begin + rows * width);
    for (std::size_t r = 0; r < rows; ++r) {
        const float* gates = steps.gates.data + begin + r * width;
        for (std::size_t u = 0; u < units; ++u)
            gradients_[r * width + 2 * units + u] *= gates[u];
    }
    return {gradients_.data(), rows, width};
}

/// At each position the state before its step; zeros before the first.
ConstMatrix Recurrence::statesBefore(std::size_t first, std::size_t samples, ConstTrack states) {
    const std::size_t units = shape_.units;
    before_.assign(samples * shape_.positions * units, 0.0F);
    for (std::size_t sample = 0; sample < samples; ++sample)
        for (std::size_t index = 1; index < shape_.positions; ++index)
            std::copy_n(
                states.at(index - 1) + (first + sample) * states.row, units,
                before_.data() + (sample * shape_.positions + shape_.positionOf(index)) * units);
    return {before_.data(), samples * shape_.positions, units};
}

void Recurrence::weightGradient(std::size_t batch, const float* dx, const ConstSteps& steps,
                                std::span<float> dWeight, std::span<float> dBias) {
    const std::size_t width = shape_.width();
    std::ranges::fill(dWeight, 0.0F);
    std::ranges::fill(dBias, 0.0F);
    sums_.resize(dBias.size());
    const std::size_t chunk = std::max(kRowsOfProduct / shape_.positions, std::size_t{1});
    for (std::size_t first = 0; first < batch; first += chunk) {
        const std::size_t samples = std::min(chunk, batch - first);
        const ConstMatrix gradient = gradientRows(first, samples, dx, steps);
        if (!dWeight.empty()) {
            const ConstMatrix before = statesBefore(first, samples, steps.states);
            multiplyParts({gradient.data, gradient.rows, width, width},
                          {before.data, before.rows, shape_.units, shape_.units},
                          {.transposeA = true, .adds = true},
                          {dWeight.data(), width, shape_.units, shape_.units});
        }
        if (dBias.empty()) continue;
        bestKernels().columnSums(gradient.data, gradient.rows, width, sums_.data());
        for (std::size_t i = 0; i < width; ++i)
            dBias[i] += sums_[i];
    }
}

}  // namespace lockstep::tensor
