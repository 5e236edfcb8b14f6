// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstring>
#include <limits>

#include "ui/charts/store/column_chunk.h"

namespace lockstep::ui {

/// Collects bounds of finite values, sixteen bytes at a time, which every processor can. Nodes are
/// pairs of the least value and the negative of the greatest one, so that both are a minimum.
class Bounds {
public:
    /// The values [from, to) of a leaf, all of which are read.
    void addValues(const float* leaf, qint64 from, qint64 to) {
        Floats low = kNothing;
        Floats negativeHigh = kNothing;
        for (qint64 first = 0; first < kLeaf; first += 4) {
            const Floats values = load(leaf + first);
            const Lanes wanted = lanes(first, from, to);
            low = lesser(low, wanted ? values : kNothing);
            negativeHigh = lesser(negativeHigh, wanted ? -values : kNothing);
        }
        pairs_ = lesser(pairs_, lesser(__builtin_shufflevector(low, negativeHigh, 0, 4, 1, 5),
                                       __builtin_shufflevector(low, negativeHigh, 2, 6, 3, 7)));
    }
    /// Nodes that lie one after the other, at least two.
    void addNodes(const float* nodes, qint64 count) {
        for (qint64 i = 0; i + 2 < count; i += 2)
            pairs_ = lesser(pairs_, load(nodes + 2 * i));
        pairs_ = lesser(pairs_, load(nodes + 2 * (count - 2)));  // of an odd number one again
    }
    /// The nodes [from, to) of a group of siblings, all of which are read.
    void addSome(const float* nodes, qint64 from, qint64 to) {
        for (qint64 first = 0; first < 2 * kFanOut; first += 4)
            pairs_ =
                lesser(pairs_, lanes(first, 2 * from, 2 * to) ? load(nodes + first) : kNothing);
    }
    /// True where this node would change nothing.
    [[nodiscard]] bool holds(const float* node) const {
        const Floats known = both();
        return known[0] <= node[0] && known[1] <= node[1];
    }
    [[nodiscard]] MinMax minMax() const {
        const Floats known = both();
        return {known[0], -known[1], 0};
    }

private:
    using Floats = float __attribute__((vector_size(16)));
    using Lanes = int __attribute__((vector_size(16)));
    static constexpr float kFar = std::numeric_limits<float>::infinity();
    static constexpr Floats kNothing{kFar, kFar, kFar, kFar};

    static Floats load(const float* from) {
        Floats result;
        std::memcpy(&result, from, sizeof result);
        return result;
    }
    static Floats lesser(const Floats& a, const Floats& b) { return a < b ? a : b; }
    static Lanes lanes(qint64 first, qint64 from, qint64 to) {
        const Lanes index = Lanes{0, 1, 2, 3} + int(first);
        return (index >= int(from)) & (index < int(to));
    }
    [[nodiscard]] Floats both() const {
        return lesser(pairs_, __builtin_shufflevector(pairs_, pairs_, 2, 3, 0, 1));
    }

    Floats pairs_ = kNothing;  ///< Least, negative greatest, and the same again.
};

}  // namespace lockstep::ui
