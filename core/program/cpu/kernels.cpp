// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/kernels.h"

#include <variant>

#include "core/base/check.h"

namespace lockstep::program {

namespace {

Kernel nothing() {
    return Kernel([](const Frame&) {});
}

template <typename... Choices>
bool isOneOf(const model::Operation& operation) {
    return (std::holds_alternative<Choices>(operation) || ...);
}

KernelMakers::Maker makerOf(Action action, const KernelMakers& makers) {
    switch (action) {
        case Action::Forward:
            return makers.forward;
        case Action::ParameterGradient:
            return makers.parameterGradient;
        case Action::InputGradient:
            return makers.inputGradient;
        case Action::BatchSums:
            return makers.batchSums;
        case Action::GradientSums:
            return makers.gradientSums;
        case Action::SumAcrossReplicas:
        case Action::Accumulate:
        case Action::GatherTensor:
        case Action::KeepGradient:
            return nullptr;
    }
    return nullptr;
}

}  // namespace

Kernel byAction(const KernelSource& source, const KernelMakers& makers) {
    const auto make = makerOf(source.action(), makers);
    LS_CHECK(make != nullptr, "an instruction is one that its operation has");
    return make(source);
}

Result<Kernel> makeKernel(const KernelSource& source) {
    const model::Operation& operation = source.node().operation;
    if (source.action() == Action::SumAcrossReplicas) return nothing();  // the executor's
    if (source.action() == Action::Accumulate) return makeAccumulateKernel(source);
    const bool isOfTensor =
        source.action() == Action::GatherTensor || source.action() == Action::KeepGradient;
    if (isOfTensor || isOneOf<model::MeshExchange>(operation)) return makeMeshKernel(source);
    if (isOneOf<model::Dense>(operation)) return makeDenseKernel(source);
    if (isOneOf<model::Convolution>(operation)) return makeConvolutionKernel(source);
    if (isOneOf<model::TransposedConvolution>(operation))
        return makeTransposedConvolutionKernel(source);
    if (isOneOf<model::Recurrence>(operation)) return makeRecurrenceKernel(source);
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
