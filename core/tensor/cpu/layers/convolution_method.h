// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/tensor/cpu/layers/convolution_shape.h"

namespace lockstep::tensor {

/// How a pass of a convolution is computed. They give the same but for rounding.
enum class ConvolutionMethod : std::uint8_t {
    Tiles,    ///< WinogradConvolution
    Direct,   ///< oneDNN's loops
    Product,  ///< Im2colConvolution
};
inline constexpr std::array kConvolutionMethods = {
    ConvolutionMethod::Tiles, ConvolutionMethod::Direct, ConvolutionMethod::Product};

/// "tiles", "direct" or "product".
[[nodiscard]] std::string_view toString(ConvolutionMethod method);

/// A pass in words, the same for every size of batch: "weights of 32x32x16 by 3x3x32".
[[nodiscard]] std::string passText(const ConvolutionShape& shape, ConvolutionPass pass);

/// Methods chosen for some passes, by their passText; all else goes by the shipped rule
/// (isFasterByTiles).
class ConvolutionMethods {
public:
    using Words = std::map<std::string, std::string>;

    ConvolutionMethods() = default;
    /// As words() gave it. Corrupt for a method that there is not.
    [[nodiscard]] static Result<ConvolutionMethods> parse(const Words& words);

    void choose(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionMethod method);
    [[nodiscard]] std::optional<ConvolutionMethod> of(const ConvolutionShape& shape,
                                                      ConvolutionPass pass) const;
    [[nodiscard]] bool isEmpty() const { return methods_.empty(); }
    /// Of each pass its method.
    [[nodiscard]] Words words() const;

private:
    std::map<std::string, ConvolutionMethod, std::less<>> methods_;
};

}  // namespace lockstep::tensor
