// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/rng.h"
#include "core/checkpoint/shard_index.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint::test {

/// The ways in which a dimension of `size` is cut: at random places, no piece empty.
inline std::vector<std::int64_t> cutsOf(std::int64_t size, CounterRng& rng) {
    std::vector<std::int64_t> cuts{0};
    for (std::int64_t at = 1; at < size; ++at)
        if (rng.nextFloat(0, 1) < 0.35F) cuts.push_back(at);
    cuts.push_back(size);
    return cuts;
}

/// A tensor of random shape with its values, and its pieces along a random grid.
struct CutTensor {
    CutTensor(const std::string& name, CounterRng& rng) {
        const auto rank = static_cast<std::size_t>(rng.nextFloat(0, 4.999F));
        whole.name = name;
        std::int64_t count = 1;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            whole.shape.push_back(1 + static_cast<std::int64_t>(rng.nextFloat(0, 5.999F)));
            count *= whole.shape.back();
        }
        for (std::int64_t i = 0; i < count; ++i)
            whole.values.push_back(rng.nextFloat(-1, 1));
        addPieces({}, {}, rng);
    }

    Tensor whole;
    std::vector<std::pair<Box, std::vector<float>>> pieces;

    /// Element by element: another way than the reader's.
    [[nodiscard]] std::vector<float> part(const Box& box) const {
        std::vector<float> values;
        const auto count = std::accumulate(box.shape.begin(), box.shape.end(), std::int64_t{1},
                                           std::multiplies<>());
        for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t rest = i;
            std::vector<std::int64_t> at(box.shape.size());
            for (std::size_t axis = box.shape.size(); axis-- > 0;) {
                at[axis] = box.offsets[axis] + rest % box.shape[axis];
                rest /= box.shape[axis];
            }
            std::int64_t place = 0;
            for (std::size_t axis = 0; axis < at.size(); ++axis)
                place = place * whole.shape[axis] + at[axis];
            values.push_back(whole.values[static_cast<std::size_t>(place)]);
        }
        return values;
    }

    /// As pieces of as many shards.
    void addTo(std::vector<TensorRef>& tensors) const {
        int shard = 0;
        for (const auto& [box, values] : pieces)
            tensors.push_back({whole.name, box.shape, values, box.offsets, ++shard});
    }

private:
    void addPieces(std::vector<std::int64_t> offsets, std::vector<std::int64_t> shape,
                   CounterRng& rng) {
        if (offsets.size() == whole.shape.size()) {
            const Box box{std::move(offsets), std::move(shape)};
            pieces.emplace_back(box, part(box));
            return;
        }
        const auto cuts = cutsOf(whole.shape[offsets.size()], rng);
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
            auto nextOffsets = offsets;
            auto nextShape = shape;
            nextOffsets.push_back(cuts[i]);
            nextShape.push_back(cuts[i + 1] - cuts[i]);
            addPieces(nextOffsets, nextShape, rng);
        }
    }
};

}  // namespace lockstep::checkpoint::test
