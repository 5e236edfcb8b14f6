// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/result.h"
#include "core/data/arrays/npy_file.h"

namespace lockstep::fit {

/// The types of numbers that a tensor may hold, with NumPy's names.
using NumberType = data::NpyType;

template <typename T>
concept Number = std::same_as<T, std::uint8_t> || std::same_as<T, std::int8_t> ||
    std::same_as<T, std::uint16_t> || std::same_as<T, std::int16_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, std::int64_t> || std::same_as<T, float> ||
    std::same_as<T, double>;

template <Number T>
[[nodiscard]] constexpr NumberType numberType() {
    if constexpr (std::same_as<T, float>) return NumberType::Float32;
    if constexpr (std::same_as<T, double>) return NumberType::Float64;
    constexpr bool isSigned = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return isSigned ? NumberType::Int8 : NumberType::UInt8;
    if constexpr (sizeof(T) == 2) return isSigned ? NumberType::Int16 : NumberType::UInt16;
    if constexpr (sizeof(T) == 4) return isSigned ? NumberType::Int32 : NumberType::UInt32;
    return isSigned ? NumberType::Int64 : NumberType::UInt64;
}

/// Numbers of one type in a block of any number of dimensions, in the order of C and NumPy: the
/// last dimension lies together. Immutable; copies and rows share the memory. An empty shape is one
/// number.
class Tensor {
public:
    /// No numbers: shape {0}.
    Tensor() : array_{NumberType::Float32, {0}, {}} {}

    /// `values` are the numbers of a tensor of this shape: {60000, 28, 28} for as many images.
    /// BadInput where there are more or fewer.
    template <Number T>
    [[nodiscard]] static Result<Tensor> make(const std::vector<T>& values,
                                             std::vector<std::uint64_t> shape) {
        const auto bytes = std::as_bytes(std::span(values));
        return ofBytes(numberType<T>(), std::move(shape),
                       {reinterpret_cast<const std::uint8_t*>(bytes.data()),
                        reinterpret_cast<const std::uint8_t*>(bytes.data()) + bytes.size()});
    }
    /// One row: shape {values.size()}.
    template <Number T>
    [[nodiscard]] static Tensor ofValues(const std::vector<T>& values) {
        return make(values, {values.size()}).value();
    }
    /// Little-endian bytes of the numbers. BadInput where their count is not the shape's.
    [[nodiscard]] static Result<Tensor> ofBytes(NumberType type, std::vector<std::uint64_t> shape,
                                                std::vector<std::uint8_t> bytes);
    [[nodiscard]] static Tensor of(data::NpyArray array) { return Tensor(std::move(array)); }

    /// One behind the other along a new first dimension. BadInput, in tf.data's words, where type
    /// or shape differ; `component`: which one of an element's, for that message. At least one.
    [[nodiscard]] static Result<Tensor> stack(std::span<const Tensor> rows, int component = 0);
    /// One behind the other along the first dimension: as many rows as all have.
    [[nodiscard]] static Result<Tensor> concatenate(std::span<const Tensor> parts);

    [[nodiscard]] NumberType type() const { return array_.type; }
    [[nodiscard]] const std::vector<std::uint64_t>& shape() const { return array_.shape; }
    [[nodiscard]] std::uint64_t elements() const { return array_.elements(); }
    /// The first dimension; 0 of one number, which has none.
    [[nodiscard]] std::uint64_t rows() const { return shape().empty() ? 0 : shape().front(); }
    [[nodiscard]] bool isEmpty() const { return elements() == 0; }
    /// Number `index` in their order, as the double that is nearest to it.
    [[nodiscard]] double at(std::uint64_t index) const { return array_.at(index); }
    /// Row `index`, below rows(): of the same memory, without the first dimension.
    [[nodiscard]] Tensor row(std::uint64_t index) const;
    /// All numbers, cast to T as C++ casts a double.
    template <Number T>
    [[nodiscard]] std::vector<T> values() const {
        std::vector<T> numbers(elements());
        if (type() == numberType<T>()) {
            if (!numbers.empty())
                std::memcpy(numbers.data(), array_.bytes.data(), numbers.size() * sizeof(T));
            return numbers;
        }
        for (std::uint64_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<T>(at(i));
        return numbers;
    }
    [[nodiscard]] const data::NpyArray& array() const { return array_; }
    /// "4 x 28 x 28 of float32".
    [[nodiscard]] std::string text() const;

    /// Same type, shape and bits.
    [[nodiscard]] bool operator==(const Tensor& other) const {
        return type() == other.type() && shape() == other.shape() &&
               array_.bytes == other.array_.bytes;
    }

private:
    explicit Tensor(data::NpyArray array) : array_(std::move(array)) {}

    data::NpyArray array_;
};

}  // namespace lockstep::fit
