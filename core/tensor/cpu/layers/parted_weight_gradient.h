// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/cpu/layers/convolution_shape.h"
#include "core/tensor/cpu/layers/dnnl_convolution.h"

namespace lockstep::tensor {

/// The gradient of a convolution's weights by oneDNN, for parts of the batch that are added up.
/// oneDNN adds the products of all images and places one behind the other, in float32: over a
/// hundred thousand of them it was up to 1.4e-4 of the largest gradient off (Keras' MNIST CNN),
/// over parts of some five hundred it is within a few 1e-6. The operands as Convolution's.
class PartedWeightGradient {
public:
    /// Null where oneDNN has no fast loops for it; Unavailable where it fails.
    [[nodiscard]] static Result<std::unique_ptr<PartedWeightGradient>> make(
        const ConvolutionShape& shape);

    [[nodiscard]] std::string implementation() const { return whole_->implementation(); }
    /// Of the memory that is its own.
    [[nodiscard]] std::size_t bytes() const {
        return whole_->bytes() + (last_ ? last_->bytes() : 0) + part_.size() * sizeof(float);
    }
    void run(std::span<const float> x, std::span<const float> dy, std::span<float> dWeight);

private:
    PartedWeightGradient(const ConvolutionShape& shape, std::size_t images)
        : shape_(shape), images_(images) {}

    ConvolutionShape shape_;
    std::size_t images_;  ///< Of a part; the last one may have fewer.
    std::unique_ptr<DnnlConvolution> whole_;
    std::unique_ptr<DnnlConvolution> last_;  ///< Null: all parts are alike.
    std::vector<float> part_;                ///< Empty: there is but one.
};

}  // namespace lockstep::tensor
