// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/buffer.h"
#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/lt_products.h"
#include "core/tensor/step_engine.h"

namespace lockstep::tensor::cuda {

/// The flat buffers on the device.
struct FlatArrays {
    float* parameters = nullptr;
    BFloat* shadow = nullptr;  ///< The parameters in bfloat16, for that precision.
    float* gradients = nullptr;
};

/// The per-sample results of a batch.
struct RowResults {
    std::int32_t* labels = nullptr;
    double* loss = nullptr;
    std::uint8_t* hit = nullptr;
};

/// A stack of dense layers on the current device: memory for batches of up to `mostRows` samples
/// and, for each number of rows, the products with what can be fused to them. Everything is
/// enqueued on the caller's stream, one stream at a time.
class DenseNetwork {
public:
    [[nodiscard]] static Result<std::unique_ptr<DenseNetwork>> make(const EngineProgram& program,
                                                                    const FlatArrays& arrays,
                                                                    std::uint32_t mostRows);

    /// Chooses the products for batches of `rows`; must come before them, and not while a graph is
    /// captured.
    [[nodiscard]] Result<void> prepare(std::uint32_t rows);

    [[nodiscard]] bool half() const { return program_.precision == Precision::BFloat16; }
    [[nodiscard]] std::uint32_t mostRows() const { return mostRows_; }
    [[nodiscard]] const RowResults& results() const { return results_; }

    /// Samples from place `first` of `source`, or those of the step at the cursor of `state`.
    void gather(cudaStream_t stream, const GatherSource& source, std::uint32_t first,
                std::uint32_t rows, const StepState* state);
    [[nodiscard]] Result<void> forward(cudaStream_t stream, std::uint32_t rows);
    /// After forward(); with `wantGradient` it prepares backward().
    void loss(cudaStream_t stream, std::uint32_t rows, bool wantGradient, float scale,
              const StepState* state);
    /// `onLayerDone(i)` runs when layer i's gradients are enqueued, the last layer first.
    [[nodiscard]] Result<void> backward(
        cudaStream_t stream, std::uint32_t rows,
        const std::function<Result<void>(std::size_t)>& onLayerDone);

    /// "6 of 8 epilogues fused", over all products prepared so far.
    [[nodiscard]] std::string fusion() const;
    /// Multiplications and additions of a step of `rows` samples.
    [[nodiscard]] double operations(std::uint32_t rows) const;

private:
    struct LayerPlan {
        ProductKey forward;
        ProductKey weightGradient;
        ProductKey inputGradient;
        bool masked = false;  ///< Forward keeps the mask that the layer above multiplies with.
    };

    DenseNetwork(const EngineProgram& program, const FlatArrays& arrays, std::uint32_t mostRows)
        : program_(program), arrays_(arrays), mostRows_(mostRows) {}
    [[nodiscard]] Result<void> allocate();
    [[nodiscard]] ProductKey key(Product product, std::size_t layer, std::uint32_t rows,
                                 Epilogue epilogue) const;
    [[nodiscard]] Result<ProductKey> best(Product product, std::size_t layer, std::uint32_t rows,
                                          std::initializer_list<Epilogue> wanted);
    [[nodiscard]] bool last(std::size_t layer) const { return layer + 1 == program_.layers.size(); }
    [[nodiscard]] const void* weight(std::size_t layer) const;
    [[nodiscard]] void* input(std::size_t layer) const;
    void* delta(std::size_t layer) const;
    [[nodiscard]] Result<void> forwardLayer(cudaStream_t stream, const LayerPlan& plan,
                                            std::size_t layer, std::uint32_t rows);
    [[nodiscard]] Result<void> weightGradient(cudaStream_t stream, const LayerPlan& plan,
                                              std::size_t layer, std::uint32_t rows);
    [[nodiscard]] Result<void> inputGradient(cudaStream_t stream, const LayerPlan& plan,
                                             std::size_t layer, std::uint32_t rows);

    EngineProgram program_;
    FlatArrays arrays_;
    std::uint32_t mostRows_;
    std::unique_ptr<LtProducts> products_;
    std::map<std::uint32_t, std::vector<LayerPlan>> plans_;
    Buffer x_;
    std::vector<Buffer> outputs_;  ///< One a layer; the last in float32.
    std::vector<Buffer> masks_;    ///< Of inner layers with ReLU.
    std::vector<Buffer> deltas_;   ///< Gradient of each layer's output.
    Buffer labels_;
    Buffer rowLoss_;
    Buffer rowHit_;
    RowResults results_;
    int fused_ = 0;
    int fusable_ = 0;
};

}  // namespace lockstep::tensor::cuda
