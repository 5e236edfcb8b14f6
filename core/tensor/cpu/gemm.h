// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/matrix.h"

namespace lockstep::tensor {

// Matrix products on the calling thread alone: a library that shares one sum out to several
// threads would make results depend on their number. The operands must not overlap.

/// c = a b: a [m, k], b [k, n], c [m, n].
void multiply(ConstMatrix a, ConstMatrix b, Matrix c);
/// c = a bᵀ: a [m, k], b [n, k], c [m, n].
void multiplyByTransposed(ConstMatrix a, ConstMatrix b, Matrix c);
/// c = aᵀ b: a [k, m], b [k, n], c [m, n]; zero for k = 0.
void multiplyTransposedBy(ConstMatrix a, ConstMatrix b, Matrix c);

/// Some columns of the rows of a wider matrix: neighbouring rows lie `stride` elements apart.
template <typename T>
struct BasicPart {
    T* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t stride = 0;

    // NOLINTNEXTLINE(google-explicit-constructor): a writable part is a readable one.
    [[nodiscard]] operator BasicPart<const T>() const { return {data, rows, columns, stride}; }
};
using Part = BasicPart<float>;
using ConstPart = BasicPart<const float>;

/// What is done to the operands of a product of parts.
struct ProductOptions {
    bool transposeA = false;
    bool transposeB = false;
    bool adds = false;  ///< To c, instead of overwriting it.
    float factor = 1;   ///< Of the product.
};

/// c = factor * a b, or c + that; a and b transposed where it is wanted. Unlike with the functions
/// above, a row's bits may depend on the number of rows.
void multiplyParts(ConstPart a, ConstPart b, const ProductOptions& options, Part c);

}  // namespace lockstep::tensor
