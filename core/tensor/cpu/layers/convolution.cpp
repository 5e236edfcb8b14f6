// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/convolution.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/elementwise.h"

namespace lockstep::tensor {

/// Measured with AVX-512 (oneDNN 2.6.3): from 32 channels and filters on tiles take 0.4 to 0.9 of
/// the time of oneDNN's direct loops, with 16 as much as these or more. A last tile that reaches
/// far beyond the image is computed for nothing.
bool isFasterByTiles(const ConvolutionShape& shape) {
    constexpr std::size_t kFewest = 32;
    if (!WinogradConvolution::takes(shape)) return false;
    const Extent places = shape.places();
    const auto covered = [](std::size_t extent) { return (extent + 3) / 4 * 4; };
    return shape.channels >= kFewest && shape.filters >= kFewest &&
           covered(places[0]) * covered(places[1]) * 2 <= places[0] * places[1] * 3;
}

Result<Convolution> Convolution::make(const ConvolutionShape& shape,
                                      std::initializer_list<ConvolutionPass> passes,
                                      std::optional<ConvolutionMethod> method) {
    if (shape.placeCount() == 0)
        return fail(
            ErrorCode::BadInput,
            fmt::format("A window of {} x {} does not fit on an image of {} x {} with its "
                        "padding.",
                        shape.window.size[0], shape.window.size[1], shape.height, shape.width),
            "Make the window smaller, or pad the image.");
    if (shape.groups == 0 || shape.channels % shape.groups != 0 ||
        shape.filters % shape.groups != 0 || shape.batch == 0 || shape.weightSize() == 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} channels and {} filters cannot be cut into {} equal groups.",
                                shape.channels, shape.filters, shape.groups),
                    "Let groups divide both.");
    Convolution convolution(shape, method);
    for (const auto pass : passes)
        TRY(convolution.prepare(pass));
    return convolution;
}

bool Convolution::allows(const ConvolutionShape& shape, ConvolutionPass pass,
                         ConvolutionMethod method) {
    switch (method) {
        case ConvolutionMethod::Tiles:
            return WinogradConvolution::takes(shape);
        case ConvolutionMethod::Direct: {
            const auto made = DnnlConvolution::make(shape, pass);
            return made && *made && !(*made)->isReference();
        }
        case ConvolutionMethod::Product:
            break;
    }
    return true;
}

bool Convolution::goesByTiles() const {
    if (!method_) return isFasterByTiles(shape_);
    return *method_ == ConvolutionMethod::Tiles && WinogradConvolution::takes(shape_);
}

Result<void> Convolution::prepare(ConvolutionPass pass) {
    if (goesByTiles()) {
        if (!tiles_) tiles_.emplace(shape_);
        TRY(tiles_->reserve());
        isPrepared_[static_cast<std::size_t>(pass)] = true;
        return {};
    }
    isPrepared_[static_cast<std::size_t>(pass)] = true;
    if (method_ != ConvolutionMethod::Product && TRY(prepareLibrary(pass))) return {};
    if (!im2col_) im2col_.emplace(shape_);
    return {};
}

Result<bool> Convolution::prepareLibrary(ConvolutionPass pass) {
    if (pass == ConvolutionPass::WeightGradient) {
        libraryWeights_ = TRY(PartedWeightGradient::make(shape_));
        return libraryWeights_ != nullptr;
    }
    auto made = TRY(DnnlConvolution::make(shape_, pass));
    // oneDNN's reference loops are a hundred times slower than a product of matrices.
    if (!made || made->isReference()) return false;
    library_[static_cast<std::size_t>(pass)] = std::move(made);
    return true;
}

std::size_t Convolution::ownBytes() const {
    std::size_t bytes = im2col_ ? im2col_->bytes() : 0;
    for (const auto& made : library_)
        if (made) bytes += made->bytes();
    return bytes + (libraryWeights_ ? libraryWeights_->bytes() : 0);
}

void Convolution::checkPrepared(ConvolutionPass pass) const {
    LS_CHECK(isPrepared_[static_cast<std::size_t>(pass)],
             "a convolution runs the passes that it was made for");
}

std::string Convolution::implementation(ConvolutionPass pass) const {
    if (tiles_) return "tiles";
    if (pass == ConvolutionPass::WeightGradient && libraryWeights_)
        return libraryWeights_->implementation();
    const DnnlConvolution* const made = library(pass);
    return made == nullptr ? "im2col" : made->implementation();
}

void Convolution::forward(std::span<const float> x, std::span<const float> weight,
                          std::span<const float> bias, std::span<float> y, bool relu) {
    LS_CHECK(x.size() == shape_.inputSize() && y.size() == shape_.outputSize() &&
                 weight.size() == shape_.weightSize(),
             "a convolution's operands must be as large as its shape says");
    LS_CHECK(bias.empty() || bias.size() == shape_.filters, "a bias for each filter is needed");
    checkPrepared(ConvolutionPass::Forward);
    if (tiles_) return tiles_->forward(x, weight, bias, y, relu);
    if (DnnlConvolution* const made = library(ConvolutionPass::Forward))
        made->forward(x, weight, bias, y);
    else
        im2col_->forward(x, weight, bias, y);
    // Not fused into oneDNN's primitive: its relu makes 0 of NaN, and a broken run would go on.
    if (relu) reluForward(y, y);
}

void Convolution::weightGradient(std::span<const float> x, std::span<const float> dy,
                                 std::span<float> dWeight, std::span<float> dBias) {
    LS_CHECK(x.size() == shape_.inputSize() && dy.size() == shape_.outputSize() &&
                 dWeight.size() == shape_.weightSize(),
             "a convolution's operands must be as large as its shape says");
    LS_CHECK(dBias.empty() || dBias.size() == shape_.filters, "a bias for each filter is needed");
    checkPrepared(ConvolutionPass::WeightGradient);
    if (tiles_)
        tiles_->weightGradient(x, dy, dWeight);
    else if (libraryWeights_)
        libraryWeights_->run(x, dy, dWeight);
    else
        im2col_->weightGradient(x, dy, dWeight);
    if (!dBias.empty())
        bestKernels().columnSums(dy.data(), shape_.batch * shape_.placeCount(), shape_.filters,
                                 dBias.data());
}

void Convolution::inputGradient(std::span<const float> dy, std::span<const float> weight,
                                std::span<float> dx) {
    LS_CHECK(dx.size() == shape_.inputSize() && dy.size() == shape_.outputSize() &&
                 weight.size() == shape_.weightSize(),
             "a convolution's operands must be as large as its shape says");
    checkPrepared(ConvolutionPass::InputGradient);
    if (tiles_)
        tiles_->inputGradient(dy, weight, dx);
    else if (DnnlConvolution* const made = library(ConvolutionPass::InputGradient))
        made->inputGradient(dy, weight, dx);
    else
        im2col_->inputGradient(dy, weight, dx);
}

}  // namespace lockstep::tensor
