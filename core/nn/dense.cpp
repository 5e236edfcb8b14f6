// SPDX-License-Identifier: Apache-2.0
#include "core/nn/dense.h"

#include <algorithm>
#include <cmath>

namespace lockstep::nn {

Dense::Dense(std::size_t inputs, std::size_t units, tensor::Activation activation)
    : inputs_(inputs), units_(units), activation_(activation) {
    tensors_ = {{.name = "weight", .shape = {units_, inputs_}, .offset = 0},
                {.name = "bias", .shape = {units_}, .offset = biasOffset()}};
}

void Dense::initialise(std::span<float> parameters, CounterRng& rng) const {
    const auto limit = static_cast<float>(std::sqrt(6.0 / static_cast<double>(inputs_ + units_)));
    for (float& value : parameters.first(units_ * inputs_))
        value = rng.nextFloat(-limit, limit);
    std::ranges::fill(parameters.subspan(biasOffset(), units_), 0.0F);
}

void Dense::forward(tensor::Ops& ops, tensor::Stream& stream, std::span<const float> parameters,
                    tensor::ConstMatrix x, tensor::Matrix y) const {
    ops.denseForward(stream, x, weight(parameters), parameters.subspan(biasOffset(), units_),
                     activation_, y);
}

void Dense::parameterGradients(tensor::Ops& ops, tensor::Stream& stream, tensor::ConstMatrix x,
                               tensor::ConstMatrix dy, std::span<float> gradients) const {
    const tensor::Matrix dWeight{gradients.data(), units_, inputs_};
    ops.denseWeightGradient(stream, dy, x, dWeight, gradients.subspan(biasOffset(), units_));
}

void Dense::inputGradient(tensor::Ops& ops, tensor::Stream& stream,
                          std::span<const float> parameters, tensor::ConstMatrix x,
                          tensor::ConstMatrix dy, tensor::Activation below,
                          tensor::Matrix dx) const {
    ops.denseInputGradient(stream, dy, weight(parameters), x, below, dx);
}

}  // namespace lockstep::nn
