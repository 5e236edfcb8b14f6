// SPDX-License-Identifier: Apache-2.0
#include "core/model/tensor_shard.h"

#include <algorithm>

#include "core/base/check.h"

namespace lockstep::model {

namespace {

/// Calls copy(first in the whole, first in the part, count) for each run of numbers that lie side
/// by side in both.
template <typename Copy>
void forRuns(const TensorShard& shard, const Shape& whole, const Copy& copy) {
    if (shard.isWhole()) {
        copy(std::size_t{0}, std::size_t{0}, static_cast<std::size_t>(elementCount(whole)));
        return;
    }
    const auto axis = static_cast<std::ptrdiff_t>(shard.axis);
    const std::int64_t rows = elementCount(Shape(whole.begin(), whole.begin() + axis));
    const std::int64_t inner = elementCount(Shape(whole.begin() + axis + 1, whole.end()));
    const std::int64_t stretch = whole[static_cast<std::size_t>(axis)] / shard.segments * inner;
    const std::int64_t piece = stretch / shard.members;
    std::size_t place = 0;
    for (std::int64_t one = 0; one < rows * shard.segments; ++one) {
        copy(static_cast<std::size_t>(one * stretch + shard.index * piece), place,
             static_cast<std::size_t>(piece));
        place += static_cast<std::size_t>(piece);
    }
}

}  // namespace

Shape shapeOf(const TensorShard& shard, const Shape& whole) {
    Shape shape = whole;
    if (shard.isWhole()) return shape;
    std::int64_t& size = shape[static_cast<std::size_t>(shard.axis)];
    LS_CHECK(size % (shard.segments * shard.members) == 0, "whoever cuts a tensor knows its size");
    size /= shard.members;
    return shape;
}

Shape wholeShapeOf(const TensorShard& shard, const Shape& part) {
    Shape shape = part;
    if (!shard.isWhole()) shape[static_cast<std::size_t>(shard.axis)] *= shard.members;
    return shape;
}

void takeShard(const TensorShard& shard, const Shape& whole, std::span<const float> from,
               std::span<float> part) {
    forRuns(shard, whole, [&](std::size_t there, std::size_t here, std::size_t count) {
        std::ranges::copy(from.subspan(there, count), part.subspan(here, count).begin());
    });
}

void putShard(const TensorShard& shard, const Shape& whole, std::span<const float> part,
              std::span<float> to) {
    forRuns(shard, whole, [&](std::size_t there, std::size_t here, std::size_t count) {
        std::ranges::copy(part.subspan(here, count), to.subspan(there, count).begin());
    });
}

}  // namespace lockstep::model
