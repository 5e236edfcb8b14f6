// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/gpu_program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "core/base/check.h"
#include "core/nn/dense.h"

namespace lockstep::train {

namespace {

tensor::Precision precisionOf(config::Precision precision) {
    switch (precision) {
        case config::Precision::Float32:
            return tensor::Precision::Float32;
        case config::Precision::Tf32:
            return tensor::Precision::Tf32;
        case config::Precision::BFloat16:
            return tensor::Precision::BFloat16;
    }
    return tensor::Precision::Float32;
}

/// LOCKSTEP_CUDA_GRAPHS=0: launch by launch, to look for a defect or to compare.
bool wantsGraphs() {
    const char* wanted = std::getenv("LOCKSTEP_CUDA_GRAPHS");
    return wanted == nullptr || std::strcmp(wanted, "0") != 0;
}

tensor::EngineLayer layerOf(const nn::Network& network, std::size_t index) {
    const nn::Layer& layer = network.layer(index);
    const std::size_t begin = network.layerBegins()[index];
    const std::vector<nn::TensorInfo>& tensors = layer.tensors();
    LS_CHECK(tensors.size() == 2 && tensors[0].name == "weight", "a dense layer has two tensors");
    return {layer.inputSize(), layer.outputSize(), begin + tensors[0].offset,
            begin + tensors[1].offset, layer.activation()};
}

void setRule(const config::TrainingSpec& training, tensor::EngineProgram& program) {
    const bool adam = training.optimizer == config::OptimizerKind::Adam;
    program.rule = adam                     ? tensor::UpdateRule::Adam
                   : training.momentum != 0 ? tensor::UpdateRule::Momentum
                                            : tensor::UpdateRule::Sgd;
    program.sgd = {static_cast<float>(training.learningRate),
                   static_cast<float>(training.momentum)};
    program.adam = {.stepSize = 0,  // comes with each step
                    .oneMinusBeta1 = static_cast<float>(1 - training.beta1),
                    .oneMinusBeta2 = static_cast<float>(1 - training.beta2),
                    .epsilon = static_cast<float>(training.epsilon)};
}

}  // namespace

Result<void> checkEngineCan(const nn::Network& network) {
    for (std::size_t i = 0; i < network.layerCount(); ++i)
        if (dynamic_cast<const nn::Dense*>(&network.layer(i)) == nullptr)
            return fail(ErrorCode::BadInput,
                        fmt::format("model.layers[{}] is not a dense layer, and GPUs compute only "
                                    "those yet",
                                    i),
                        "Use cluster.device = \"auto\" or \"cpu\".");
    return {};
}

Result<tensor::EngineProgram> engineProgram(const config::TrainingSpec& training,
                                            const nn::Network& network, const data::Dataset& data,
                                            const std::vector<collective::Range>& buckets,
                                            std::uint32_t maxBatch) {
    if (auto able = checkEngineCan(network); !able) return fail(std::move(able).error());
    tensor::EngineProgram program;
    program.features = network.inputFeatures();
    program.parameters = network.parameterCount();
    for (std::size_t i = 0; i < network.layerCount(); ++i)
        program.layers.push_back(layerOf(network, i));
    for (const collective::Range& bucket : buckets)
        program.buckets.push_back({bucket.begin, bucket.end});
    setRule(training, program);
    program.precision = precisionOf(training.precision);
    program.maxBatch = maxBatch;
    program.endsOnNonFinite = training.terminateOnNan;
    program.captured = wantsGraphs();
    for (const auto* split : {&data.train, &data.validation, &data.test})
        program.splits.push_back({(*split)->images, (*split)->labels});
    return program;
}

}  // namespace lockstep::train
