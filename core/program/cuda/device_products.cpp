// SPDX-License-Identifier: Apache-2.0
#include "core/program/cuda/device_products.h"

#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/base/try.h"

namespace lockstep::program {

using tensor::cuda::BFloat;
using tensor::cuda::Epilogue;
using tensor::cuda::Product;
using tensor::cuda::ProductArrays;
using tensor::cuda::ProductKey;

const void* DeviceProducts::factor(cudaStream_t stream, const float* values, std::size_t count,
                                   std::byte* scratch) const {
    if (!isHalf()) return values;
    // NOLINTNEXTLINE(bugprone-casting-through-void): scratch is memory without a type.
    auto* rounded = static_cast<BFloat*>(static_cast<void*>(scratch));
    tensor::cuda::launchToBFloat16(stream, values, rounded, count);
    return rounded;
}

ProductKey DeviceProducts::keyOf(Product product, const ProductSizes& sizes,
                                 Epilogue epilogue) const {
    return {.product = product,
            .batch = sizes.rows,
            .inputs = sizes.inputs,
            .units = sizes.units,
            .epilogue = epilogue,
            .precision = precision_};
}

Result<ProductKey> DeviceProducts::plan(Product product, const ProductSizes& sizes,
                                        Epilogue wanted) {
    const ProductKey best = keyOf(product, sizes, wanted);
    if (const auto known = plans_.find(best); known != plans_.end()) return known->second;
    const ProductKey plain = keyOf(product, sizes, Epilogue::None);
    fusable_ += wanted == Epilogue::None ? 0 : 1;
    for (const ProductKey& key : {best, plain}) {
        const bool isPossible = TRY(products_.plan(key));
        if (!isPossible) continue;
        fused_ += key.epilogue == Epilogue::None ? 0 : 1;
        plans_.emplace(best, key);
        return key;
    }
    return fail(ErrorCode::Unavailable,
                fmt::format("cuBLASLt has no algorithm for a product of {} and {} with {}",
                            counted(sizes.inputs, "input"), counted(sizes.units, "unit"),
                            counted(sizes.rows, "row")));
}

Result<Epilogue> DeviceProducts::forward(cudaStream_t stream, const ProductSizes& sizes,
                                         const void* x, const void* weight, const float* bias,
                                         bool wantsRelu, float* y) {
    const Epilogue wanted = bias == nullptr ? Epilogue::None
                            : wantsRelu     ? Epilogue::ReluBias
                                            : Epilogue::Bias;
    const ProductKey key = TRY(plan(Product::Forward, sizes, wanted));
    ProductArrays arrays{.a = weight, .b = x, .c = y};
    if (key.epilogue != Epilogue::None) arrays.bias = bias;
    TRY(products_.run(stream, key, arrays));
    return key.epilogue;
}

/// In bfloat16 the bias's gradient would be the sum of rounded numbers: it is left to a kernel.
Result<bool> DeviceProducts::weightGradient(cudaStream_t stream, const ProductSizes& sizes,
                                            const void* x, const void* dy, bool adds,
                                            float* dWeight, float* dBias) {
    const bool wantsBias = dBias != nullptr && !adds && !isHalf();
    const ProductKey key = TRY(
        plan(Product::WeightGradient, sizes, wantsBias ? Epilogue::BiasGradient : Epilogue::None));
    ProductArrays arrays{.a = x, .b = dy, .c = dWeight, .adds = adds};
    const bool isFused = key.epilogue == Epilogue::BiasGradient;
    if (isFused) arrays.biasGradient = dBias;
    TRY(products_.run(stream, key, arrays));
    return isFused;
}

Result<void> DeviceProducts::inputGradient(cudaStream_t stream, const ProductSizes& sizes,
                                           const void* dy, const void* weight, float* dx) {
    const ProductKey key = TRY(plan(Product::InputGradient, sizes, Epilogue::None));
    return products_.run(stream, key, {.a = weight, .b = dy, .c = dx});
}

}  // namespace lockstep::program
