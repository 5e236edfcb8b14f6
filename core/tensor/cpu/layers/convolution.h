// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/tensor/cpu/layers/convolution_method.h"
#include "core/tensor/cpu/layers/convolution_shape.h"
#include "core/tensor/cpu/layers/dnnl_convolution.h"
#include "core/tensor/cpu/layers/im2col_convolution.h"
#include "core/tensor/cpu/layers/parted_weight_gradient.h"
#include "core/tensor/cpu/layers/winograd_convolution.h"

namespace lockstep::tensor {

/// Whether a convolution is computed by tiles (WinogradConvolution) and not by oneDNN's direct
/// loops. A function of the sizes of one image alone, so that equal jobs give equal bits, and a
/// small last batch is computed as a whole one.
[[nodiscard]] bool isFasterByTiles(const ConvolutionShape& shape);

/// A two-dimensional convolution (a cross-correlation, as in Keras and PyTorch) of one shape, made
/// ready once: nothing of ours is allocated afterwards. On the calling thread, best that of
/// make(). Sequences are images of height 1.
class Convolution {
public:
    /// BadInput for a shape that has no result, Unavailable where there is no room for it. Made
    /// ready are `passes` alone: each costs some milliseconds and memory. Without a `method` tiles
    /// where isFasterByTiles() says so, else oneDNN's loops where they are fast, else products; so
    /// it is, too, from the second on with a method that is not allowed here.
    [[nodiscard]] static Result<Convolution> make(
        const ConvolutionShape& shape,
        std::initializer_list<ConvolutionPass> passes = kAllConvolutionPasses,
        std::optional<ConvolutionMethod> method = std::nullopt);

    /// Whether there is code for it: tiles take few windows, oneDNN's loops are fast for most.
    [[nodiscard]] static bool allows(const ConvolutionShape& shape, ConvolutionPass pass,
                                     ConvolutionMethod method);

    /// y = x * weight + bias, and max(y, 0) where `relu`; NaN stays NaN. `bias` [filters] may be
    /// empty. A sample's result does not depend on the others of the batch.
    void forward(std::span<const float> x, std::span<const float> weight,
                 std::span<const float> bias, std::span<float> y, bool relu);
    /// Gradients of the weights and, unless `dBias` is empty, of the bias, of all samples. Where
    /// relu was fused, dy has to be masked by it first.
    void weightGradient(std::span<const float> x, std::span<const float> dy,
                        std::span<float> dWeight, std::span<float> dBias);
    void inputGradient(std::span<const float> dy, std::span<const float> weight,
                       std::span<float> dx);

    [[nodiscard]] const ConvolutionShape& shape() const { return shape_; }
    /// Bytes that it keeps for itself, and those of the thread's one memory for tiles, which has to
    /// be as large as the largest asks for.
    [[nodiscard]] std::size_t ownBytes() const;
    [[nodiscard]] std::size_t tileBytes() const { return tiles_ ? tiles_->bytes() : 0; }
    /// What computes a pass: oneDNN's name of it ("jit:avx512_common"), "tiles" or "im2col".
    [[nodiscard]] std::string implementation(ConvolutionPass pass) const;

private:
    Convolution(const ConvolutionShape& shape, std::optional<ConvolutionMethod> method)
        : shape_(shape), method_(method) {}
    /// Null: im2col_ does it.
    [[nodiscard]] DnnlConvolution* library(ConvolutionPass pass) const {
        return library_[static_cast<std::size_t>(pass)].get();
    }
    void checkPrepared(ConvolutionPass pass) const;
    [[nodiscard]] Result<void> prepare(ConvolutionPass pass);
    /// By oneDNN; false where it has no fast loops.
    [[nodiscard]] Result<bool> prepareLibrary(ConvolutionPass pass);
    [[nodiscard]] bool goesByTiles() const;

    ConvolutionShape shape_;
    std::optional<ConvolutionMethod> method_;
    std::array<std::unique_ptr<DnnlConvolution>, 3> library_;  ///< By pass, but weights' gradient.
    std::unique_ptr<PartedWeightGradient> libraryWeights_;
    std::array<bool, 3> isPrepared_{};
    std::optional<Im2colConvolution> im2col_;
    std::optional<WinogradConvolution> tiles_;  ///< Then it does all passes.
};

}  // namespace lockstep::tensor
