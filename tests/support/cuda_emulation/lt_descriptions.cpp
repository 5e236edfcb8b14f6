// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_emulation/lt_descriptions.h"

#include <algorithm>
#include <cstdlib>
#include <ranges>

namespace cuda_emulation {

namespace {

bool isKnownType(cudaDataType_t type) {
    return type == CUDA_R_32F || type == CUDA_R_16BF;
}

/// Row order, batches and the like are not used by the module; whoever begins to must teach them
/// here.
bool isPlain(const Layout& layout) {
    return layout.attributes.all().empty() && isKnownType(layout.type);
}

bool makesSense(const Layout& layout) {
    return layout.rows > 0 && layout.columns > 0 &&
           layout.lead >= static_cast<std::int64_t>(layout.rows);
}

Plain plainOf(const Layout& layout) {
    return {layout.type, layout.rows, layout.columns, static_cast<std::size_t>(layout.lead)};
}

/// The combinations of cublasLtMatmul()'s table that the two types allow.
bool hasTypes(const Description& description, const Product& p) {
    if (description.scale != CUDA_R_32F || p.a.type != p.b.type || p.c.type != p.d.type)
        return false;
    const bool singleOnly = p.a.type == CUDA_R_32F && p.d.type == CUDA_R_32F;
    if (description.compute == CUBLAS_COMPUTE_32F_FAST_TF32) return singleOnly;
    return description.compute == CUBLAS_COMPUTE_32F && (singleOnly || p.a.type == CUDA_R_16BF);
}

/// CUDA_EMULATION_WITHOUT_EPILOGUES: a mask of those that this device has no algorithm for.
bool isWithheld(cublasLtEpilogue_t epilogue) {
    const char* without = std::getenv("CUDA_EMULATION_WITHOUT_EPILOGUES");
    if (without == nullptr || epilogue == CUBLASLT_EPILOGUE_DEFAULT) return false;
    return (std::strtoul(without, nullptr, 0) & epilogue) != 0;
}

bool isKnownEpilogue(cublasLtEpilogue_t epilogue) {
    static constexpr cublasLtEpilogue_t kKnown[] = {
        CUBLASLT_EPILOGUE_DEFAULT,   CUBLASLT_EPILOGUE_RELU,   CUBLASLT_EPILOGUE_BIAS,
        CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB};
    return std::ranges::find(kKnown, epilogue) != std::end(kKnown);
}

bool isKnownAttribute(int attribute) {
    static constexpr int kKnown[] = {CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB,
                                     CUBLASLT_MATMUL_DESC_EPILOGUE,
                                     CUBLASLT_MATMUL_DESC_BIAS_POINTER};
    return std::ranges::find(kKnown, attribute) != std::end(kKnown);
}

/// False: an attribute has another size than its type.
bool readAttributes(const Attributes& attributes, Product& p) {
    const auto a = attributes.get<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N);
    const auto b = attributes.get<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    const auto epilogue =
        attributes.get<std::uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
    const auto bias = attributes.get<void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
    if (!a || !b || !epilogue || !bias) return false;
    p.transposeA = *a != CUBLAS_OP_N;
    p.transposeB = *b != CUBLAS_OP_N;
    p.epilogue = static_cast<cublasLtEpilogue_t>(*epilogue);
    p.bias = *bias;
    return true;
}

/// False: the sizes do not fit each other.
bool readSizes(Product& p) {
    p.m = p.transposeA ? p.a.columns : p.a.rows;
    p.k = p.transposeA ? p.a.rows : p.a.columns;
    p.n = p.transposeB ? p.b.rows : p.b.columns;
    const auto isResult = [&](const Plain& one) { return one.rows == p.m && one.columns == p.n; };
    return (p.transposeB ? p.b.columns : p.b.rows) == p.k && isResult(p.c) && isResult(p.d);
}

}  // namespace

std::size_t Plain::bytes() const {
    return ((columns - 1) * lead + rows) * (type == CUDA_R_16BF ? 2 : 4);
}

Understood understand(const Description& description, const Layout& a, const Layout& b,
                      const Layout& c, const Layout& d) {
    Product p{.a = plainOf(a), .b = plainOf(b), .c = plainOf(c), .d = plainOf(d)};
    const auto refused = [&](cublasStatus_t status) { return Understood{status, p}; };
    for (const Layout* one : {&a, &b, &c, &d}) {
        if (!makesSense(*one)) return refused(CUBLAS_STATUS_INVALID_VALUE);
        if (!isPlain(*one)) return refused(CUBLAS_STATUS_NOT_SUPPORTED);
    }
    for (const int attribute : std::views::keys(description.attributes.all()))
        if (!isKnownAttribute(attribute)) return refused(CUBLAS_STATUS_NOT_SUPPORTED);
    if (!readAttributes(description.attributes, p) || !readSizes(p))
        return refused(CUBLAS_STATUS_INVALID_VALUE);
    if (!hasTypes(description, p) || !isKnownEpilogue(p.epilogue) || isWithheld(p.epilogue))
        return refused(CUBLAS_STATUS_NOT_SUPPORTED);
    p.tf32 = description.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    return {CUBLAS_STATUS_SUCCESS, p};
}

}  // namespace cuda_emulation
