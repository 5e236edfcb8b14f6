// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/convolution_by_batch.h"

#include "core/base/try.h"

namespace lockstep::program {

Result<void> ConvolutionByBatch::prepare(std::int64_t rows) {
    if (rows == 0 || made_.contains(rows)) return {};
    tensor::ConvolutionShape shape = shape_;
    shape.batch = static_cast<std::size_t>(rows);
    made_.emplace(rows, TRY(tensor::Convolution::make(shape, {pass_})));
    return {};
}

}  // namespace lockstep::program
