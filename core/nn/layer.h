// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/tensor/ops.h"

namespace lockstep::nn {

/// A parameter tensor of a layer or a network, as PyTorch names and lays it out.
struct TensorInfo {
    std::string name;  ///< "weight" in a layer, "layers.0.weight" in a network.
    std::vector<std::size_t> shape;
    std::size_t offset = 0;  ///< First element, in floats, in the layer's or network's buffer.

    /// Number of elements.
    [[nodiscard]] std::size_t size() const;
};

/// Tensors begin at multiples of this many floats (a cache line). The gaps between them are zero
/// in parameters, gradients and moments, and stay zero under every optimiser.
inline constexpr std::size_t kTensorAlignment = 16;

/// `floats` rounded up to the next tensor's possible begin.
[[nodiscard]] constexpr std::size_t alignTensor(std::size_t floats) {
    return (floats + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

/// One layer: a pure function of its parameters and input. It owns no memory; `parameters` and
/// `gradients` are its own section of the network's flat buffers (bufferSize() floats).
/// Rows of the matrices are samples. Immutable, so all replicas of a process may share it.
class Layer {
public:
    virtual ~Layer() = default;

    [[nodiscard]] virtual std::size_t inputSize() const = 0;   ///< Floats a sample.
    [[nodiscard]] virtual std::size_t outputSize() const = 0;  ///< Floats a sample.
    /// Its tensors, offsets relative to the layer; empty for layers without parameters.
    [[nodiscard]] virtual const std::vector<TensorInfo>& tensors() const = 0;
    /// Floats of its section, gaps included; a multiple of kTensorAlignment.
    [[nodiscard]] virtual std::size_t bufferSize() const = 0;
    /// The activation fused into forward(). The layer above multiplies with its derivative.
    [[nodiscard]] virtual tensor::Activation activation() const = 0;

    /// Writes initial values; the gaps are left alone.
    virtual void initialise(std::span<float> parameters, CounterRng& rng) const = 0;
    virtual void forward(tensor::Ops& ops, tensor::Stream& stream,
                         std::span<const float> parameters, tensor::ConstMatrix x,
                         tensor::Matrix y) const = 0;
    /// dy: the loss's gradient before this layer's activation.
    virtual void parameterGradients(tensor::Ops& ops, tensor::Stream& stream, tensor::ConstMatrix x,
                                    tensor::ConstMatrix dy, std::span<float> gradients) const = 0;
    /// dx: the loss's gradient before the activation `below`, whose output was x.
    virtual void inputGradient(tensor::Ops& ops, tensor::Stream& stream,
                               std::span<const float> parameters, tensor::ConstMatrix x,
                               tensor::ConstMatrix dy, tensor::Activation below,
                               tensor::Matrix dx) const = 0;
};

}  // namespace lockstep::nn
