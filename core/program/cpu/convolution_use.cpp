// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/convolution_use.h"

#include <variant>

#include "core/program/cpu/shapes.h"

namespace lockstep::program {

namespace {

tensor::ConvolutionShape shapeOf(const ImageShape& image, const model::Shape& result,
                                 const model::Window& window, std::int64_t groups,
                                 std::int64_t batch) {
    tensor::ConvolutionShape shape;
    shape.batch = static_cast<std::size_t>(batch);
    shape.height = image.height;
    shape.width = image.width;
    shape.channels = image.channels;
    shape.filters = static_cast<std::size_t>(result.back());
    shape.window = windowOf(window);
    shape.groups = static_cast<std::size_t>(groups);
    return shape;
}

tensor::ConvolutionPass passOf(Action action) {
    if (action == Action::Forward) return tensor::ConvolutionPass::Forward;
    return action == Action::ParameterGradient ? tensor::ConvolutionPass::WeightGradient
                                               : tensor::ConvolutionPass::InputGradient;
}

tensor::ConvolutionPass transposed(tensor::ConvolutionPass pass) {
    if (pass == tensor::ConvolutionPass::Forward) return tensor::ConvolutionPass::InputGradient;
    return pass == tensor::ConvolutionPass::WeightGradient ? pass
                                                           : tensor::ConvolutionPass::Forward;
}

}  // namespace

std::optional<ConvolutionUse> convolutionUse(const KernelSource& source) {
    const std::int64_t batch = source.program().maxBatch;
    const tensor::ConvolutionPass pass = passOf(source.action());
    const model::Node& node = source.node();
    if (const auto* plain = std::get_if<model::Convolution>(&node.operation))
        return ConvolutionUse{shapeOf(ImageShape(source.inputShape()), node.shape, plain->window,
                                      plain->groups, batch),
                              pass};
    if (const auto* other = std::get_if<model::TransposedConvolution>(&node.operation))
        return ConvolutionUse{
            shapeOf(ImageShape(node.shape), source.inputShape(), other->window, 1, batch),
            transposed(pass)};
    return std::nullopt;
}

}  // namespace lockstep::program
