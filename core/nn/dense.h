// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/nn/layer.h"

namespace lockstep::nn {

/// y = activation(x Wᵀ + b): "weight" [units, inputs], "bias" [units].
class Dense final : public Layer {
public:
    Dense(std::size_t inputs, std::size_t units, tensor::Activation activation);

    [[nodiscard]] std::size_t inputSize() const override { return inputs_; }
    [[nodiscard]] std::size_t outputSize() const override { return units_; }
    [[nodiscard]] const std::vector<TensorInfo>& tensors() const override { return tensors_; }
    [[nodiscard]] std::size_t bufferSize() const override {
        return biasOffset() + alignTensor(units_);
    }
    [[nodiscard]] tensor::Activation activation() const override { return activation_; }

    /// Glorot uniform: within ±sqrt(6 / (inputs + units)); biases are zero.
    void initialise(std::span<float> parameters, CounterRng& rng) const override;
    void forward(tensor::Ops& ops, tensor::Stream& stream, std::span<const float> parameters,
                 tensor::ConstMatrix x, tensor::Matrix y) const override;
    void parameterGradients(tensor::Ops& ops, tensor::Stream& stream, tensor::ConstMatrix x,
                            tensor::ConstMatrix dy, std::span<float> gradients) const override;
    void inputGradient(tensor::Ops& ops, tensor::Stream& stream, std::span<const float> parameters,
                       tensor::ConstMatrix x, tensor::ConstMatrix dy, tensor::Activation below,
                       tensor::Matrix dx) const override;

private:
    [[nodiscard]] std::size_t biasOffset() const { return alignTensor(units_ * inputs_); }
    [[nodiscard]] tensor::ConstMatrix weight(std::span<const float> section) const {
        return {section.data(), units_, inputs_};
    }

    std::size_t inputs_;
    std::size_t units_;
    tensor::Activation activation_;
    std::vector<TensorInfo> tensors_;
};

}  // namespace lockstep::nn
