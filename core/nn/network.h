// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/nn/layer.h"
#include "core/nn/workspace.h"

namespace lockstep::nn {

/// A stack of layers with softmax cross-entropy from logits, over flat buffers that the caller
/// owns: parameters and gradients of parameterCount() floats each. Immutable: all replicas of a
/// process share one, each with a Workspace of its own.
class Network {
public:
    /// BadInput when the model has no layer, a layer of an unknown type or without units, or when
    /// the last layer is not linear with as many units as there are classes.
    [[nodiscard]] static Result<Network> make(const config::ModelSpec& model,
                                              std::size_t inputFeatures, std::size_t classes);

    [[nodiscard]] std::size_t inputFeatures() const { return layers_.front()->inputSize(); }
    [[nodiscard]] std::size_t classes() const { return layers_.back()->outputSize(); }
    [[nodiscard]] std::size_t layerCount() const { return layers_.size(); }
    [[nodiscard]] const Layer& layer(std::size_t index) const { return *layers_[index]; }

    /// Floats of a flat buffer, with the gaps (at most 15 floats a tensor) that align tensors to
    /// cache lines. Gaps must be zero in a new buffer (tensor::Device gives zeros); they stay zero.
    [[nodiscard]] std::size_t parameterCount() const { return parameterCount_; }
    /// Trainable numbers, without gaps: what people call the size of the network.
    [[nodiscard]] std::size_t trainableCount() const { return trainableCount_; }
    /// All tensors in order of their offsets: layers.0.weight [out, in], layers.0.bias [out], …
    [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return tensors_; }
    /// First element of each layer, ascending; for collective::planBuckets.
    [[nodiscard]] const std::vector<std::size_t>& layerBegins() const { return layerBegins_; }

    /// Keras' defaults: Glorot-uniform kernels, zero biases. Host memory. Layer i draws from
    /// CounterRng(seed, i), so its values do not depend on the layers before it.
    void initialise(std::span<float> parameters, std::uint64_t seed) const;

    /// Logits of x [batch, inputFeatures], batch <= maxBatch of the workspace. x must stay
    /// unchanged until backward() has run. They lie in the workspace until the next call.
    tensor::ConstMatrix forward(tensor::Stream& stream, std::span<const float> parameters,
                                tensor::ConstMatrix x, Workspace& workspace) const;
    /// After forward(): adds loss and hits of the batch to the workspace's totals and prepares
    /// backward(). `scale` weighs every sample's gradient: 1 / global batch, so that the sum over
    /// replicas is the mean over the batch however unevenly it was shared out.
    void lossAndGradient(tensor::Stream& stream, std::span<const std::int32_t> labels, float scale,
                         Workspace& workspace) const;
    /// After lossAndGradient(): overwrites `gradients` (gaps excepted), last layer first.
    /// `onLayerDone(i)` runs on the calling thread when layer i's gradients are enqueued and its
    /// parameters are not read again, while the gradients of the layers below are still to come; it
    /// may be empty.
    void backward(tensor::Stream& stream, std::span<const float> parameters,
                  std::span<float> gradients, Workspace& workspace,
                  const std::function<void(std::size_t)>& onLayerDone) const;

    /// Adds loss and hits of a batch to the workspace's totals, without gradients.
    void evaluate(tensor::Stream& stream, std::span<const float> parameters, tensor::ConstMatrix x,
                  std::span<const std::int32_t> labels, Workspace& workspace) const;
    /// Class of each row and softmax probabilities [batch, classes].
    void predict(tensor::Stream& stream, std::span<const float> parameters, tensor::ConstMatrix x,
                 std::span<std::int32_t> predicted, tensor::Matrix probabilities,
                 Workspace& workspace) const;

private:
    explicit Network(std::vector<std::unique_ptr<Layer>> layers);

    [[nodiscard]] std::span<const float> section(std::span<const float> flat,
                                                 std::size_t layer) const;
    [[nodiscard]] std::span<float> section(std::span<float> flat, std::size_t layer) const;

    std::vector<std::unique_ptr<Layer>> layers_;
    std::vector<TensorInfo> tensors_;
    std::vector<std::size_t> layerBegins_;
    std::size_t parameterCount_ = 0;
    std::size_t trainableCount_ = 0;
};

}  // namespace lockstep::nn
