// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/program/cpu/kernels.h"
#include "core/tensor/cpu/layers/convolution_shape.h"

namespace lockstep::program {

/// The pass of a convolution that an instruction is. A transposed convolution is the convolution
/// that its window says, the other way: it takes what that one gives, so its passes are that one's,
/// each in the place of another.
struct ConvolutionUse {
    tensor::ConvolutionShape shape;  ///< The batch is the program's largest.
    tensor::ConvolutionPass pass;
};

/// Nothing for an instruction that is none.
[[nodiscard]] std::optional<ConvolutionUse> convolutionUse(const KernelSource& source);

}  // namespace lockstep::program
