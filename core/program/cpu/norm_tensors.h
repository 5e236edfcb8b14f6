// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/matrix.h"

namespace lockstep::program {

/// What the normalisations have in common: rows of channels, and where weight and bias lie, each
/// where the operation has it.
class NormTensors {
public:
    NormTensors(const KernelSource& source, bool hasScale, bool hasCenter)
        : image_(source.inputShape()) {
        if (hasScale) weight_ = source.parameter(next_++);
        if (hasCenter) bias_ = source.parameter(next_++);
    }

    [[nodiscard]] const ImageShape& image() const { return image_; }
    [[nodiscard]] std::size_t channels() const { return image_.channels; }
    /// Weight and bias, where there are any: the statistics are the tensors behind them.
    [[nodiscard]] std::size_t count() const { return next_; }

    [[nodiscard]] std::size_t rows(const Frame& frame) const {
        return static_cast<std::size_t>(frame.rows) * image_.places();
    }
    [[nodiscard]] tensor::ConstMatrix matrix(const Frame& frame, const Place& place) const {
        return {place.read(frame), rows(frame), channels()};
    }
    [[nodiscard]] tensor::Matrix result(const Frame& frame, const Place& place) const {
        return {place.write(frame), rows(frame), channels()};
    }

    /// Empty where the operation has none.
    [[nodiscard]] std::span<const float> weight(const Frame& frame) const {
        return values(weight_, frame);
    }
    [[nodiscard]] std::span<const float> bias(const Frame& frame) const {
        return values(bias_, frame);
    }
    [[nodiscard]] std::span<float> weightGradient(const Frame& frame) const {
        return gradients(weight_, frame);
    }
    [[nodiscard]] std::span<float> biasGradient(const Frame& frame) const {
        return gradients(bias_, frame);
    }

private:
    using Tensor = std::optional<TensorPlace>;
    [[nodiscard]] std::span<const float> values(const Tensor& tensor, const Frame& frame) const {
        return tensor ? std::span(tensor->read(frame), channels()) : std::span<const float>();
    }
    [[nodiscard]] std::span<float> gradients(const Tensor& tensor, const Frame& frame) const {
        return tensor ? std::span(tensor->gradient(frame), channels()) : std::span<float>();
    }

    ImageShape image_;
    Tensor weight_{};
    Tensor bias_{};
    std::size_t next_ = 0;
};

}  // namespace lockstep::program
