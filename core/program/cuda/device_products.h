// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/base/result.h"
#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/lt_products.h"

namespace lockstep::program {

/// Of y [rows, units] = x [rows, inputs] weightᵀ.
struct ProductSizes {
    std::size_t rows = 0;
    std::size_t inputs = 0;
    std::size_t units = 0;
};

/// The three products of a dense layer in the program's precision. Algorithms are chosen when a
/// size first comes: not while a graph is captured.
class DeviceProducts {
public:
    DeviceProducts(tensor::cuda::LtProducts& products, tensor::Precision precision)
        : products_(products), precision_(precision) {}

    [[nodiscard]] bool isHalf() const { return precision_ == tensor::Precision::BFloat16; }
    /// Bytes of scratch that factor() needs for so many numbers.
    [[nodiscard]] std::size_t factorBytes(std::size_t count) const {
        return isHalf() ? count * 2 : 0;
    }
    /// Number `index` of a factor.
    [[nodiscard]] const void* at(const void* factor, std::size_t index) const {
        const std::size_t size = isHalf() ? sizeof(tensor::cuda::BFloat) : sizeof(float);
        return static_cast<const std::byte*>(factor) + index * size;
    }
    /// The numbers as products read them: as they are, or rounded into `scratch`.
    [[nodiscard]] const void* factor(cudaStream_t stream, const float* values, std::size_t count,
                                     std::byte* scratch) const;

    /// What came along: the bias, with ReLU or without it, or nothing. `bias` may be null.
    [[nodiscard]] Result<tensor::cuda::Epilogue> forward(cudaStream_t stream,
                                                         const ProductSizes& sizes, const void* x,
                                                         const void* weight, const float* bias,
                                                         bool wantsRelu, float* y);
    /// dWeight = dyᵀ x, or added to it; true: `dBias` (may be null) came along.
    [[nodiscard]] Result<bool> weightGradient(cudaStream_t stream, const ProductSizes& sizes,
                                              const void* x, const void* dy, bool adds,
                                              float* dWeight, float* dBias);
    [[nodiscard]] Result<void> inputGradient(cudaStream_t stream, const ProductSizes& sizes,
                                             const void* dy, const void* weight, float* dx);

    /// "6 of 8 epilogues fused", of all sizes so far.
    [[nodiscard]] int fused() const { return fused_; }
    [[nodiscard]] int fusable() const { return fusable_; }

private:
    [[nodiscard]] tensor::cuda::ProductKey keyOf(tensor::cuda::Product product,
                                                 const ProductSizes& sizes,
                                                 tensor::cuda::Epilogue epilogue) const;
    /// With the epilogue if it can be, else without one.
    [[nodiscard]] Result<tensor::cuda::ProductKey> plan(tensor::cuda::Product product,
                                                        const ProductSizes& sizes,
                                                        tensor::cuda::Epilogue wanted);

    tensor::cuda::LtProducts& products_;
    tensor::Precision precision_;
    int fused_ = 0;
    int fusable_ = 0;
    std::map<tensor::cuda::ProductKey, tensor::cuda::ProductKey> plans_;  ///< By what was wanted.
};

}  // namespace lockstep::program
