// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/tensor/matrix.h"
#include "core/tensor/stream.h"

namespace lockstep::tensor {

enum class Activation : std::uint8_t { Linear, Relu };

/// Running sums over samples; lies in host-visible memory.
struct LossTotals {
    double lossSum = 0;  ///< Cross-entropy in nats, summed over samples.
    double correct = 0;  ///< Samples whose largest logit is their label's.
    double samples = 0;
};

/// p -= learningRate * g, with momentum as in PyTorch (and, while the rate stays the same, in
/// Keras): b = momentum * b + g; p -= learningRate * b.
struct SgdSettings {
    float learningRate = 0;
    float momentum = 0;
};

/// One step of Adam as in Keras: m += (g - m) * (1 - beta1); v += (g * g - v) * (1 - beta2);
/// p -= stepSize * m / (sqrt(v) + epsilon).
struct AdamSettings {
    float stepSize = 0;  ///< learningRate * sqrt(1 - beta2^t) / (1 - beta1^t), t counted from 1.
    float oneMinusBeta1 = 0;
    float oneMinusBeta2 = 0;
    float epsilon = 0;
};

/// The operations of training. Each is enqueued on a stream; memory must stay until it has run.
/// All memory belongs to the device, spans of sources and results do not overlap unless they are
/// named as updated in place. Nothing is allocated, nothing fails here (see Stream). Results depend
/// on the operands and the kind of processor only, never on threads or on how work was cut; the
/// two updates are bit-identical on all processors, too.
class Ops {
public:
    virtual ~Ops() = default;

    /// rows[i] = images[indices[i]] / 255. `images` holds images of rows.columns bytes each;
    /// one index for each of the rows.
    virtual void gatherImages(Stream& stream, std::span<const std::uint8_t> images,
                              std::span<const std::uint32_t> indices, Matrix rows) = 0;
    /// values[i] = bytes[i] / 255; as many of both.
    virtual void scaleBytes(Stream& stream, std::span<const std::uint8_t> bytes,
                            std::span<float> values) = 0;
    /// batch[i] = labels[indices[i]].
    virtual void gatherLabels(Stream& stream, std::span<const std::uint8_t> labels,
                              std::span<const std::uint32_t> indices,
                              std::span<std::int32_t> batch) = 0;

    /// y = activation(x weightᵀ + bias): x [batch, in], weight [out, in], bias [out], y [batch,
    /// out].
    virtual void denseForward(Stream& stream, ConstMatrix x, ConstMatrix weight,
                              std::span<const float> bias, Activation activation, Matrix y) = 0;
    /// dWeight = dyᵀ x, dBias = column sums of dy: dy [batch, out] before the activation.
    /// Apart from denseInputGradient so that these can be reduced while that is computed.
    virtual void denseWeightGradient(Stream& stream, ConstMatrix dy, ConstMatrix x, Matrix dWeight,
                                     std::span<float> dBias) = 0;
    /// dx = dy weight, times the derivative of `below`, the activation whose output was x.
    virtual void denseInputGradient(Stream& stream, ConstMatrix dy, ConstMatrix weight,
                                    ConstMatrix x, Activation below, Matrix dx) = 0;

    /// Adds the batch's cross-entropy from logits [batch, classes] to `totals`. Where `dLogits` is
    /// not empty it becomes scale * (softmax(logits) - onehot(labels)); it may be `logits` itself.
    virtual void softmaxCrossEntropy(Stream& stream, ConstMatrix logits,
                                     std::span<const std::int32_t> labels, float scale,
                                     Matrix dLogits, LossTotals& totals) = 0;
    /// classes[i] = index of the (first) largest logit, probabilities = softmax(logits).
    virtual void predict(Stream& stream, ConstMatrix logits, std::span<std::int32_t> classes,
                         Matrix probabilities) = 0;

    /// Updates `parameters` (and `momentumBuffer`, empty without momentum) in place.
    virtual void sgd(Stream& stream, const SgdSettings& settings, std::span<const float> gradients,
                     std::span<float> parameters, std::span<float> momentumBuffer) = 0;
    /// Updates `parameters` and both moments in place.
    virtual void adam(Stream& stream, const AdamSettings& settings,
                      std::span<const float> gradients, std::span<float> parameters,
                      std::span<float> firstMoments, std::span<float> secondMoments) = 0;

    /// finite = no value is NaN or infinite. `finite` lies in host-visible memory.
    virtual void allFinite(Stream& stream, std::span<const float> values, bool& finite) = 0;
    virtual void copy(Stream& stream, std::span<const float> from, std::span<float> to) = 0;
    virtual void fill(Stream& stream, std::span<float> values, float value) = 0;

    /// XXH3-128 of the bytes of all parts, one after the other, as 32 hexadecimal digits: equal
    /// exactly for bit-identical states. Waits for the stream.
    [[nodiscard]] virtual Result<std::string> stateHash(
        Stream& stream, std::span<const std::span<const float>> parts) = 0;
};

}  // namespace lockstep::tensor
