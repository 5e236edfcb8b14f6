// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::testing {

// What the operations compute, in float64 and as plainly as it can be written.

/// Dense matrix [rows, columns], row-major.
struct DoubleMatrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> values;

    DoubleMatrix(std::size_t rowCount, std::size_t columnCount)
        : rows(rowCount), columns(columnCount), values(rowCount * columnCount) {}
    DoubleMatrix(std::size_t rowCount, std::size_t columnCount, std::span<const float> from)
        : rows(rowCount), columns(columnCount), values(from.begin(), from.end()) {}

    [[nodiscard]] double& at(std::size_t row, std::size_t column) {
        return values[row * columns + column];
    }
    [[nodiscard]] double at(std::size_t row, std::size_t column) const {
        return values[row * columns + column];
    }
};

[[nodiscard]] DoubleMatrix referenceProduct(const DoubleMatrix& a, const DoubleMatrix& b);
[[nodiscard]] DoubleMatrix referenceTranspose(const DoubleMatrix& a);
/// Cross-entropy of each row in nats.
[[nodiscard]] std::vector<double> referenceCrossEntropy(const DoubleMatrix& logits,
                                                        std::span<const std::int32_t> labels);
[[nodiscard]] DoubleMatrix referenceSoftmax(const DoubleMatrix& logits);

/// A stack of dense layers with ReLU between them: weights[i] [out, in], biases[i] [1, out].
struct ReferenceNetwork {
    std::vector<DoubleMatrix> weights;
    std::vector<DoubleMatrix> biases;

    [[nodiscard]] DoubleMatrix logits(const DoubleMatrix& x) const;
    [[nodiscard]] double meanLoss(const DoubleMatrix& x,
                                  std::span<const std::int32_t> labels) const;
    /// d meanLoss / d value by central differences; `value` is an element of this network.
    [[nodiscard]] double derivative(double& value, const DoubleMatrix& x,
                                    std::span<const std::int32_t> labels) const;
};

}  // namespace lockstep::testing
