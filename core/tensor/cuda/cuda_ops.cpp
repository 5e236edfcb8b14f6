// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/cuda_ops.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/tensor/cuda/cuda_device.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/kernels.h"

namespace lockstep::tensor::cuda {

namespace {

/// Every stream of a CUDA device is one of ours.
CudaStream& entered(Stream& stream) {
    auto& ours = static_cast<CudaStream&>(stream);
    ours.enter();
    return ours;
}

LossShape shapeOf(ConstMatrix logits) {
    return {static_cast<std::uint32_t>(logits.rows), static_cast<std::uint32_t>(logits.columns)};
}

UpdateArrays arraysOf(std::span<const float> gradients, std::span<float> parameters,
                      std::span<float> first, std::span<float> second) {
    return {gradients.data(), parameters.data(), first.data(),
            second.data(),    nullptr,           parameters.size()};
}

}  // namespace

void CudaOps::gatherImages(Stream& stream, std::span<const std::uint8_t> images,
                           std::span<const std::uint32_t> indices, Matrix rows) {
    LS_CHECK(indices.size() == rows.rows, "an index for each row is needed");
    const GatherSource source{images.data(), nullptr, indices.data(),
                              static_cast<std::uint32_t>(rows.columns)};
    launchGather<float>(entered(stream).native(), source, 0, static_cast<std::uint32_t>(rows.rows),
                        rows.data, nullptr);
}

void CudaOps::scaleBytes(Stream& stream, std::span<const std::uint8_t> bytes,
                         std::span<float> values) {
    LS_CHECK(bytes.size() == values.size(), "as many values as bytes are needed");
    // As one image that is gathered; steps on the device gather from the resident data set instead.
    const GatherSource source{bytes.data(), nullptr, nullptr,
                              static_cast<std::uint32_t>(bytes.size())};
    launchGather<float>(entered(stream).native(), source, 0, 1, values.data(), nullptr);
}

void CudaOps::gatherLabels(Stream& stream, std::span<const std::uint8_t> labels,
                           std::span<const std::uint32_t> indices, std::span<std::int32_t> batch) {
    LS_CHECK(indices.size() == batch.size(), "an index for each label is needed");
    const GatherSource source{nullptr, labels.data(), indices.data(), 0};
    launchGather<float>(entered(stream).native(), source, 0,
                        static_cast<std::uint32_t>(batch.size()), nullptr, batch.data());
}

Epilogue CudaOps::multiply(CudaStream& stream, ProductKey key, Epilogue wanted, const void* a,
                           const void* b, void* c, const float* bias, float* biasGradient) const {
    key.precision = precision_ == Precision::Tf32 ? Precision::Tf32 : Precision::Float32;
    for (const Epilogue epilogue : {wanted, Epilogue::None}) {
        key.epilogue = epilogue;
        const auto possible = stream.products().plan(key);
        if (!possible) {
            stream.note(fail(possible.error()));
            return wanted;
        }
        if (!*possible) continue;
        const bool fused = epilogue != Epilogue::None;
        stream.note(stream.products().run(stream.native(), key,
                                          {.a = a,
                                           .b = b,
                                           .c = c,
                                           .bias = fused ? bias : nullptr,
                                           .biasGradient = fused ? biasGradient : nullptr}));
        return epilogue;
    }
    stream.note(
        fail(ErrorCode::Unavailable, fmt::format("cuBLASLt has no algorithm for {} x {} x {}",
                                                 key.batch, key.inputs, key.units)));
    return wanted;
}

void CudaOps::denseForward(Stream& stream, ConstMatrix x, ConstMatrix weight,
                           std::span<const float> bias, Activation activation, Matrix y) {
    LS_CHECK(bias.size() == y.columns, "a bias for each output is needed");
    if (y.empty()) return;
    CudaStream& ours = entered(stream);
    const bool withRelu = activation == Activation::Relu;
    const ProductKey key{
        .product = Product::Forward, .batch = x.rows, .inputs = x.columns, .units = y.columns};
    const Epilogue wanted = withRelu ? Epilogue::ReluBias : Epilogue::Bias;
    const Epilogue used =
        multiply(ours, key, wanted, weight.data, x.data, y.data, bias.data(), nullptr);
    if (used == Epilogue::None)
        launchAddBias<float>(ours.native(), y.data, bias.data(), y.rows, y.columns, withRelu);
}

void CudaOps::denseWeightGradient(Stream& stream, ConstMatrix dy, ConstMatrix x, Matrix dWeight,
                                  std::span<float> dBias) {
    LS_CHECK(dBias.size() == dy.columns, "a bias gradient for each output is needed");
    CudaStream& ours = entered(stream);
    if (dy.rows == 0) {
        launchFill(ours.native(), dWeight.data, 0, dWeight.size());
        launchFill(ours.native(), dBias.data(), 0, dBias.size());
        return;
    }
    const ProductKey key{.product = Product::WeightGradient,
                         .batch = dy.rows,
                         .inputs = x.columns,
                         .units = dy.columns};
    const Epilogue used = multiply(ours, key, Epilogue::BiasGradient, x.data, dy.data, dWeight.data,
                                   nullptr, dBias.data());
    if (used == Epilogue::None)
        launchColumnSums<float>(ours.native(), dy.data, dy.rows, dy.columns, dBias.data());
}

void CudaOps::denseInputGradient(Stream& stream, ConstMatrix dy, ConstMatrix weight, ConstMatrix x,
                                 Activation below, Matrix dx) {
    LS_CHECK(x.rows == dx.rows && x.columns == dx.columns, "dx must be shaped as x");
    if (dx.empty()) return;
    CudaStream& ours = entered(stream);
    const ProductKey key{.product = Product::InputGradient,
                         .batch = dy.rows,
                         .inputs = dx.columns,
                         .units = dy.columns};
    // Without the mask that only a fused forward leaves; the engine has it.
    multiply(ours, key, Epilogue::None, weight.data, dy.data, dx.data, nullptr, nullptr);
    if (below == Activation::Relu)
        launchMaskByRelu<float>(ours.native(), dx.data, x.data, dx.size());
}

void CudaOps::softmaxCrossEntropy(Stream& stream, ConstMatrix logits,
                                  std::span<const std::int32_t> labels, float scale, Matrix dLogits,
                                  LossTotals& totals) {
    LS_CHECK(labels.size() == logits.rows, "a label for each row is needed");
    if (logits.empty()) return;
    CudaStream& ours = entered(stream);
    double* rowLoss = ours.rowLoss(logits.rows);
    if (rowLoss == nullptr) return;
    launchSoftmaxLoss<float>(ours.native(), logits.data, labels.data(), shapeOf(logits), scale,
                             dLogits.empty() ? nullptr : dLogits.data, rowLoss, ours.rowHit(),
                             nullptr);
    launchAddTotals(ours.native(), rowLoss, ours.rowHit(), shapeOf(logits).rows, &totals);
}

void CudaOps::predict(Stream& stream, ConstMatrix logits, std::span<std::int32_t> classes,
                      Matrix probabilities) {
    LS_CHECK(classes.size() == logits.rows && probabilities.size() == logits.size(),
             "a class and its probabilities for each row are needed");
    launchPredict(entered(stream).native(), logits.data, shapeOf(logits), classes.data(),
                  probabilities.data);
}

void CudaOps::sgd(Stream& stream, const SgdSettings& settings, std::span<const float> gradients,
                  std::span<float> parameters, std::span<float> momentumBuffer) {
    LS_CHECK(gradients.size() == parameters.size(), "a gradient for each parameter is needed");
    const UpdateArrays arrays = arraysOf(gradients, parameters, momentumBuffer, {});
    if (settings.momentum == 0.0F)
        launchSgd(entered(stream).native(), settings, arrays);
    else
        launchMomentum(entered(stream).native(), settings, arrays);
}

void CudaOps::adam(Stream& stream, const AdamSettings& settings, std::span<const float> gradients,
                   std::span<float> parameters, std::span<float> firstMoments,
                   std::span<float> secondMoments) {
    LS_CHECK(gradients.size() == parameters.size() && firstMoments.size() == parameters.size() &&
                 secondMoments.size() == parameters.size(),
             "a gradient and two moments for each parameter are needed");
    launchAdam(entered(stream).native(), settings,
               arraysOf(gradients, parameters, firstMoments, secondMoments));
}

void CudaOps::allFinite(Stream& stream, std::span<const float> values, bool& finite) {
    launchAllFinite(entered(stream).native(), values.data(), values.size(), &finite);
}

void CudaOps::copy(Stream& stream, std::span<const float> from, std::span<float> to) {
    LS_CHECK(from.size() == to.size(), "a copy needs as much room as values");
    CudaStream& ours = entered(stream);
    if (from.empty()) return;
    ours.note(check(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyDefault,
                                    ours.native()),
                    "copying"));
}

void CudaOps::fill(Stream& stream, std::span<float> values, float value) {
    launchFill(entered(stream).native(), values.data(), value, values.size());
}

Result<std::string> CudaOps::stateHash(Stream& stream,
                                       std::span<const std::span<const float>> parts) {
    CudaStream& ours = entered(stream);
    ContentHash hash;
    for (const auto part : parts) {
        if (part.empty()) continue;
        std::vector<float> here(part.size());
        ours.note(check(cudaMemcpyAsync(here.data(), part.data(), part.size_bytes(),
                                        cudaMemcpyDefault, ours.native()),
                        "giving its state"));
        TRY(ours.synchronize());
        hash.add(std::as_bytes(std::span(here)));
    }
    return hash.digits();
}

}  // namespace lockstep::tensor::cuda
