// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/gemm.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/check.h"
#include "core/tensor/cpu/one_thread.h"

namespace lockstep::tensor {
namespace {

void sgemm(char transposeA, char transposeB, std::size_t depth, ConstMatrix a, ConstMatrix b,
           Matrix c) {
    if (c.empty()) return;
    if (depth == 0) {
        std::ranges::fill(c.flat(), 0.0F);
        return;
    }
    keepLibraryToThisThread();
    const auto dim = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
    const dnnl_status_t status =
        dnnl_sgemm(transposeA, transposeB, dim(c.rows), dim(c.columns), dim(depth), 1.0F, a.data,
                   dim(a.columns), b.data, dim(b.columns), 0.0F, c.data, dim(c.columns));
    LS_CHECK(status == dnnl_success, "oneDNN refused a matrix product");
}

/// The numbers of rows of which oneDNN sums every row's products in the same order. (How it chooses
/// its kernels is the same from 2.6 to 3.7: nocopy_checker in gemm_driver.cpp.)
struct AlikeRows {
    std::size_t fewest;      ///< Fewer are summed by another kernel.
    std::size_t multipleOf;  ///< Of others the last few are summed otherwise.
    std::size_t most;        ///< Of more, the depth is parted otherwise, or the matrices copied.
};

AlikeRows alikeRows(char transposeB, std::size_t depth, std::size_t columns) {
    // oneDNN is asked, not the processor: DNNL_MAX_CPU_ISA makes it use less than there is.
    constexpr unsigned kAvx512 = dnnl_cpu_isa_avx512_core;
    static const bool kHasAvx512 = (dnnl_get_effective_cpu_isa() & kAvx512) == kAvx512;
    if (!kHasAvx512) return {.fewest = 6, .multipleOf = 6, .most = 48};
    const bool transposed = transposeB == 'T';
    constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
    const bool isNeverCopied = columns <= (transposed ? 100 : 510);
    const bool isAlwaysCopied = transposed && depth % 256 == 0;
    const std::size_t most = isNeverCopied || isAlwaysCopied ? kAny : transposed ? 192 : 96;
    return {.fewest = 16, .multipleOf = 1, .most = most};
}

/// As sgemm with 'N' for a, of `wanted` rows: those that a lacks are zeros.
void sgemmAmongZeros(std::size_t wanted, char transposeB, ConstMatrix a, ConstMatrix b, Matrix c) {
    if (wanted <= c.rows) return sgemm('N', transposeB, a.columns, a, b, c);
    thread_local std::vector<float> rows;
    thread_local std::vector<float> products;
    rows.resize(std::max(rows.size(), wanted * a.columns));
    products.resize(std::max(products.size(), wanted * c.columns));
    std::fill(std::ranges::copy(a.flat(), rows.begin()).out, rows.end(), 0.0F);
    const Matrix padded{products.data(), wanted, c.columns};
    sgemm('N', transposeB, a.columns, ConstMatrix{rows.data(), wanted, a.columns}, b, padded);
    std::ranges::copy(padded.flat().first(c.size()), c.data);
}

/// As sgemm with 'N' for a, but every row of c is what it would be in a larger batch, so that
/// replicas that share a batch out see the activations that one replica would.
void sgemmByRows(char transposeB, ConstMatrix a, ConstMatrix b, Matrix c) {
    if (c.empty()) return;
    const AlikeRows alike = alikeRows(transposeB, a.columns, c.columns);
    for (std::size_t first = 0, rows = 0; first < c.rows; first += rows) {
        rows = std::min(alike.most, c.rows - first);
        const std::size_t blocks = (rows + alike.multipleOf - 1) / alike.multipleOf;
        sgemmAmongZeros(std::max(alike.fewest, blocks * alike.multipleOf), transposeB,
                        {a.data + first * a.columns, rows, a.columns}, b,
                        {c.data + first * c.columns, rows, c.columns});
    }
}

}  // namespace

void multiply(ConstMatrix a, ConstMatrix b, Matrix c) {
    LS_CHECK(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns,
             "shapes of a matrix product do not fit");
    sgemmByRows('N', a, b, c);
}

void multiplyByTransposed(ConstMatrix a, ConstMatrix b, Matrix c) {
    LS_CHECK(a.columns == b.columns && c.rows == a.rows && c.columns == b.rows,
             "shapes of a matrix product do not fit");
    sgemmByRows('T', a, b, c);
}

void multiplyTransposedBy(ConstMatrix a, ConstMatrix b, Matrix c) {
    LS_CHECK(a.rows == b.rows && c.rows == a.columns && c.columns == b.columns,
             "shapes of a matrix product do not fit");
    sgemm('T', 'N', a.rows, a, b, c);
}

void multiplyParts(ConstPart a, ConstPart b, const ProductOptions& options, Part c) {
    const std::size_t depth = options.transposeA ? a.rows : a.columns;
    LS_CHECK(c.rows == (options.transposeA ? a.columns : a.rows) &&
                 c.columns == (options.transposeB ? b.rows : b.columns) &&
                 depth == (options.transposeB ? b.columns : b.rows),
             "shapes of a matrix product do not fit");
    if (c.rows == 0 || c.columns == 0) return;
    keepLibraryToThisThread();
    const auto dim = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
    const dnnl_status_t status =
        dnnl_sgemm(options.transposeA ? 'T' : 'N', options.transposeB ? 'T' : 'N', dim(c.rows),
                   dim(c.columns), dim(depth), options.factor, a.data, dim(a.stride), b.data,
                   dim(b.stride), options.adds ? 1.0F : 0.0F, c.data, dim(c.stride));
    LS_CHECK(status == dnnl_success, "oneDNN refused a matrix product");
}

}  // namespace lockstep::tensor
