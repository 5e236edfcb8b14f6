// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "core/base/result.h"
#include "core/tensor/buffer.h"
#include "core/tensor/cuda/product.h"

namespace lockstep::tensor::cuda {

/// Operands of one product; which are used depends on its epilogue.
struct ProductArrays {
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    const void* bias = nullptr;    ///< Bias, ReluBias: as long as c's columns.
    void* biasGradient = nullptr;  ///< BiasGradient: float32.
    bool adds = false;             ///< To what c holds; without epilogue.
};

/// Products by cuBLASLt. The algorithm of each shape is chosen once, by cuBLASLt's heuristics for
/// the workspace that all share; so one stream at a time.
class LtProducts {
public:
    /// On the current device.
    [[nodiscard]] static Result<std::unique_ptr<LtProducts>> make();
    virtual ~LtProducts() = default;

    /// Chooses the algorithm; false: cuBLASLt has none for this shape and epilogue (the caller
    /// takes Epilogue::None and kernels of its own). Must come before run().
    [[nodiscard]] virtual Result<bool> plan(const ProductKey& key) = 0;
    [[nodiscard]] virtual Result<void> run(cudaStream_t stream, const ProductKey& key,
                                           const ProductArrays& arrays) = 0;
    /// Seconds of the product alone by the fastest of cuBLASLt's algorithms for it, on memory of
    /// its own: what a step is measured against. Waits.
    [[nodiscard]] virtual Result<double> bestSeconds(const ProductKey& key) = 0;
};

}  // namespace lockstep::tensor::cuda
