// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor/step_engine.h"

// The three products of a dense layer, as cuBLASLt must be asked for them: it stores columns one
// after the other and we rows, so every matrix is its transpose there. Plain numbers, so that the
// plan can be checked where there is no GPU.
namespace lockstep::tensor::cuda {

enum class Product : std::uint8_t {
    Forward,         ///< y = x weightᵀ + bias, ReLU
    WeightGradient,  ///< dWeight = dyᵀ x, dBias = column sums of dy
    InputGradient,   ///< dx = dy weight
};

/// What runs along with a product.
enum class Epilogue : std::uint8_t {
    None,
    Bias,          ///< + bias
    ReluBias,      ///< relu(. + bias)
    BiasGradient,  ///< Also the sums of the second factor over the batch.
};

/// Reads a bias, or writes its gradient.
[[nodiscard]] constexpr bool hasBias(Epilogue epilogue) {
    return epilogue != Epilogue::None;
}

/// The result is of float32 whatever the factors are.
struct ProductKey {
    Product product = Product::Forward;
    std::size_t batch = 0;
    std::size_t inputs = 0;
    std::size_t units = 0;
    Epilogue epilogue = Epilogue::None;
    Precision precision = Precision::Float32;

    [[nodiscard]] auto operator<=>(const ProductKey&) const = default;
};

/// c [m, n] = op(a) op(b), all stored by columns; `lead` is the distance of columns.
struct ColumnProduct {
    std::size_t m = 0;
    std::size_t n = 0;
    std::size_t k = 0;
    bool transposeA = false;
    bool transposeB = false;
    std::size_t leadA = 0;
    std::size_t leadB = 0;
    std::size_t leadC = 0;
};

/// a and b are: weight and x; x and dy; weight and dy.
[[nodiscard]] constexpr ColumnProduct columnProductOf(const ProductKey& key) {
    switch (key.product) {
        case Product::Forward:
            return {key.units, key.batch,  key.inputs, true,
                    false,     key.inputs, key.inputs, key.units};
        case Product::WeightGradient:
            return {key.inputs, key.units,  key.batch, false,
                    true,       key.inputs, key.units, key.inputs};
        case Product::InputGradient:
            break;
    }
    return {key.inputs, key.batch, key.units, false, false, key.inputs, key.units, key.inputs};
}

/// Multiplications and additions of the product.
[[nodiscard]] constexpr double operationsOf(const ProductKey& key) {
    return 2.0 * static_cast<double>(key.batch) * static_cast<double>(key.inputs) *
           static_cast<double>(key.units);
}

}  // namespace lockstep::tensor::cuda
