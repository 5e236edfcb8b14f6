// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/cuda/product.h"
#include "core/tensor/ops.h"

namespace lockstep::tensor::cuda {

class CudaStream;

/// The operations enqueued on a CudaStream. Has no state but the choice of precision, so any number
/// of threads may use one. What a kernel of ours computes has the CPU's order of operations; sums
/// of products are cuBLASLt's.
class CudaOps final : public Ops {
public:
    explicit CudaOps(Precision precision) : precision_(precision) {}

    void gatherImages(Stream& stream, std::span<const std::uint8_t> images,
                      std::span<const std::uint32_t> indices, Matrix rows) override;
    void scaleBytes(Stream& stream, std::span<const std::uint8_t> bytes,
                    std::span<float> values) override;
    void gatherLabels(Stream& stream, std::span<const std::uint8_t> labels,
                      std::span<const std::uint32_t> indices,
                      std::span<std::int32_t> batch) override;
    void denseForward(Stream& stream, ConstMatrix x, ConstMatrix weight,
                      std::span<const float> bias, Activation activation, Matrix y) override;
    void denseWeightGradient(Stream& stream, ConstMatrix dy, ConstMatrix x, Matrix dWeight,
                             std::span<float> dBias) override;
    void denseInputGradient(Stream& stream, ConstMatrix dy, ConstMatrix weight, ConstMatrix x,
                            Activation below, Matrix dx) override;
    void softmaxCrossEntropy(Stream& stream, ConstMatrix logits,
                             std::span<const std::int32_t> labels, float scale, Matrix dLogits,
                             LossTotals& totals) override;
    void predict(Stream& stream, ConstMatrix logits, std::span<std::int32_t> classes,
                 Matrix probabilities) override;
    void sgd(Stream& stream, const SgdSettings& settings, std::span<const float> gradients,
             std::span<float> parameters, std::span<float> momentumBuffer) override;
    void adam(Stream& stream, const AdamSettings& settings, std::span<const float> gradients,
              std::span<float> parameters, std::span<float> firstMoments,
              std::span<float> secondMoments) override;
    void allFinite(Stream& stream, std::span<const float> values, bool& finite) override;
    void copy(Stream& stream, std::span<const float> from, std::span<float> to) override;
    void fill(Stream& stream, std::span<float> values, float value) override;
    [[nodiscard]] Result<std::string> stateHash(
        Stream& stream, std::span<const std::span<const float>> parts) override;

private:
    /// The product with `wanted`, or plain; gives which.
    Epilogue multiply(CudaStream& stream, ProductKey key, Epilogue wanted, const void* a,
                      const void* b, void* c, const float* bias, float* biasGradient) const;

    Precision precision_;
};

}  // namespace lockstep::tensor::cuda
