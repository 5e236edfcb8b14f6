// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/matrix.h"

namespace lockstep::tensor {

enum class RecurrenceKind : std::uint8_t { Lstm, Gru };

/// Sequences of one length; the gates lie side by side, in PyTorch's order: i, f, g, o of an LSTM,
/// r, z, n of a GRU.
struct RecurrenceShape {
    RecurrenceKind kind = RecurrenceKind::Lstm;
    std::size_t positions = 1;
    std::size_t units = 1;
    bool goesBackwards = false;  ///< The last position is the first step.

    [[nodiscard]] std::size_t width() const {
        return (kind == RecurrenceKind::Lstm ? 4 : 3) * units;
    }
    [[nodiscard]] std::size_t positionOf(std::size_t step) const {
        return goesBackwards ? positions - 1 - step : step;
    }
};

/// Numbers of each row of a batch at each step: `row` lies between two rows, `step` between two
/// steps; 0: every step has the place of the one before.
template <typename T>
struct BasicTrack {
    T* data = nullptr;
    std::size_t row = 0;
    std::size_t step = 0;

    [[nodiscard]] T* at(std::size_t index) const { return data + index * step; }
    // NOLINTNEXTLINE(google-explicit-constructor): a writable track is a readable one.
    [[nodiscard]] operator BasicTrack<const T>() const { return {data, row, step}; }
};
using Track = BasicTrack<float>;
using ConstTrack = BasicTrack<const float>;

/// What the steps of a batch leave. Gates are indexed by position, the others by step.
template <typename T>
struct BasicSteps {
    BasicTrack<T> gates;   ///< width() numbers: the gates themselves.
    BasicTrack<T> extra;   ///< units: an LSTM's cells; what a GRU's r is multiplied with.
    BasicTrack<T> states;  ///< units: what each step gives.
};
using Steps = BasicSteps<float>;
using ConstSteps = BasicSteps<const float>;

/// weight [width, units]; bias [width] may be empty.
struct RecurrenceWeights {
    std::span<const float> weight;
    std::span<const float> bias;
};

/// The steps of a recurrent layer (model::Recurrence says which), and their gradients. One thread
/// at a time; products on that thread alone, sums in one order. Its own memory is that of a step.
class Recurrence {
public:
    explicit Recurrence(const RecurrenceShape& shape, VectorIsa isa = bestIsa())
        : shape_(shape), isa_(isa) {}

    /// x: what the gates get from the input, width() numbers a position. `steps.gates` may be x
    /// itself. A row's result does not depend on the others of the batch.
    void forward(std::size_t batch, ConstTrack x, const RecurrenceWeights& weights,
                 const Steps& steps);

    /// dx from the gradients of the states at each step, or of the last one alone (`dy.step` 0).
    /// dx may lie where the gates lie.
    void inputGradient(std::size_t batch, ConstTrack dy, const RecurrenceWeights& weights,
                       const ConstSteps& steps, Track dx);

    /// Of all samples; either may be empty. `dx` is what inputGradient() gave: without gaps, as
    /// `states` and a GRU's gates.
    void weightGradient(std::size_t batch, const float* dx, const ConstSteps& steps,
                        std::span<float> dWeight, std::span<float> dBias);

private:
    void reserve(std::size_t batch);
    [[nodiscard]] ConstMatrix gradientRows(std::size_t first, std::size_t samples, const float* dx,
                                           const ConstSteps& steps);
    [[nodiscard]] ConstMatrix statesBefore(std::size_t first, std::size_t samples,
                                           ConstTrack states);

    RecurrenceShape shape_;
    VectorIsa isa_;
    std::vector<float> zeros_;
    std::vector<float> state_;    ///< [batch, units]; backward: what passes on to the step before.
    std::vector<float> product_;  ///< [batch, width]; backward: [batch, units].
    std::vector<float> hidden_;   ///< [batch, width]: gradient of the product.
    std::vector<float> gradients_;
    std::vector<float> before_;
    std::vector<float> sums_;
};

}  // namespace lockstep::tensor
