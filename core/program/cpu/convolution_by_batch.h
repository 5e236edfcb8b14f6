// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/program/cpu/convolution_use.h"
#include "core/tensor/cpu/layers/convolution.h"

namespace lockstep::program {

/// One pass of a convolution, for each size of batch that comes: the whole one, the small last one
/// of an epoch.
class ConvolutionByBatch {
public:
    /// Of the use's shape the batch does not count. `method`: else as the shipped rule says.
    ConvolutionByBatch(const ConvolutionUse& use, std::optional<tensor::ConvolutionMethod> method)
        : shape_(use.shape), pass_(use.pass), method_(method) {}

    /// Unavailable where oneDNN has no room for it; nothing is made for a batch without samples.
    [[nodiscard]] Result<void> prepare(std::int64_t rows);
    /// Of a batch that was prepared.
    [[nodiscard]] tensor::Convolution& of(std::int64_t rows) { return made_.at(rows); }
    [[nodiscard]] std::size_t weightSize() const { return shape_.weightSize(); }
    [[nodiscard]] std::size_t channels() const { return shape_.channels; }
    [[nodiscard]] std::size_t filters() const { return shape_.filters; }
    [[nodiscard]] std::size_t inputs(std::int64_t rows) const {
        return static_cast<std::size_t>(rows) * shape_.imageSize();
    }
    [[nodiscard]] std::size_t outputs(std::int64_t rows) const {
        return static_cast<std::size_t>(rows) * shape_.placeCount() * shape_.filters;
    }

private:
    tensor::ConvolutionShape shape_;
    tensor::ConvolutionPass pass_;
    std::optional<tensor::ConvolutionMethod> method_;
    std::map<std::int64_t, tensor::Convolution> made_;
};

using SharedConvolution = std::shared_ptr<ConvolutionByBatch>;

/// What an operation that is a convolution runs for each of its actions.
struct ConvolutionRuns {
    using Maker = Kernel::Run (*)(const KernelSource&, const SharedConvolution&);
    Maker forward;
    Maker parameterGradient;
    Maker inputGradient;
};
/// The kernel of the instruction's action, ready for the largest batch.
[[nodiscard]] Result<Kernel> makeConvolution(const KernelSource& source,
                                             const ConvolutionRuns& runs);

}  // namespace lockstep::program
