// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/store/column_store.h"

namespace lockstep::ui {

constexpr qint64 kChunk = 4096;
constexpr qint64 kLeaf = 16;
constexpr qint64 kFanOut = 4;
// Nodes over 16, 64, 256, 1024 and 4096 values lie one level after the other.
constexpr int kLevels = 5;
constexpr std::array<qint64, kLevels> kLevelStart{0, 256, 320, 336, 340};
constexpr std::size_t kNodes = 341;

/// Values below one node of a level, as a power of two.
constexpr int spanBits(int level) {
    return 4 + 2 * level;
}

/// 4096 values of a column and their pyramid.
struct ColumnView::Chunk {
    alignas(64) std::array<float, kChunk> values;
    /// Smallest value and the negative of the largest one, so that both are a minimum.
    alignas(64) std::array<std::array<float, 2>, kNodes> bounds;
    std::array<std::uint16_t, kNodes> nonFinite{};  ///< How many are below each node: 4096 at most.
    bool hasNonFinite = false;                      ///< Anywhere.

    /// Writes the nodes that become complete with the value before `size`.
    void completeNodes(qint64 size) {
        if (size % kLeaf != 0) return;
        setNode(0, size / kLeaf - 1, scan(size - kLeaf, size));
        for (int level = 1; level < kLevels; ++level) {
            const qint64 span = qint64(1) << spanBits(level);
            if (size % span != 0) return;
            MinMax sum = MinMax::none();
            const qint64 firstChild = (size / span - 1) * kFanOut;
            for (qint64 child = 0; child < kFanOut; ++child)
                sum.add(node(level - 1, firstChild + child));
            setNode(level, size / span - 1, sum);
        }
    }

    /// Exact over [first, last), where all values before `last` were written: single values up to
    /// whole blocks at both ends, then whole blocks up to larger ones.
    MinMax minMax(qint64 first, qint64 last) const {
        const qint64 head = std::min(last, (first + kLeaf - 1) / kLeaf * kLeaf);
        const qint64 tail = std::max(head, last / kLeaf * kLeaf);
        MinMax result = scan(first, head);
        result.add(scan(tail, last));
        qint64 begin = head / kLeaf;
        qint64 end = tail / kLeaf;
        for (int level = 0; begin < end; ++level) {
            const bool isTop = level + 1 == kLevels;
            while (begin < end && (isTop || begin % kFanOut != 0))
                result.add(node(level, begin++));
            while (begin < end && end % kFanOut != 0)
                result.add(node(level, --end));
            begin /= kFanOut;
            end /= kFanOut;
        }
        return result;
    }

    /// How many finite values in [first, last), all of which were written, lie above `limit`; it
    /// stops at `most`. Blocks that reach no higher are not looked into.
    qint64 countAbove(qint64 first, qint64 last, double limit, qint64 most) const {
        qint64 count = 0;
        for (qint64 at = first; at < last && count < most;) {
            int level = at % kLeaf == 0 ? kLevels - 1 : -1;
            while (level >= 0 && !isBelow(level, at, last, limit))
                --level;
            const qint64 span = level >= 0 ? qint64(1) << spanBits(level) : kLeaf - at % kLeaf;
            const qint64 end = std::min(last, at + span);
            for (; level < 0 && at < end; ++at) {
                const float value = values[std::size_t(at)];
                count += double(value) > limit && std::isfinite(value) ? 1 : 0;
            }
            at = end;
        }
        return std::min(count, most);
    }

    const float* nodes(int level, qint64 index) const {
        return bounds[placeOf(level, index)].data();
    }

private:
    static std::size_t placeOf(int level, qint64 index) {
        return std::size_t(kLevelStart[std::size_t(level)] + index);
    }

    MinMax node(int level, qint64 index) const {
        const std::size_t place = placeOf(level, index);
        return {bounds[place][0], -bounds[place][1], nonFinite[place]};
    }

    /// Whether a whole block begins at `at`, ends by `last` and has nothing above `limit`.
    bool isBelow(int level, qint64 at, qint64 last, double limit) const {
        const qint64 span = qint64(1) << spanBits(level);
        return at % span == 0 && at + span <= last && double(node(level, at / span).max) <= limit;
    }

    MinMax scan(qint64 first, qint64 last) const {
        MinMax result = MinMax::none();
        for (qint64 i = first; i < last; ++i)
            result.add(values[std::size_t(i)]);
        return result;
    }

    void setNode(int level, qint64 index, const MinMax& node) {
        const std::size_t place = placeOf(level, index);
        bounds[place] = {node.min, -node.max};
        nonFinite[place] = std::uint16_t(node.nonFinite);
        hasNonFinite = hasNonFinite || node.nonFinite > 0;
    }
};

}  // namespace lockstep::ui
