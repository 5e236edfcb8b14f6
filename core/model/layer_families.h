// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/layer_builder.h"

namespace lockstep::model {

// What each type of layer is made of, family by family. The activation that a layer may have comes
// behind it and is not theirs.

[[nodiscard]] Result<int> buildDense(LayerBuilder& layer);

[[nodiscard]] Result<int> buildConvolution2d(LayerBuilder& layer);
/// Its weight is [filters, channels / groups, width], as PyTorch's; its rows have a height of one.
[[nodiscard]] Result<int> buildConvolution1d(LayerBuilder& layer);
/// A convolution with as many groups as there are channels.
[[nodiscard]] Result<int> buildDepthwiseConvolution(LayerBuilder& layer);
/// Tensors: depthwise.weight; pointwise.weight, pointwise.bias.
[[nodiscard]] Result<int> buildSeparableConvolution(LayerBuilder& layer);

/// Its weight is [channels, filters, height, width], as torch.nn.ConvTranspose2d's.
[[nodiscard]] Result<int> buildTransposedConvolution(LayerBuilder& layer);

[[nodiscard]] Result<int> buildMaxPooling2d(LayerBuilder& layer);
[[nodiscard]] Result<int> buildMaxPooling1d(LayerBuilder& layer);
[[nodiscard]] Result<int> buildAveragePooling2d(LayerBuilder& layer);
[[nodiscard]] Result<int> buildAveragePooling1d(LayerBuilder& layer);
[[nodiscard]] Result<int> buildGlobalMaxPooling2d(LayerBuilder& layer);
[[nodiscard]] Result<int> buildGlobalMaxPooling1d(LayerBuilder& layer);
[[nodiscard]] Result<int> buildGlobalAveragePooling2d(LayerBuilder& layer);
[[nodiscard]] Result<int> buildGlobalAveragePooling1d(LayerBuilder& layer);

[[nodiscard]] Result<int> buildBatchNormalization(LayerBuilder& layer);
[[nodiscard]] Result<int> buildLayerNormalization(LayerBuilder& layer);
[[nodiscard]] Result<int> buildRmsNormalization(LayerBuilder& layer);
[[nodiscard]] Result<int> buildGroupNormalization(LayerBuilder& layer);

[[nodiscard]] Result<int> buildActivation(LayerBuilder& layer);
[[nodiscard]] Result<int> buildDropout(LayerBuilder& layer);
[[nodiscard]] Result<int> buildRescaling(LayerBuilder& layer);
/// The affine map of a known mean and variance: scale 1 / sqrt(variance), at least 1e-7.
[[nodiscard]] Result<int> buildNormalization(LayerBuilder& layer);
/// The layer's `activation` behind `node`; that node itself where it is linear.
[[nodiscard]] Result<int> addActivation(LayerBuilder& layer, int node);

[[nodiscard]] Result<int> buildFlatten(LayerBuilder& layer);
[[nodiscard]] Result<int> buildReshape(LayerBuilder& layer);
[[nodiscard]] Result<int> buildZeroPadding(LayerBuilder& layer);
[[nodiscard]] Result<int> buildUpSampling(LayerBuilder& layer);

[[nodiscard]] Result<int> buildAdd(LayerBuilder& layer);
[[nodiscard]] Result<int> buildMultiply(LayerBuilder& layer);
[[nodiscard]] Result<int> buildConcatenate(LayerBuilder& layer);

[[nodiscard]] Result<int> buildEmbedding(LayerBuilder& layer);
[[nodiscard]] Result<int> buildPositionEmbedding(LayerBuilder& layer);
/// Tensors: in_proj_weight [3 * width, width], in_proj_bias, out_proj.weight, out_proj.bias.
[[nodiscard]] Result<int> buildAttention(LayerBuilder& layer);

/// Tensors: weight_ih_l0 [gates * units, features], bias_ih_l0, weight_hh_l0 [gates * units,
/// units], bias_hh_l0, as torch.nn.LSTM and torch.nn.GRU; an LSTM's bias_hh_l0 is not trained.
[[nodiscard]] Result<int> buildLstm(LayerBuilder& layer);
[[nodiscard]] Result<int> buildGru(LayerBuilder& layer);

/// The function of a type's name; null for one that the layer table has not.
[[nodiscard]] BuildLayer findBuilder(std::string_view type);

/// Where a window of `size` stands on `image`, and what it gives: {rows, columns}. Fails where the
/// window is larger than the padded image.
struct PlacedWindow {
    Window window;
    Extent output;
};
[[nodiscard]] Result<PlacedWindow> placeWindow(const LayerOptions& options, Extent image,
                                               Extent size, Extent strides, Extent dilation);
/// Rows and columns of an image, or one row of a sequence.
[[nodiscard]] Extent extentOf(const Shape& shape);
/// The shape of `image`'s kind with another extent and channels.
[[nodiscard]] Shape shapeLike(const Shape& image, Extent extent, std::int64_t channels);

}  // namespace lockstep::model
