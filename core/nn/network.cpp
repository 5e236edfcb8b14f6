// SPDX-License-Identifier: Apache-2.0
#include "core/nn/network.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "core/base/check.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/job/model_spec.h"
#include "core/nn/dense.h"

namespace lockstep::nn {
namespace {

tensor::Activation toTensor(config::Activation activation) {
    return activation == config::Activation::Relu ? tensor::Activation::Relu
                                                  : tensor::Activation::Linear;
}

Result<std::unique_ptr<Layer>> makeLayer(const config::LayerSpec& spec, std::size_t index,
                                         std::size_t inputs) {
    if (spec.type != "dense") {
        const std::array<std::string, 1> known{"dense"};
        const auto nearest = nearestName(spec.type, known);
        return fail(ErrorCode::BadInput,
                    fmt::format("model.layers[{}].type is \"{}\", which is not a type of layer.",
                                index, sanitizeLine(spec.type, 64)),
                    nearest ? fmt::format("Did you mean \"{}\"?", *nearest)
                            : std::string("The types of layers are: dense."));
    }
    if (spec.units < 1)
        return fail(ErrorCode::BadInput,
                    fmt::format("model.layers[{}].units is {}; a layer needs at least 1 unit.",
                                index, spec.units));
    return std::make_unique<Dense>(inputs, static_cast<std::size_t>(spec.units),
                                   toTensor(spec.activation));
}

/// The last layer gives the logits, one for each class.
Result<void> checkLastLayer(const Layer& last, std::size_t index, std::size_t classes) {
    if (last.outputSize() != classes)
        return fail(
            ErrorCode::BadInput,
            fmt::format("model.layers[{}].units is {}, but the data have {}.", index,
                        last.outputSize(), counted(classes, "class")),
            fmt::format("Give the last layer {}, one for each class.", counted(classes, "unit")));
    if (last.activation() != tensor::Activation::Linear)
        return fail(ErrorCode::BadInput,
                    fmt::format("model.layers[{}].activation is \"relu\", but the last layer's "
                                "outputs are logits, which may be negative.",
                                index),
                    "Remove the activation of the last layer.");
    return {};
}

}  // namespace

Result<Network> Network::make(const config::ModelSpec& model, std::size_t inputFeatures,
                              std::size_t classes) {
    if (!config::isDenseStack(model))
        return fail(ErrorCode::BadInput,
                    "The model is more than dense layers one behind the other, and this engine "
                    "computes such stacks alone.",
                    "Give each layer of model.layers units and an activation, and nothing else.");
    if (model.layers.empty())
        return fail(ErrorCode::BadInput, "model.layers is empty; a network needs a layer.",
                    fmt::format("Add {{ type = \"dense\", units = {} }}.", classes));
    if (inputFeatures == 0)
        return fail(ErrorCode::BadInput, "The data have no features for the network to read.");
    std::vector<std::unique_ptr<Layer>> layers;
    std::size_t inputs = inputFeatures;
    for (const config::LayerSpec& spec : model.layers) {
        auto layer = makeLayer(spec, layers.size(), inputs);
        if (!layer) return fail(std::move(layer).error());
        inputs = (*layer)->outputSize();
        layers.push_back(std::move(*layer));
    }
    if (auto checked = checkLastLayer(*layers.back(), layers.size() - 1, classes); !checked)
        return fail(std::move(checked).error());
    return Network(std::move(layers));
}

Network::Network(std::vector<std::unique_ptr<Layer>> layers) : layers_(std::move(layers)) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        layerBegins_.push_back(parameterCount_);
        for (const TensorInfo& tensor : layers_[i]->tensors()) {
            tensors_.push_back({.name = fmt::format("layers.{}.{}", i, tensor.name),
                                .shape = tensor.shape,
                                .offset = parameterCount_ + tensor.offset});
            trainableCount_ += tensor.size();
        }
        parameterCount_ += layers_[i]->bufferSize();
    }
}

std::span<const float> Network::section(std::span<const float> flat, std::size_t layer) const {
    LS_CHECK(flat.size() == parameterCount_, "a flat buffer must have parameterCount() floats");
    return flat.subspan(layerBegins_[layer], layers_[layer]->bufferSize());
}

std::span<float> Network::section(std::span<float> flat, std::size_t layer) const {
    LS_CHECK(flat.size() == parameterCount_, "a flat buffer must have parameterCount() floats");
    return flat.subspan(layerBegins_[layer], layers_[layer]->bufferSize());
}

void Network::initialise(std::span<float> parameters, std::uint64_t seed) const {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        CounterRng rng(seed, i);
        layers_[i]->initialise(section(parameters, i), rng);
    }
}

tensor::ConstMatrix Network::forward(tensor::Stream& stream, std::span<const float> parameters,
                                     tensor::ConstMatrix x, Workspace& workspace) const {
    LS_CHECK(x.rows <= workspace.maxBatch() && x.columns == inputFeatures(),
             "a batch must fit the workspace and the network");
    workspace.x_ = x;
    tensor::ConstMatrix input = x;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const tensor::Matrix output = workspace.output(i);
        layers_[i]->forward(*workspace.ops_, stream, section(parameters, i), input, output);
        input = output;
    }
    return input;
}

void Network::lossAndGradient(tensor::Stream& stream, std::span<const std::int32_t> labels,
                              float scale, Workspace& workspace) const {
    const tensor::Matrix logits = workspace.output(layers_.size() - 1);
    workspace.ops_->softmaxCrossEntropy(stream, logits, labels, scale, logits, workspace.totals());
}

void Network::backward(tensor::Stream& stream, std::span<const float> parameters,
                       std::span<float> gradients, Workspace& workspace,
                       const std::function<void(std::size_t)>& onLayerDone) const {
    tensor::Ops& ops = *workspace.ops_;
    tensor::ConstMatrix dy = workspace.output(layers_.size() - 1);
    for (std::size_t i = layers_.size(); i-- > 0;) {
        const Layer& layer = *layers_[i];
        const tensor::ConstMatrix x = i == 0 ? workspace.x_ : workspace.output(i - 1);
        layer.parameterGradients(ops, stream, x, dy, section(gradients, i));
        if (i > 0) {
            const tensor::Matrix dx = workspace.delta(i - 1);
            layer.inputGradient(ops, stream, section(parameters, i), x, dy,
                                layers_[i - 1]->activation(), dx);
            dy = dx;
        }
        if (onLayerDone) onLayerDone(i);
    }
}

void Network::evaluate(tensor::Stream& stream, std::span<const float> parameters,
                       tensor::ConstMatrix x, std::span<const std::int32_t> labels,
                       Workspace& workspace) const {
    const tensor::ConstMatrix logits = forward(stream, parameters, x, workspace);
    workspace.ops_->softmaxCrossEntropy(stream, logits, labels, 0.0F, {}, workspace.totals());
}

void Network::predict(tensor::Stream& stream, std::span<const float> parameters,
                      tensor::ConstMatrix x, std::span<std::int32_t> predicted,
                      tensor::Matrix probabilities, Workspace& workspace) const {
    const tensor::ConstMatrix logits = forward(stream, parameters, x, workspace);
    workspace.ops_->predict(stream, logits, predicted, probabilities);
}

}  // namespace lockstep::nn
