// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/lt_products.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/base/check.h"
#include "core/base/try.h"
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
        case Epilogue::BiasGradient:
            return CUBLASLT_EPILOGUE_BGRADB;
    }
    return CUBLASLT_EPILOGUE_DEFAULT;
}

template <typename T>
cublasStatus_t set(const Plan& plan, cublasLtMatmulDescAttributes_t attribute, const T& value) {
    return cublasLtMatmulDescSetAttribute(plan.desc.get(), attribute,
                                          static_cast<const void*>(&value), sizeof value);
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
    [[nodiscard]] Result<double> bestSeconds(const ProductKey& key) override;

private:
    [[nodiscard]] static Result<Plan> describe(const ProductKey& key);
    using Candidates = std::vector<cublasLtMatmulHeuristicResult_t>;
    [[nodiscard]] Result<void> setPlaceholders(const Plan& plan, Epilogue epilogue) const;
    [[nodiscard]] Result<Candidates> candidates(const Plan& plan, Epilogue epilogue, int most);
    [[nodiscard]] Result<double> secondsOf(const Plan& plan, const cublasLtMatmulAlgo_t& algorithm,
                                           const ProductArrays& arrays);
    [[nodiscard]] Result<void> multiply(cudaStream_t stream, const Plan& plan,
                                        const cublasLtMatmulAlgo_t& algorithm,
                                        const ProductArrays& arrays);

    Owned<cublasLtHandle_t> handle_;
    Buffer workspace_;
    std::map<ProductKey, Plan> plans_;
};

Result<void> LtProductsOnDevice::open() {
    cublasLtHandle_t handle = nullptr;
    TRY(check(cublasLtCreate(&handle), "starting"));
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
    auto layoutA = layoutOf(factorType(key), shape.transposeA ? shape.k : shape.m,
                            shape.transposeA ? shape.m : shape.k, shape.leadA);
    auto layoutB = layoutOf(factorType(key), shape.transposeB ? shape.n : shape.k,
                            shape.transposeB ? shape.k : shape.n, shape.leadB);
    auto layoutC = layoutOf(CUDA_R_32F, shape.m, shape.n, shape.leadC);
    for (const auto* layout : {&layoutA, &layoutB, &layoutC})
        if (!*layout) return fail(layout->error());
    plan.a = std::move(*layoutA);
    plan.b = std::move(*layoutB);
    plan.c = std::move(*layoutC);
    return plan;
}

/// The heuristics read from these pointers how operands of the epilogue are aligned; run() sets
/// those that are meant.
Result<void> LtProductsOnDevice::setPlaceholders(const Plan& plan, Epilogue epilogue) const {
    const auto* begin = static_cast<const std::byte*>(workspace_.data());
    if (!hasBias(epilogue)) return {};
    const void* bias = begin + kAlignment;
    return check(set(plan, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias), "describing a bias");
}

/// By cuBLASLt's heuristics, the best guess first; none: it cannot.
Result<LtProductsOnDevice::Candidates> LtProductsOnDevice::candidates(const Plan& plan,
                                                                      Epilogue epilogue, int most) {
    cublasLtMatmulPreference_t made = nullptr;
    if (auto done = check(cublasLtMatmulPreferenceCreate(&made), "choosing an algorithm"); !done)
        return fail(std::move(done).error());
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
        if (auto done = check(status, "choosing an algorithm"); !done)
            return fail(std::move(done).error());
    if (auto done = setPlaceholders(plan, epilogue); !done) return fail(std::move(done).error());
    Candidates found(static_cast<std::size_t>(most));
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle_.get(), plan.desc.get(), plan.a.get(), plan.b.get(), plan.c.get(), plan.c.get(),
        preference.get(), most, found.data(), &count);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE)
        return Candidates{};
    if (auto done = check(status, "choosing an algorithm"); !done)
        return fail(std::move(done).error());
    found.resize(static_cast<std::size_t>(count));
    std::erase_if(found, [](const auto& one) { return one.state != CUBLAS_STATUS_SUCCESS; });
    return found;
}

Result<bool> LtProductsOnDevice::plan(const ProductKey& key) {
    const auto known = plans_.find(key);
    if (known != plans_.end()) return known->second.algorithm.has_value();
    auto plan = describe(key);
    if (!plan) return fail(std::move(plan).error());
    const auto chosen = TRY(candidates(*plan, key.epilogue, 1));
    if (!chosen.empty()) plan->algorithm = chosen.front().algo;
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
        TRY(check(set(plan, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias), "setting a bias"));
    return multiply(stream, plan, *plan.algorithm, arrays);
}

Result<void> LtProductsOnDevice::multiply(cudaStream_t stream, const Plan& plan,
                                          const cublasLtMatmulAlgo_t& algorithm,
                                          const ProductArrays& arrays) {
    const float one = 1;
    const float share = arrays.adds ? 1 : 0;  // of what is there
    return check(
        cublasLtMatmul(handle_.get(), plan.desc.get(), &one, arrays.a, plan.a.get(), arrays.b,
                       plan.b.get(), &share, arrays.c, plan.c.get(), arrays.c, plan.c.get(),
                       &algorithm, workspace_.data(), workspace_.bytes(), stream),
        "multiplying matrices");
}

/// On the default stream; the first runs load the kernel.
Result<double> LtProductsOnDevice::secondsOf(const Plan& plan,
                                             const cublasLtMatmulAlgo_t& algorithm,
                                             const ProductArrays& arrays) {
    constexpr int kRuns = 20;
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    auto done = check(cudaEventCreate(&begin), "making an event");
    const EventHandle ownBegin(begin);
    if (done) done = check(cudaEventCreate(&end), "making an event");
    const EventHandle ownEnd(end);
    for (int run = -3; done && run < kRuns; ++run) {
        if (run == 0) done = check(cudaEventRecord(begin, nullptr), "marking");
        if (done) done = multiply(nullptr, plan, algorithm, arrays);
    }
    if (done) done = check(cudaEventRecord(end, nullptr), "marking");
    if (done) done = check(cudaEventSynchronize(end), "multiplying matrices");
    float milliseconds = 0;
    if (done) done = check(cudaEventElapsedTime(&milliseconds, begin, end), "measuring");
    if (!done) return fail(std::move(done).error());
    return static_cast<double>(milliseconds) * 1e-3 / kRuns;
}

Result<double> LtProductsOnDevice::bestSeconds(const ProductKey& key) {
    constexpr int kMostAlgorithms = 16;
    const auto plan = TRY(describe(key));
    const ColumnProduct shape = columnProductOf(key);
    auto a = deviceMemory(shape.m * shape.k * sizeof(float));
    auto b = deviceMemory(shape.k * shape.n * sizeof(float));
    auto c = deviceMemory(shape.m * shape.n * sizeof(float));
    for (const auto* one : {&a, &b, &c})
        if (!*one) return fail(one->error());
    const auto all = TRY(candidates(plan, key.epilogue, kMostAlgorithms));
    if (all.empty()) return fail(ErrorCode::Unavailable, "cuBLASLt has no algorithm for a product");
    double best = 0;
    for (const auto& one : all) {
        const auto seconds =
            TRY(secondsOf(plan, one.algo, {.a = a->data(), .b = b->data(), .c = c->data()}));
        if (best == 0 || seconds < best) best = seconds;
    }
    return best;
}

}  // namespace

Result<std::unique_ptr<LtProducts>> LtProducts::make() {
    auto products = std::make_unique<LtProductsOnDevice>();
    if (auto opened = products->open(); !opened) return fail(std::move(opened).error());
    return products;
}

}  // namespace lockstep::tensor::cuda
