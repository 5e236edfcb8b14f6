// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/tensor/cpu/layers/convolution_shape.h"

namespace lockstep::tensor {

/// One pass of a convolution by a primitive of oneDNN, of its direct algorithm: Winograd's is
/// faster in places, but rounds more. Takes plain tensors and brings weights into the layout that
/// the primitive likes, in memory of its own.
class DnnlConvolution {
public:
    /// Null where oneDNN has no implementation for this processor, or none that can be trusted;
    /// Unavailable where it fails.
    [[nodiscard]] static Result<std::unique_ptr<DnnlConvolution>> make(
        const ConvolutionShape& shape, ConvolutionPass pass);
    ~DnnlConvolution();
    DnnlConvolution(const DnnlConvolution&) = delete;
    DnnlConvolution& operator=(const DnnlConvolution&) = delete;

    /// oneDNN's plain loops, which are there for every shape.
    [[nodiscard]] bool isReference() const;
    [[nodiscard]] std::string implementation() const;
    /// Of the memory that is its own: weights in the primitive's layout, and what oneDNN asks for.
    [[nodiscard]] std::size_t bytes() const;

    // Of the pass that it was made for; sizes as the shape says. `bias` may be empty.
    void forward(std::span<const float> x, std::span<const float> weight,
                 std::span<const float> bias, std::span<float> y);
    void weightGradient(std::span<const float> x, std::span<const float> dy,
                        std::span<float> dWeight);
    void inputGradient(std::span<const float> dy, std::span<const float> weight,
                       std::span<float> dx);

private:
    struct Prepared;
    explicit DnnlConvolution(std::unique_ptr<Prepared> prepared);
    std::unique_ptr<Prepared> prepared_;
};

}  // namespace lockstep::tensor
