// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

namespace lockstep::program {

/// Measures every method for each pass of each convolution of a program on the calling thread, with
/// drawn numbers on the largest batch, and adds the fastest to the program's methods; what is there
/// already is kept. Takes some twenty times as long as the convolutions of a step. Unavailable when
/// there is not as much memory.
[[nodiscard]] Result<tensor::ConvolutionMethods> tuneConvolutions(const Program& program);

}  // namespace lockstep::program
