// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/cpu_ops.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/tensor/cpu/gemm.h"
#include "core/tensor/cpu/softmax.h"

namespace lockstep::tensor {

void CpuOps::gatherImages(Stream& /*stream*/, std::span<const std::uint8_t> images,
                          std::span<const std::uint32_t> indices, Matrix rows) {
    LS_CHECK(indices.size() == rows.rows, "as many indices as rows are needed");
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::size_t begin = indices[i] * rows.columns;
        LS_CHECK(begin + rows.columns <= images.size(), "an index lies beyond the images");
        kernels_.scaleBytes(images.data() + begin, rows.row(i).data(), rows.columns);
    }
}

void CpuOps::scaleBytes(Stream& /*stream*/, std::span<const std::uint8_t> bytes,
                        std::span<float> values) {
    LS_CHECK(bytes.size() == values.size(), "as many values as bytes are needed");
    kernels_.scaleBytes(bytes.data(), values.data(), bytes.size());
}

void CpuOps::gatherLabels(Stream& /*stream*/, std::span<const std::uint8_t> labels,
                          std::span<const std::uint32_t> indices, std::span<std::int32_t> batch) {
    LS_CHECK(indices.size() == batch.size(), "as many indices as labels are needed");
    for (std::size_t i = 0; i < indices.size(); ++i) {
        LS_CHECK(indices[i] < labels.size(), "an index lies beyond the labels");
        batch[i] = labels[indices[i]];
    }
}

void CpuOps::denseForward(Stream& /*stream*/, ConstMatrix x, ConstMatrix weight,
                          std::span<const float> bias, Activation activation, Matrix y) {
    LS_CHECK(bias.size() == y.columns, "a bias for each output is needed");
    multiplyByTransposed(x, weight, y);
    const auto finish = activation == Activation::Relu ? kernels_.addBiasRelu : kernels_.addBias;
    finish(y.data, bias.data(), y.rows, y.columns);
}

void CpuOps::denseWeightGradient(Stream& /*stream*/, ConstMatrix dy, ConstMatrix x, Matrix dWeight,
                                 std::span<float> dBias) {
    LS_CHECK(dBias.size() == dy.columns, "a bias gradient for each output is needed");
    multiplyTransposedBy(dy, x, dWeight);
    kernels_.columnSums(dy.data, dy.rows, dy.columns, dBias.data());
}

void CpuOps::denseInputGradient(Stream& /*stream*/, ConstMatrix dy, ConstMatrix weight,
                                ConstMatrix x, Activation below, Matrix dx) {
    LS_CHECK(x.rows == dx.rows && x.columns == dx.columns, "dx must be shaped as x");
    multiply(dy, weight, dx);
    if (below == Activation::Relu) kernels_.maskByRelu(dx.data, x.data, dx.size());
}

void CpuOps::softmaxCrossEntropy(Stream& /*stream*/, ConstMatrix logits,
                                 std::span<const std::int32_t> labels, float scale, Matrix dLogits,
                                 LossTotals& totals) {
    LS_CHECK(labels.size() == logits.rows, "a label for each row is needed");
    const bool wantGradient = !dLogits.empty();
    LS_CHECK(!wantGradient || dLogits.size() == logits.size(), "dLogits must be shaped as logits");
    for (std::size_t r = 0; r < logits.rows; ++r) {
        const auto label = static_cast<std::size_t>(labels[r]);
        LS_CHECK(label < logits.columns, "a label is not a class of the network");
        const float labelLogit = logits.row(r)[label];
        const std::span<float> gradient = wantGradient ? dLogits.row(r) : std::span<float>();
        const SoftmaxRow row = softmaxRow(logits.row(r), gradient);
        totals.lossSum += crossEntropy(row, labelLogit);
        totals.correct += row.argmax == labels[r] ? 1 : 0;
        totals.samples += 1;
        if (!wantGradient) continue;
        const auto factor = static_cast<float>(static_cast<double>(scale) / row.expSum);
        for (float& value : gradient)
            value *= factor;
        gradient[label] -= scale;
    }
}

void CpuOps::predict(Stream& /*stream*/, ConstMatrix logits, std::span<std::int32_t> classes,
                     Matrix probabilities) {
    LS_CHECK(classes.size() == logits.rows && probabilities.rows == logits.rows &&
                 probabilities.columns == logits.columns,
             "a class and its probabilities for each row are needed");
    for (std::size_t r = 0; r < logits.rows; ++r) {
        const SoftmaxRow row = softmaxRow(logits.row(r), probabilities.row(r));
        classes[r] = row.argmax;
        const auto factor = static_cast<float>(1.0 / row.expSum);
        for (float& value : probabilities.row(r))
            value *= factor;
    }
}

void CpuOps::sgd(Stream& /*stream*/, const SgdSettings& settings, std::span<const float> gradients,
                 std::span<float> parameters, std::span<float> momentumBuffer) {
    LS_CHECK(gradients.size() == parameters.size(), "a gradient for each parameter is needed");
    if (settings.momentum == 0.0F) {
        kernels_.sgd(settings.learningRate, gradients.data(), parameters.data(), parameters.size());
        return;
    }
    LS_CHECK(momentumBuffer.size() == parameters.size(),
             "a momentum buffer as long as the parameters is needed");
    kernels_.sgdMomentum(settings, gradients.data(), parameters.data(), momentumBuffer.data(),
                         parameters.size());
}

void CpuOps::adam(Stream& /*stream*/, const AdamSettings& settings,
                  std::span<const float> gradients, std::span<float> parameters,
                  std::span<float> firstMoments, std::span<float> secondMoments) {
    LS_CHECK(gradients.size() == parameters.size() && firstMoments.size() == parameters.size() &&
                 secondMoments.size() == parameters.size(),
             "a gradient and two moments for each parameter are needed");
    kernels_.adam(settings, gradients.data(), parameters.data(), firstMoments.data(),
                  secondMoments.data(), parameters.size());
}

void CpuOps::allFinite(Stream& /*stream*/, std::span<const float> values, bool& finite) {
    finite = kernels_.allFinite(values.data(), values.size());
}

void CpuOps::copy(Stream& /*stream*/, std::span<const float> from, std::span<float> to) {
    LS_CHECK(from.size() == to.size(), "a copy needs as much room as values");
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size_bytes());
}

void CpuOps::fill(Stream& /*stream*/, std::span<float> values, float value) {
    std::ranges::fill(values, value);
}

Result<std::string> CpuOps::stateHash(Stream& /*stream*/,
                                      std::span<const std::span<const float>> parts) {
    ContentHash hash;
    for (const auto part : parts)
        hash.add(std::as_bytes(part));
    return hash.digits();
}

}  // namespace lockstep::tensor
