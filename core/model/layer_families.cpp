// SPDX-License-Identifier: Apache-2.0
#include "core/model/layer_families.h"

#include <map>

namespace lockstep::model {

BuildLayer findBuilder(std::string_view type) {
    static const std::map<std::string_view, BuildLayer> kBuilders{
        {"dense", buildDense},
        {"conv2d", buildConvolution2d},
        {"conv1d", buildConvolution1d},
        {"depthwise_conv2d", buildDepthwiseConvolution},
        {"separable_conv2d", buildSeparableConvolution},
        {"conv2d_transpose", buildTransposedConvolution},
        {"max_pooling2d", buildMaxPooling2d},
        {"max_pooling1d", buildMaxPooling1d},
        {"average_pooling2d", buildAveragePooling2d},
        {"average_pooling1d", buildAveragePooling1d},
        {"global_max_pooling2d", buildGlobalMaxPooling2d},
        {"global_max_pooling1d", buildGlobalMaxPooling1d},
        {"global_average_pooling2d", buildGlobalAveragePooling2d},
        {"global_average_pooling1d", buildGlobalAveragePooling1d},
        {"batch_normalization", buildBatchNormalization},
        {"layer_normalization", buildLayerNormalization},
        {"rms_normalization", buildRmsNormalization},
        {"group_normalization", buildGroupNormalization},
        {"activation", buildActivation},
        {"dropout", buildDropout},
        {"rescaling", buildRescaling},
        {"normalization", buildNormalization},
        {"flatten", buildFlatten},
        {"reshape", buildReshape},
        {"zero_padding2d", buildZeroPadding},
        {"up_sampling2d", buildUpSampling},
        {"add", buildAdd},
        {"multiply", buildMultiply},
        {"concatenate", buildConcatenate},
        {"embedding", buildEmbedding},
        {"position_embedding", buildPositionEmbedding},
        {"multi_head_attention", buildAttention},
        {"lstm", buildLstm},
        {"gru", buildGru}};
    const auto found = kBuilders.find(type);
    return found == kBuilders.end() ? nullptr : found->second;
}

}  // namespace lockstep::model
