// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace lockstep::tensor {

/// A row-major view of `rows` x `columns` elements without gaps. Owns nothing.
template <typename T>
struct BasicMatrix {
    T* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;

    [[nodiscard]] std::size_t size() const { return rows * columns; }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] std::span<T> flat() const { return {data, size()}; }
    [[nodiscard]] std::span<T> row(std::size_t index) const {
        return {data + index * columns, columns};
    }
    // NOLINTNEXTLINE(google-explicit-constructor): a writable view is a readable one.
    [[nodiscard]] operator BasicMatrix<const T>() const { return {data, rows, columns}; }
};

using Matrix = BasicMatrix<float>;
using ConstMatrix = BasicMatrix<const float>;

}  // namespace lockstep::tensor
