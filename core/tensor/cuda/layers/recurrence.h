// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

// The steps of recurrent layers, number by number: core/tensor/cpu/layers/recurrence.h says what
// they are. The products between two steps are not here.
namespace lockstep::tensor::cuda {

/// Rows of a batch, `distance` numbers apart; null data: zeros.
template <typename T>
struct StepRows {
    T* data = nullptr;
    std::size_t distance = 0;
};

/// x and product hold the gates' sums, width numbers a row; without a product there is no step
/// before.
struct ForwardStep {
    std::size_t rows = 0;
    std::size_t units = 1;
    StepRows<const float> x;
    StepRows<const float> product;
    const float* bias = nullptr;        ///< May be null.
    StepRows<const float> extraBefore;  ///< Of an LSTM: its cells.
    StepRows<float> gates;
    StepRows<float> extra;
    float* state = nullptr;  ///< [rows, units]: before, and after.
    StepRows<float> given;   ///< The same as it is kept.
};
void launchLstmStep(cudaStream_t stream, const ForwardStep& step);
void launchGruStep(cudaStream_t stream, const ForwardStep& step);

struct BackwardStep {
    std::size_t rows = 0;
    std::size_t units = 1;
    StepRows<const float> dy;
    StepRows<const float> product;  ///< What the step behind gives of the state's gradient.
    StepRows<const float> gates;
    StepRows<const float> extra;
    StepRows<const float> before;  ///< Lstm: the cells, Gru: the state before the step.
    StepRows<float> dx;
    float* hidden = nullptr;  ///< [rows, width]: the gradient of the product.
    float* carry = nullptr;   ///< [rows, units]; Lstm: of the cells, Gru: of the state.
};
void launchLstmGradient(cudaStream_t stream, const BackwardStep& step);
void launchGruGradient(cudaStream_t stream, const BackwardStep& step);

/// Sequences of states, [samples, positions, units].
struct StateSequences {
    std::size_t samples = 0;
    std::size_t positions = 1;
    std::size_t units = 1;
    std::uint32_t goesBackwards = 0;
};
/// before: at each position the state before its step, zeros before the first.
void launchStatesBefore(cudaStream_t stream, const StateSequences& shape, const float* states,
                        float* before);
/// gradient: that of a GRU's products, of dx and the gates, [rows, 3 * units].
void launchGruProducts(cudaStream_t stream, std::size_t rows, std::size_t units, const float* dx,
                       const float* gates, float* gradient);

}  // namespace lockstep::tensor::cuda
