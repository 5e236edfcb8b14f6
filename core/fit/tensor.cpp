// SPDX-License-Identifier: Apache-2.0
#include "core/fit/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/check.h"

namespace lockstep::fit {

namespace {

std::uint64_t bytesOf(const data::NpyArray& array) {
    return array.elements() * data::bytesOf(array.type);
}

/// [28, 28], as tf.data writes it.
std::string bracketed(const std::vector<std::uint64_t>& shape) {
    return fmt::format("[{}]", fmt::join(shape, ","));
}

/// All parts behind each other, in a tensor of this shape.
Tensor joined(std::span<const Tensor> parts, std::vector<std::uint64_t> shape) {
    std::vector<std::uint8_t> bytes;
    std::size_t size = 0;
    for (const Tensor& part : parts)
        size += part.array().bytes.size();
    bytes.reserve(size);
    for (const Tensor& part : parts)
        bytes.insert(bytes.end(), part.array().bytes.begin(), part.array().bytes.end());
    return Tensor::of({parts.front().type(), std::move(shape), std::move(bytes)});
}

}  // namespace

Result<Tensor> Tensor::ofBytes(NumberType type, std::vector<std::uint64_t> shape,
                               std::vector<std::uint8_t> bytes) {
    data::NpyArray array{type, std::move(shape), {}};
    std::uint64_t wanted = data::bytesOf(type);
    bool isTooLarge = false;
    for (const std::uint64_t side : array.shape)
        isTooLarge = __builtin_mul_overflow(wanted, side, &wanted) || isTooLarge;
    if (isTooLarge || wanted != bytes.size())
        return fail(ErrorCode::BadInput,
                    fmt::format("a tensor of {} takes another count of numbers than the {} that "
                                "are given",
                                data::shapeText(array.shape), bytes.size() / data::bytesOf(type)),
                    "Give as many numbers as the product of the shape's sides.");
    array.bytes = std::move(bytes);
    return Tensor(std::move(array));
}

Result<Tensor> Tensor::stack(std::span<const Tensor> rows, int component) {
    LS_CHECK(!rows.empty(), "there is something to stack");
    const Tensor& first = rows.front();
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].shape() != first.shape())
            return fail(
                ErrorCode::BadInput,
                fmt::format("Cannot batch tensors with different shapes in component {}. "
                            "First element had shape {} and element {} had shape {}.",
                            component, bracketed(first.shape()), i, bracketed(rows[i].shape())),
                "Bring all samples to one shape with map() before batch().");
        if (rows[i].type() != first.type())
            return fail(ErrorCode::BadInput,
                        fmt::format("Cannot batch tensors with different types in component {}: "
                                    "the first element is of {}, element {} of {}",
                                    component, data::toString(first.type()), i,
                                    data::toString(rows[i].type())),
                        "Let map() give the same type for every sample.");
    }
    std::vector<std::uint64_t> shape = first.shape();
    shape.insert(shape.begin(), rows.size());
    return joined(rows, std::move(shape));
}

Result<Tensor> Tensor::concatenate(std::span<const Tensor> parts) {
    LS_CHECK(!parts.empty(), "there is something to join");
    std::vector<std::uint64_t> shape = parts.front().shape();
    if (shape.empty())
        return fail(ErrorCode::BadInput, "one number has no rows to be joined with others");
    shape.front() = 0;
    for (const Tensor& part : parts) {
        const bool isAlike = part.type() == parts.front().type() &&
                             part.shape().size() == shape.size() &&
                             std::equal(shape.begin() + 1, shape.end(), part.shape().begin() + 1);
        if (!isAlike)
            return fail(ErrorCode::BadInput,
                        fmt::format("tensors of {} and of {} have no rows of one kind",
                                    parts.front().text(), part.text()));
        shape.front() += part.rows();
    }
    return joined(parts, std::move(shape));
}

Tensor Tensor::row(std::uint64_t index) const {
    LS_CHECK(index < rows(), "a row's index is below their number");
    data::NpyArray part{type(), {shape().begin() + 1, shape().end()}, {}};
    const std::uint64_t bytes = bytesOf(part);
    part.bytes = array_.bytes.part(index * bytes, bytes);
    return Tensor(std::move(part));
}

std::string Tensor::text() const {
    return fmt::format("{} of {}", data::shapeText(shape()), data::toString(type()));
}

}  // namespace lockstep::fit
