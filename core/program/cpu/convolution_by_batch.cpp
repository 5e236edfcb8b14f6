// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/convolution_by_batch.h"

#include "core/base/check.h"
#include "core/base/try.h"

namespace lockstep::program {

Result<void> ConvolutionByBatch::prepare(std::int64_t rows) {
    if (rows == 0 || made_.contains(rows)) return {};
    tensor::ConvolutionShape shape = shape_;
    shape.batch = static_cast<std::size_t>(rows);
    made_.emplace(rows, TRY(tensor::Convolution::make(shape, {pass_}, method_)));
    return {};
}

Result<Kernel> makeConvolution(const KernelSource& source, const ConvolutionRuns& runs) {
    const auto use = convolutionUse(source);
    LS_CHECK(use.has_value(), "the instruction is a pass of a convolution");
    const auto convolutions = std::make_shared<ConvolutionByBatch>(
        *use, source.program().methods.of(use->shape, use->pass));
    TRY(convolutions->prepare(source.program().maxBatch));
    ConvolutionRuns::Maker make = runs.inputGradient;
    if (source.action() == Action::Forward) make = runs.forward;
    if (source.action() == Action::ParameterGradient) make = runs.parameterGradient;
    return Kernel(make(source, convolutions),
                  [convolutions](std::int64_t rows) { return convolutions->prepare(rows); });
}

}  // namespace lockstep::program
