// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/model/shape.h"

namespace lockstep::model {

/// Which part of a tensor one of `members` holds: the tensor is cut along one dimension into equal
/// pieces, one a member.
struct TensorShard {
    int axis = -1;  ///< Index of Shape; -1: every member holds the whole tensor.
    /// Stretches of that dimension, each of which is cut by itself: queries, keys and values that
    /// lie one behind the other are 3.
    std::int64_t segments = 1;
    std::int64_t index = 0;
    std::int64_t members = 1;

    [[nodiscard]] bool isWhole() const { return axis < 0; }
    /// The same cut, as another member sees it.
    [[nodiscard]] TensorShard of(std::int64_t member) const {
        return {axis, segments, member, members};
    }
    [[nodiscard]] bool cutsAlike(const TensorShard& other) const {
        return axis == other.axis && segments == other.segments;
    }
    [[nodiscard]] bool operator==(const TensorShard&) const = default;
};

/// Of the part, where the tensor is of that shape; its size along the axis divides.
[[nodiscard]] Shape shapeOf(const TensorShard& shard, const Shape& whole);
/// Of the tensor, where its part is of that shape.
[[nodiscard]] Shape wholeShapeOf(const TensorShard& shard, const Shape& part);
/// The part out of the whole tensor, and the way back.
void takeShard(const TensorShard& shard, const Shape& whole, std::span<const float> from,
               std::span<float> part);
void putShard(const TensorShard& shard, const Shape& whole, std::span<const float> part,
              std::span<float> to);

}  // namespace lockstep::model
