// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <vector>

#include "ui/charts/store/bounds.h"
#include "ui/charts/store/column_chunk.h"
#include "ui/charts/store/column_store.h"

namespace lockstep::ui {

namespace {

/// The level at which a stretch within a chunk has from three to fifteen whole blocks; less than 0:
/// so few values are looked at one by one.
int levelFor(qint64 count) {
    return int(std::bit_width(std::uint64_t(count) / (4 * kLeaf)) + 1) / 2 - 1;
}

void prefetch(const float* begin, const float* end) {
    constexpr std::ptrdiff_t kLine = 64 / sizeof(float);
    for (; end - begin > kLine; begin += kLine)
        __builtin_prefetch(begin);
    // The last ones may lie in a line of their own.
    if (begin < end) {
        __builtin_prefetch(begin);
        __builtin_prefetch(end - 1);
    }
}

}  // namespace

/// Finds the bounds of many stretches. Of each it takes the whole blocks of one level, which lie
/// one after the other. The blocks at its ends are cut by an edge; these are looked into only
/// where they can still change the result, and that for all stretches together, level by level: a
/// column of millions of values is far from the processor, and what is asked for at once comes at
/// once.
class StretchSearch {
public:
    StretchSearch(const ColumnView& view, std::span<const qint64> edges, std::span<Stretch> results)
        : results_(results), found_(results.size()) {
        cuts_.reserve(2 * results.size());
        forEachPart(view, edges,
                    [this](std::size_t stretch, const ColumnView::ChunkEntry& entry, qint64 first,
                           qint64 last) {
                        if (entry.isWhole)
                            addPart(stretch, *entry.chunk, first, last);
                        else
                            results_[stretch].bounds.add(entry.chunk->minMax(first, last));
                    });
        while (!cuts_.empty())
            goDeeper();
        for (std::size_t i = 0; i < results.size(); ++i)
            results[i].bounds.add(found_[i].minMax());
    }

    /// Visits the part of each stretch in each chunk.
    template <typename Visit>
    static void forEachPart(const ColumnView& view, std::span<const qint64> edges, Visit visit) {
        for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
            qint64 first = std::max<qint64>(edges[i], 0);
            const qint64 last = std::min(edges[i + 1], view.count_);
            while (first < last) {
                const qint64 start = first / kChunk * kChunk;
                const qint64 end = std::min(last, start + kChunk);
                visit(i, (*view.chunks_)[std::size_t(first / kChunk)], first - start, end - start);
                first = end;
            }
        }
    }

private:
    /// A block with an edge of a stretch inside.
    struct Cut {
        const ColumnView::Chunk* chunk;
        std::size_t stretch;
        qint64 block;
        qint64 edge;
        int level;
        bool isBegin;  ///< Where the stretch begins, or else where it ends.
    };

    void addPart(std::size_t stretch, const ColumnView::Chunk& chunk, qint64 first, qint64 last) {
        const int level = levelFor(last - first);
        if (level < 0) {
            for (qint64 at = first; at < last; at = (at / kLeaf + 1) * kLeaf)
                addValues(stretch, chunk, at, std::min(last, (at / kLeaf + 1) * kLeaf));
            return;
        }
        const qint64 inside = (qint64(1) << spanBits(level)) - 1;
        const qint64 begin = (first + inside) >> spanBits(level);
        const qint64 end = last >> spanBits(level);
        found_[stretch].addNodes(chunk.nodes(level, begin), end - begin);
        if ((first & inside) != 0) open({&chunk, stretch, begin - 1, first, level, true});
        if ((last & inside) != 0) open({&chunk, stretch, end, last, level, false});
    }

    void addValues(std::size_t stretch, const ColumnView::Chunk& chunk, qint64 first, qint64 last) {
        const qint64 leaf = first / kLeaf * kLeaf;
        found_[stretch].addValues(&chunk.values[std::size_t(leaf)], first - leaf, last - leaf);
    }

    void open(const Cut& cut) {
        if (!isHeld(cut)) cuts_.push_back(cut);
    }

    /// One level deeper in all cuts.
    void goDeeper() {
        std::size_t kept = 0;
        for (Cut& cut : cuts_)
            if (goesOn(cut)) cuts_[kept++] = cut;
        cuts_.erase(cuts_.begin() + std::ptrdiff_t(kept), cuts_.end());
    }

    /// True when the block can change nothing, which is noted of its edge. False: what is needed
    /// to tell is then on its way.
    bool isHeld(const Cut& cut) {
        if (found_[cut.stretch].holds(cut.chunk->nodes(cut.level, cut.block))) {
            Stretch& result = results_[cut.stretch];
            (cut.isBegin ? result.holdsBegin : result.holdsEnd) = true;
            return true;
        }
        __builtin_prefetch(cut.level == 0 ? &cut.chunk->values[std::size_t(cut.block * kLeaf)]
                                          : cut.chunk->nodes(cut.level - 1, cut.block * kFanOut));
        return false;
    }

    /// Adds what the block has on the stretch's side of the edge, but for a smaller block that is
    /// cut in turn. True: there is one, and it may change the result.
    bool goesOn(Cut& cut) {
        if (cut.level == 0) {
            const qint64 leaf = cut.block * kLeaf;
            if (cut.isBegin)
                addValues(cut.stretch, *cut.chunk, cut.edge, leaf + kLeaf);
            else
                addValues(cut.stretch, *cut.chunk, leaf, cut.edge);
            return false;
        }
        const qint64 group = cut.block * kFanOut;
        --cut.level;
        cut.block = cut.edge >> spanBits(cut.level);
        const bool isCut = cut.edge != cut.block << spanBits(cut.level);
        const qint64 begin = cut.isBegin ? cut.block + (isCut ? 1 : 0) - group : 0;
        const qint64 end = cut.isBegin ? kFanOut : cut.block - group;
        found_[cut.stretch].addSome(cut.chunk->nodes(cut.level, group), begin, end);
        return isCut && !isHeld(cut);
    }

    std::span<Stretch> results_;
    std::vector<Bounds> found_;
    std::vector<Cut> cuts_;
};

void ColumnView::stretches(std::span<const qint64> edges, std::span<Stretch> results) const {
    std::fill(results.begin(), results.end(), Stretch{});
    const StretchSearch search(*this, edges, results);
}

void ColumnView::prefetchStretches(std::span<const qint64> edges) const {
    StretchSearch::forEachPart(
        *this, edges, [](std::size_t, const ChunkEntry& entry, qint64 first, qint64 last) {
            const int level = levelFor(last - first);
            if (level < 0)
                prefetch(&entry.chunk->values[std::size_t(first)],
                         entry.chunk->values.data() + last);
            else
                prefetch(entry.chunk->nodes(level, first >> spanBits(level)),
                         entry.chunk->nodes(level, last >> spanBits(level)) + 1);
        });
}

}  // namespace lockstep::ui
