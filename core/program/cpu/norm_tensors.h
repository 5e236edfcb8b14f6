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
        if (hasScale) weight_ = source.offset(next_++);
        if (hasCenter) bias_ = source.offset(next_++);
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
        return part(frame.parameters, weight_);
    }
    [[nodiscard]] std::span<const float> bias(const Frame& frame) const {
        return part(frame.parameters, bias_);
    }
    [[nodiscard]] std::span<float> weightGradient(const Frame& frame) const {
        return part(frame.gradients, weight_);
    }
    [[nodiscard]] std::span<float> biasGradient(const Frame& frame) const {
        return part(frame.gradients, bias_);
    }

private:
    template <typename T>
    [[nodiscard]] std::span<T> part(T* flat, const std::optional<std::size_t>& offset) const {
        return offset ? std::span<T>(flat + *offset, channels()) : std::span<T>();
    }

    ImageShape image_;
    std::optional<std::size_t> weight_{};
    std::optional<std::size_t> bias_{};
    std::size_t next_ = 0;
};

}  // namespace lockstep::program
