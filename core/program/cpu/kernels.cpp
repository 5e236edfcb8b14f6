// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/kernels.h"

#include <variant>

namespace lockstep::program {

namespace {

Kernel nothing() {
    return [](const Frame&) {};
}

template <typename... Choices>
bool isOneOf(const model::Operation& operation) {
    return (std::holds_alternative<Choices>(operation) || ...);
}

}  // namespace

Result<Kernel> makeKernel(const KernelSource& source) {
    const model::Operation& operation = source.node().operation;
    if (source.action() == Action::SumAcrossReplicas) return nothing();  // the executor's
    if (source.action() == Action::Accumulate) return makeElementwiseKernel(source);
    if (isOneOf<model::Dense>(operation)) return makeDenseKernel(source);
    if (isOneOf<model::Convolution>(operation)) return makeConvolutionKernel(source);
    if (isOneOf<model::Pooling, model::GlobalPooling>(operation)) return makePoolingKernel(source);
    if (isOneOf<model::BatchNormalization>(operation)) return makeBatchNormalizationKernel(source);
    if (isOneOf<model::LayerNormalization>(operation)) return makeLayerNormalizationKernel(source);
    if (isOneOf<model::GroupNormalization>(operation)) return makeGroupNormalizationKernel(source);
    if (isOneOf<model::Attention>(operation)) return makeAttentionKernel(source);
    if (isOneOf<model::Dropout>(operation)) return makeDropoutKernel(source);
    if (isOneOf<model::Embedding, model::PositionEmbedding>(operation))
        return makeEmbeddingKernel(source);
    if (isOneOf<model::Input, model::Concatenate, model::ZeroPadding, model::Flatten,
                model::UpSampling>(operation))
        return makeMovingKernel(source);
    return makeElementwiseKernel(source);
}

}  // namespace lockstep::program
