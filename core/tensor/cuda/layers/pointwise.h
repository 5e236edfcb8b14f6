// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

// Launches of kernels that take number by number, or row by row. In all of core/tensor/cuda/layers:
// each enqueues and returns, pointers are to memory of the device, nothing happens for no elements,
// and a result may lie where the operand of its own element lies.
namespace lockstep::tensor::cuda {

enum class PointFunction : std::uint32_t {
    Linear,
    Relu,
    LeakyRelu,
    Gelu,
    GeluTanh,
    Silu,
    Sigmoid,
    Tanh,
    Elu,
};

struct Activate {
    PointFunction function = PointFunction::Linear;
    float slope = 0;  ///< Of LeakyRelu; alpha of Elu.
};

void launchActivate(cudaStream_t stream, Activate activate, const float* x, float* y,
                    std::size_t count);
/// `value`: what forward read or gave, by which the derivative is known: its result for Linear,
/// Relu, Sigmoid and Tanh, its operand for the others.
void launchActivationGradient(cudaStream_t stream, Activate activate, const float* dy,
                              const float* value, float* dx, std::size_t count);
/// y = activate(y + bias) by columns; bias may be null.
void launchBiasActivate(cudaStream_t stream, Activate activate, const float* bias, float* y,
                        std::size_t rows, std::size_t columns);
/// y = activate(a + b).
void launchAdd(cudaStream_t stream, Activate activate, const float* a, const float* b, float* y,
               std::size_t count);
/// y = a + b where `value` is above 0, else 0.
void launchMaskedAdd(cudaStream_t stream, const float* a, const float* b, const float* value,
                     float* y, std::size_t count);
void launchMultiply(cudaStream_t stream, const float* a, const float* b, float* y,
                    std::size_t count);
/// y = x * scale + offset; each has a value for every column, or one for all. offset may be null.
struct AffineColumns {
    const float* scale = nullptr;
    const float* offset = nullptr;
    std::size_t scales = 1;
    std::size_t offsets = 1;
    std::size_t columns = 1;
};
void launchAffine(cudaStream_t stream, const AffineColumns& affine, const float* x, float* y,
                  std::size_t count);

/// Over the columns of each row.
void launchSoftmax(cudaStream_t stream, const float* x, float* y, std::size_t rows,
                   std::size_t columns);
void launchSoftmaxGradient(cudaStream_t stream, const float* dy, const float* y, float* dx,
                           std::size_t rows, std::size_t columns);

}  // namespace lockstep::tensor::cuda
