// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/convolution_method.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::tensor {

namespace {

std::string_view beginningOf(ConvolutionPass pass) {
    switch (pass) {
        case ConvolutionPass::Forward:
            return "result";
        case ConvolutionPass::WeightGradient:
            return "weights";
        case ConvolutionPass::InputGradient:
            break;
    }
    return "input";
}

std::string rest(const ConvolutionShape& shape) {
    const Window& window = shape.window;
    std::string text;
    if (window.strides != Extent{1, 1})
        text += fmt::format(", strides {}x{}", window.strides[0], window.strides[1]);
    if (window.dilation != Extent{1, 1})
        text += fmt::format(", dilation {}x{}", window.dilation[0], window.dilation[1]);
    if (window.before != Extent{} || window.after != Extent{})
        text += fmt::format(", padding {}+{}x{}+{}", window.before[0], window.after[0],
                            window.before[1], window.after[1]);
    if (shape.groups != 1) text += fmt::format(", groups {}", shape.groups);
    return text;
}

}  // namespace

std::string_view toString(ConvolutionMethod method) {
    switch (method) {
        case ConvolutionMethod::Tiles:
            return "tiles";
        case ConvolutionMethod::Direct:
            return "direct";
        case ConvolutionMethod::Product:
            break;
    }
    return "product";
}

std::string passText(const ConvolutionShape& shape, ConvolutionPass pass) {
    return fmt::format("{} of {}x{}x{} by {}x{}x{}{}", beginningOf(pass), shape.height, shape.width,
                       shape.channels, shape.window.size[0], shape.window.size[1], shape.filters,
                       rest(shape));
}

Result<ConvolutionMethods> ConvolutionMethods::parse(const Words& words) {
    ConvolutionMethods chosen;
    for (const auto& [pass, word] : words) {
        const auto* const method = std::ranges::find(
            kConvolutionMethods, word, [](ConvolutionMethod each) { return toString(each); });
        if (method == kConvolutionMethods.end())
            return fail(ErrorCode::Corrupt,
                        fmt::format("there is no method \"{}\" of a convolution ({})", word, pass));
        chosen.methods_.emplace(pass, *method);
    }
    return chosen;
}

void ConvolutionMethods::choose(const ConvolutionShape& shape, ConvolutionPass pass,
                                ConvolutionMethod method) {
    methods_.insert_or_assign(passText(shape, pass), method);
}

std::optional<ConvolutionMethod> ConvolutionMethods::of(const ConvolutionShape& shape,
                                                        ConvolutionPass pass) const {
    if (methods_.empty()) return std::nullopt;
    const auto found = methods_.find(passText(shape, pass));
    return found == methods_.end() ? std::nullopt : std::optional(found->second);
}

ConvolutionMethods::Words ConvolutionMethods::words() const {
    Words words;
    for (const auto& [pass, method] : methods_)
        words.emplace(pass, toString(method));
    return words;
}

}  // namespace lockstep::tensor
