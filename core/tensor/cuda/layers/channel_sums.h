// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

// Sums over the rows of matrices, column by column, in doubles: what normalisations and biases
// need. Rows are cut into chunks, whose number depends on the number of rows alone.
namespace lockstep::tensor::cuda {

/// Two sums of each column at once: of `value`, and of `value` times `factor`.
struct ColumnTerms {
    enum class Kind : std::uint32_t {
        Values,          ///< x, and x * x.
        GradientAlone,   ///< dy, and nothing.
        ChannelMoments,  ///< dy, and dy * (x - mean) * inverse, moments of each column.
        RowMoments,      ///< The same with moments of each row.
        GroupMoments,    ///< The same with moments of each group of columns of `places` rows.
    };
    Kind kind = Kind::Values;
    std::uint32_t columns = 1;
    std::uint32_t places = 1;  ///< Rows of a sample.
    std::uint32_t groups = 1;  ///< Of columns.
    const float* dy = nullptr;
    const float* y = nullptr;  ///< Where given, dy counts where it is above 0.
    const float* x = nullptr;
    const float* mean = nullptr;
    const float* inverse = nullptr;
    std::size_t rows = 0;
};

/// Where sums go; null: not wanted.
struct ColumnSums {
    double* first = nullptr;   ///< [columns]
    double* second = nullptr;  ///< [columns]
    double* count = nullptr;   ///< The rows.
    float* firstFloats = nullptr;
    float* secondFloats = nullptr;
};

/// Bytes that launchColumnSumsOf() works in.
[[nodiscard]] std::size_t columnSumsScratch(std::size_t mostRows, std::size_t columns);
void launchColumnSumsOf(cudaStream_t stream, const ColumnTerms& terms, const ColumnSums& sums,
                        double* scratch);

}  // namespace lockstep::tensor::cuda
