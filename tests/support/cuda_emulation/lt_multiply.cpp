// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/support/cuda_emulation/lt_descriptions.h"

namespace cuda_emulation {

namespace {

using BFloat = __nv_bfloat16;

float valueAt(const void* data, cudaDataType_t type, std::size_t place) {
    return type == CUDA_R_16BF ? __bfloat162float(static_cast<const BFloat*>(data)[place])
                               : static_cast<const float*>(data)[place];
}

void setValue(void* data, cudaDataType_t type, std::size_t place, float value) {
    if (type == CUDA_R_16BF)
        static_cast<BFloat*>(data)[place] = __float2bfloat16(value);
    else
        static_cast<float*>(data)[place] = value;
}

/// To the 10 bits of tf32's fraction: to the nearest, or with CUDA_EMULATION_TF32=truncated towards
/// zero. Which of them a device does is not documented.
float roundedToTf32(float value) {
    static const bool truncated = std::getenv("CUDA_EMULATION_TF32") != nullptr;
    auto bits = std::bit_cast<std::uint32_t>(value);
    if (!std::isfinite(value)) return value;
    if (!truncated) bits += 0xFFFU + (bits >> 13 & 1U);
    return std::bit_cast<float>(bits & 0xFFFFE000U);
}

/// op(matrix) as float32, rows × columns, columns one after the other.
std::vector<float> packed(const Plain& matrix, bool transpose, const void* data) {
    const std::size_t rows = transpose ? matrix.columns : matrix.rows;
    std::vector<float> values(matrix.rows * matrix.columns);
    for (std::size_t j = 0; j < matrix.columns; ++j)
        for (std::size_t i = 0; i < matrix.rows; ++i)
            values[transpose ? j + i * rows : i + j * rows] =
                valueAt(data, matrix.type, i + j * matrix.lead);
    return values;
}

#if defined(__x86_64__)
#define LS_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define LS_WIDE
#endif

/// sum += a b for four steps of k, one after the other: less memory to go through than by one.
LS_WIDE void addFourSteps(std::size_t rows, const float* a, std::array<float, 4> b, float* sum) {
    for (std::size_t i = 0; i < rows; ++i) {
        float one = sum[i];
        one += a[i] * b[0];
        one += a[i + rows] * b[1];
        one += a[i + 2 * rows] * b[2];
        one += a[i + 3 * rows] * b[3];
        sum[i] = one;
    }
}

void addStep(std::size_t rows, const float* a, float b, float* sum) {
    for (std::size_t i = 0; i < rows; ++i)
        sum[i] += a[i] * b;
}

void addProduct(const Product& p, const float* a, const float* b, float* sums) {
    std::size_t k = 0;
    for (; k + 4 <= p.k; k += 4)
        for (std::size_t j = 0; j < p.n; ++j) {
            const float* factors = b + k + j * p.k;
            addFourSteps(p.m, a + k * p.m, {factors[0], factors[1], factors[2], factors[3]},
                         sums + j * p.m);
        }
    for (; k < p.k; ++k)
        for (std::size_t j = 0; j < p.n; ++j)
            addStep(p.m, a + k * p.m, b[k + j * p.k], sums + j * p.m);
}

/// The documentation says max(x, 0), and not what becomes of NaN; CUDA_EMULATION_RELU_DROPS_NAN=1
/// takes the other answer.
float relu(float value) {
    static const bool dropsNan = std::getenv("CUDA_EMULATION_RELU_DROPS_NAN") != nullptr;
    if (std::isnan(value) && dropsNan) return 0;
    return value < 0 ? 0 : value;
}

/// One element through the epilogue, in the documented order: bias, then the pointwise function.
float finished(const Product& p, std::size_t i, float value) {
    if ((p.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) value += valueAt(p.bias, p.d.type, i);
    return (p.epilogue & CUBLASLT_EPILOGUE_RELU) != 0 ? relu(value) : value;
}

/// Sums over k of op(a) (for each row of d) or op(b) (for each column).
void storeFactorSums(const Product& p, const std::vector<float>& a, const std::vector<float>& b) {
    const bool ofA = p.epilogue == CUBLASLT_EPILOGUE_BGRADA;
    for (std::size_t one = 0; one < p.biasCount(); ++one) {
        float sum = 0;
        for (std::size_t k = 0; k < p.k; ++k)
            sum += ofA ? a[one + k * p.m] : b[k + one * p.k];
        setValue(p.bias, p.d.type, one, sum);
    }
}

}  // namespace

void multiply(const Product& p, float alpha, const void* a, const void* b, float beta,
              const void* c, void* d) {
    std::vector<float> left = packed(p.a, p.transposeA, a);
    std::vector<float> right = packed(p.b, p.transposeB, b);
    if (p.tf32)
        for (auto* factor : {&left, &right})
            std::ranges::transform(*factor, factor->begin(), roundedToTf32);
    std::vector<float> sums(p.m * p.n);
    addProduct(p, left.data(), right.data(), sums.data());
    for (std::size_t j = 0; j < p.n; ++j)
        for (std::size_t i = 0; i < p.m; ++i) {
            float& value = sums[i + j * p.m];
            value *= alpha;
            if (beta != 0) value += beta * valueAt(c, p.c.type, i + j * p.c.lead);
            value = finished(p, i, value);
            setValue(d, p.d.type, i + j * p.d.lead, value);
        }
    if (p.epilogue == CUBLASLT_EPILOGUE_BGRADA || p.epilogue == CUBLASLT_EPILOGUE_BGRADB)
        storeFactorSums(p, left, right);
}

}  // namespace cuda_emulation
