// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/lt_products.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "core/base/check.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/memory.h"

namespace lockstep::tensor::cuda {

namespace {

/// What NVIDIA advises for Hopper; older GPUs need less.
constexpr std::size_t kWorkspace = std::size_t{32} << 20;
/// Tensors begin at multiples of 16 elements: 64 bytes in float32, 32 in bfloat16.
constexpr std::uint32_t kAlignment = 32;

struct Closer {
    void operator()(cublasLtHandle_t handle) const { cublasLtDestroy(handle); }
    void operator()(cublasLtMatmulDesc_t desc) const { cublasLtMatmulDescDestroy(desc); }
    void operator()(cublasLtMatrixLayout_t layout) const { cublasLtMatrixLayoutDestroy(layout); }
    void operator()(cublasLtMatmulPreference_t one) const { cublasLtMatmulPreferenceDestroy(one); }
};
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Closer>;

struct Plan {
    Owned<cublasLtMatmulDesc_t> desc;
    Owned<cublasLtMatrixLayout_t> a;
    Owned<cublasLtMatrixLayout_t> b;
    Owned<cublasLtMatrixLayout_t> c;
    std::optional<cublasLtMatmulAlgo_t> algorithm;
};

cudaDataType_t typeOf(Element element) {
    return element == Element::BFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

cudaDataType_t factorType(const ProductKey& key) {
    return key.precision == Precision::BFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

cublasComputeType_t computeType(const ProductKey& key) {
    return key.precision == Precision::Tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

cublasLtEpilogue_t epilogueOf(Epilogue epilogue) {
    switch (epilogue) {
        case Epilogue::None:
            return CUBLASLT_EPILOGUE_DEFAULT;
        case Epilogue::Bias:
            return CUBLASLT_EPILOGUE_BIAS;
        case Epilogue::ReluBias:
            return CUBLASLT_EPILOGUE_RELU_BIAS;
        case Epilogue::ReluBiasMask:
            return CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
        case Epilogue::MaskedGradient:
            return CUBLASLT_EPILOGUE_DRELU;
        case Epilogue::BiasGradient:
            return CUBLASLT_EPILOGUE_BGRADB;
    }
    return CUBLASLT_EPILOGUE_DEFAULT;
}

template <typename T>
cublasStatus_t set(const Plan& plan, cublasLtMatmulDescAttributes_t attribute, const T& value) {
    return cublasLtMatmulDescSetAttribute(plan.desc.get(), attribute, &value, sizeof value);
}

Result<Owned<cublasLtMatrixLayout_t>> layoutOf(cudaDataType_t type, std::size_t rows,
                                               std::size_t columns, std::size_t lead) {
    cublasLtMatrixLayout_t layout = nullptr;
    auto made = check(
        cublasLtMatrixLayoutCreate(&layout, type, rows, columns, static_cast<std::int64_t>(lead)),
        "describing a matrix");
    if (!made) return fail(std::move(made).error());
    return Owned<cublasLtMatrixLayout_t>(layout);
}

class LtProductsOnDevice final : public LtProducts {
public:
    [[nodiscard]] Result<void> open();
    [[nodiscard]] Result<bool> plan(const ProductKey& key) override;
    [[nodiscard]] Result<void> run(cudaStream_t stream, const ProductKey& key,
                                   const ProductArrays& arrays) override;

private:
    [[nodiscard]] static Result<Plan> describe(const ProductKey& key);
    [[nodiscard]] Result<void> choose(Plan& plan);

    Owned<cublasLtHandle_t> handle_;
    Buffer workspace_;
    std::map<ProductKey, Plan> plans_;
};

Result<void> LtProductsOnDevice::open() {
    cublasLtHandle_t handle = nullptr;
    if (auto made = check(cublasLtCreate(&handle), "starting"); !made) return made;
    handle_.reset(handle);
    auto workspace = deviceMemory(kWorkspace);
    if (!workspace) return fail(std::move(workspace).error());
    workspace_ = std::move(*workspace);
    return {};
}

Result<Plan> LtProductsOnDevice::describe(const ProductKey& key) {
    const ColumnProduct shape = columnProductOf(key);
    Plan plan;
    cublasLtMatmulDesc_t desc = nullptr;
    auto made = check(cublasLtMatmulDescCreate(&desc, computeType(key), CUDA_R_32F),
                      "describing a product");
    if (!made) return fail(std::move(made).error());
    plan.desc.reset(desc);
    const cublasOperation_t a = shape.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t b = shape.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N;
    for (const cublasStatus_t status :
         {set(plan, CUBLASLT_MATMUL_DESC_TRANSA, a), set(plan, CUBLASLT_MATMUL_DESC_TRANSB, b),
          set(plan, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(key.epilogue))})
        if (auto done = check(status, "describing a product"); !done)
            return fail(std::move(done).error());
    if (key.epilogue == Epilogue::ReluBiasMask || key.epilogue == Epilogue::MaskedGradient) {
        const auto lead = static_cast<std::int64_t>(maskLead(shape.m));
        if (auto done =
                check(set(plan, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, lead), "describing a mask");
            !done)
            return fail(std::move(done).error());
    }
    auto layoutA = layoutOf(factorType(key), shape.transposeA ? shape.k : shape.m,
                            shape.transposeA ? shape.m : shape.k, shape.leadA);
    auto layoutB = layoutOf(factorType(key), shape.transposeB ? shape.n : shape.k,
                            shape.transposeB ? shape.k : shape.n, shape.leadB);
    auto layoutC = layoutOf(typeOf(key.result), shape.m, shape.n, shape.leadC);
    for (const auto* layout : {&layoutA, &layoutB, &layoutC})
        if (!*layout) return fail(layout->error());
    plan.a = std::move(*layoutA);
    plan.b = std::move(*layoutB);
    plan.c = std::move(*layoutC);
    return plan;
}

Result<void> LtProductsOnDevice::choose(Plan& plan) {
    cublasLtMatmulPreference_t made = nullptr;
    if (auto done = check(cublasLtMatmulPreferenceCreate(&made), "choosing an algorithm"); !done)
        return done;
    const Owned<cublasLtMatmulPreference_t> preference(made);
    const std::uint64_t bytes = kWorkspace;
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
        return cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value,
                                                    sizeof value);
    };
    for (const cublasStatus_t status :
         {prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, bytes),
          prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, kAlignment),
          prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, kAlignment),
          prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, kAlignment),
          prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, kAlignment)})
        if (auto done = check(status, "choosing an algorithm"); !done) return done;
    // Some versions look at the pointers, too; run() sets those that are meant.
    const void* somewhere = workspace_.data();
    for (const cublasStatus_t status :
         {set(plan, CUBLASLT_MATMUL_DESC_BIAS_POINTER, somewhere),
          set(plan, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, somewhere)})
        if (auto done = check(status, "choosing an algorithm"); !done) return done;
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle_.get(), plan.desc.get(), plan.a.get(), plan.b.get(), plan.c.get(), plan.c.get(),
        preference.get(), 1, &best, &found);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return {};
    if (auto done = check(status, "choosing an algorithm"); !done) return done;
    if (found > 0 && best.state == CUBLAS_STATUS_SUCCESS) plan.algorithm = best.algo;
    return {};
}

Result<bool> LtProductsOnDevice::plan(const ProductKey& key) {
    const auto known = plans_.find(key);
    if (known != plans_.end()) return known->second.algorithm.has_value();
    auto plan = describe(key);
    if (!plan) return fail(std::move(plan).error());
    if (auto chosen = choose(*plan); !chosen) return fail(std::move(chosen).error());
    const bool possible = plan->algorithm.has_value();
    plans_.emplace(key, std::move(*plan));
    return possible;
}

Result<void> LtProductsOnDevice::run(cudaStream_t stream, const ProductKey& key,
                                     const ProductArrays& arrays) {
    const auto found = plans_.find(key);
    LS_CHECK(found != plans_.end() && found->second.algorithm, "a product is planned, then run");
    const Plan& plan = found->second;
    const void* bias = key.epilogue == Epilogue::BiasGradient ? arrays.biasGradient : arrays.bias;
    if (bias != nullptr)
        if (auto done = check(set(plan, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias), "setting a bias");
            !done)
            return done;
    if (arrays.mask != nullptr)
        if (auto done = check(set(plan, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, arrays.mask),
                              "setting a mask");
            !done)
            return done;
    const float one = 1;
    const float zero = 0;
    return check(
        cublasLtMatmul(handle_.get(), plan.desc.get(), &one, arrays.a, plan.a.get(), arrays.b,
                       plan.b.get(), &zero, arrays.c, plan.c.get(), arrays.c, plan.c.get(),
                       &*plan.algorithm, workspace_.data(), workspace_.bytes(), stream),
        "multiplying matrices");
}

}  // namespace

Result<std::unique_ptr<LtProducts>> LtProducts::make() {
    auto products = std::make_unique<LtProductsOnDevice>();
    if (auto opened = products->open(); !opened) return fail(std::move(opened).error());
    return products;
}

}  // namespace lockstep::tensor::cuda
