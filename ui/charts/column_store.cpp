// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/column_store.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {

namespace {

constexpr qint64 kChunk = 4096;
constexpr qint64 kLeaf = 16;
constexpr qint64 kFanOut = 4;
// Nodes over 16, 64, 256, 1024 and 4096 values lie one level after the other.
constexpr int kLevels = 5;
constexpr std::array<qint64, kLevels> kLevelSpan{16, 64, 256, 1024, 4096};
constexpr std::array<qint64, kLevels> kLevelStart{0, 256, 320, 336, 340};
constexpr std::size_t kNodes = 341;

}  // namespace

MinMax MinMax::none() {
    return {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 0};
}

void StepMap::append(qint64 index, qint64 firstStep, qint64 count) {
    if (!runs_->empty()) {
        const Run& last = runs_->back();
        const qint64 length = index - last.firstIndex;
        const bool strideFits = count == 1 || last.stride == 1;
        if (strideFits && firstStep == last.firstStep + length * last.stride) return;
        if (length == 1 && count == 1) {
            // The second point of a stretch decides how far its points lie apart.
            auto runs = std::make_shared<std::vector<Run>>(*runs_);
            runs->back().stride = firstStep - last.firstStep;
            runs_ = std::move(runs);
            return;
        }
    }
    auto runs = std::make_shared<std::vector<Run>>(*runs_);
    runs->push_back({index, firstStep, 1});
    runs_ = std::move(runs);
}

void StepMap::truncate(qint64 count) {
    auto runs = std::make_shared<std::vector<Run>>(*runs_);
    while (!runs->empty() && runs->back().firstIndex >= count)
        runs->pop_back();
    runs_ = std::move(runs);
}

const StepMap::Run& StepMap::runAt(qint64 index) const {
    const auto after =
        std::upper_bound(runs_->begin(), runs_->end(), index,
                         [](qint64 wanted, const Run& run) { return wanted < run.firstIndex; });
    return *std::prev(after);
}

qint64 StepMap::stepAt(qint64 index) const {
    const Run& run = runAt(index);
    return run.firstStep + (index - run.firstIndex) * run.stride;
}

qint64 StepMap::lowerBound(double step, qint64 count) const {
    const auto after = std::upper_bound(
        runs_->begin(), runs_->end(), step,
        [](double wanted, const Run& run) { return wanted < double(run.firstStep); });
    if (after == runs_->begin()) return 0;
    const Run& run = *std::prev(after);
    const qint64 end = after == runs_->end() ? count : after->firstIndex;
    const double offset = std::ceil((step - double(run.firstStep)) / double(run.stride));
    return offset < double(end - run.firstIndex) ? run.firstIndex + qint64(offset) : end;
}

namespace {

// Sixteen bytes are what every processor works on at once.
using Floats = float __attribute__((vector_size(16)));
using Lanes = int __attribute__((vector_size(16)));
constexpr qint64 kLanes = 4;

/// Collects bounds of finite values, several at a time.
class Bounds {
public:
    /// The values [from, to) of a leaf, which is read whole.
    void addValues(const float* leaf, qint64 from, qint64 to) {
        for (qint64 first = 0; first < kLeaf; first += kLanes) {
            const Floats values = load(leaf + first);
            const Lanes wanted = lanes(first, from, to);
            low_ = lesser(low_, wanted ? values : kNothing);
            negativeHigh_ = lesser(negativeHigh_, wanted ? -values : kNothing);
        }
    }
    /// The nodes [from, to) of a group of siblings, pairs of bounds.
    void addNodes(const float* group, qint64 from, qint64 to) {
        for (qint64 first = 0; first < 2 * kFanOut; first += kLanes)
            pairs_ =
                lesser(pairs_, lanes(first, 2 * from, 2 * to) ? load(group + first) : kNothing);
    }
    /// True where a node with these bounds would change nothing.
    [[nodiscard]] bool hold(const std::array<float, 2>& node) {
        const Pair known = pair();
        return known.low <= node[0] && known.negativeHigh <= node[1];
    }
    [[nodiscard]] MinMax minMax() {
        const Pair known = pair();
        return {known.low, -known.negativeHigh, 0};
    }

private:
    static constexpr float kFar = std::numeric_limits<float>::infinity();
    static constexpr Floats kNothing{kFar, kFar, kFar, kFar};

    static Floats load(const float* from) { return *reinterpret_cast<const Floats*>(from); }
    static Floats lesser(const Floats& a, const Floats& b) { return a < b ? a : b; }
    static Lanes lanes(qint64 first, qint64 from, qint64 to) {
        const Lanes index = Lanes{0, 1, 2, 3} + int(first);
        return (index >= int(from)) & (index < int(to));
    }

    struct Pair {
        float low;
        float negativeHigh;
    };
    Pair pair() {
        const auto least = [](const Floats& values, int lane) {
            return std::min(values[lane], values[lane + 2]);
        };
        const Pair result{
            std::min({least(low_, 0), least(low_, 1), least(pairs_, 0)}),
            std::min({least(negativeHigh_, 0), least(negativeHigh_, 1), least(pairs_, 1)})};
        low_ = negativeHigh_ = kNothing;
        pairs_ = Floats{result.low, result.negativeHigh, kFar, kFar};
        return result;
    }

    Floats low_ = kNothing;
    Floats negativeHigh_ = kNothing;
    Floats pairs_ = kNothing;  ///< Least, negative greatest, and so on.
};

}  // namespace

struct ColumnView::Chunk {
    alignas(64) std::array<float, kChunk> values;
    /// Smallest value and the negative of the largest one, so that both are a minimum.
    alignas(64) std::array<std::array<float, 2>, kNodes> bounds;
    std::array<std::uint32_t, kNodes> nonFinite{};  ///< How many are below each node.
    bool hasNonFinite = false;  ///< Anywhere; to be read once the chunk is full.

    MinMax node(int level, qint64 index) const {
        const std::size_t place = placeOf(level, index);
        return {bounds[place][0], -bounds[place][1], nonFinite[place]};
    }

    /// Writes the nodes that become complete with the value before `size`.
    void completeNodes(qint64 size) {
        if (size % kLeaf != 0) return;
        setNode(0, size / kLeaf - 1, scan(size - kLeaf, size));
        for (int level = 1; level < kLevels; ++level) {
            const qint64 span = kLevelSpan[std::size_t(level)];
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

    /// The same for a chunk that is full and has finite values only. From the largest blocks to
    /// the smallest, and at either end no further than a block may still change the result: of
    /// many values a column those at its ends hardly ever do, and are then not fetched.
    MinMax minMaxWhole(qint64 first, qint64 last) const {
        std::array<qint64, kLevels> begins;
        std::array<qint64, kLevels> ends;
        int top = -1;
        qint64 begin = (first + kLeaf - 1) / kLeaf;
        qint64 end = last / kLeaf;
        for (int level = 0; level < kLevels && begin < end; ++level) {
            top = level;
            begins[std::size_t(level)] = begin;
            ends[std::size_t(level)] = end;
            begin = (begin + kFanOut - 1) / kFanOut;
            end /= kFanOut;
        }
        Bounds found;
        if (top < 0) {
            for (qint64 at = first; at < last; at = (at / kLeaf + 1) * kLeaf)
                addLeaf(found, at, std::min(last, (at / kLeaf + 1) * kLeaf));
            return found.minMax();
        }
        const auto topPlace = std::size_t(top);
        for (qint64 at = begins[topPlace]; at < ends[topPlace]; at = (at / kFanOut + 1) * kFanOut)
            addSiblings(found, top, at, std::min(ends[topPlace], (at / kFanOut + 1) * kFanOut));
        descend(found, top, begins, first, true);
        descend(found, top, ends, last, false);
        return found.minMax();
    }

    /// True when a block around a value of a full chunk lies inside: told without reading more
    /// than that needs.
    bool surelyHolds(const MinMax& known, qint64 index) const {
        for (int level = 2; level >= 0; --level) {
            const auto& bound = bounds[placeOf(level, index / kLevelSpan[std::size_t(level)])];
            if (known.min <= bound[0] && -known.max <= bound[1]) return true;
        }
        return false;
    }

    void prefetch(qint64 index) const {
        for (const int level : {1, 2})
            __builtin_prefetch(&bounds[placeOf(level, index / kLevelSpan[std::size_t(level)])]);
    }

private:
    static std::size_t placeOf(int level, qint64 index) {
        return std::size_t(kLevelStart[std::size_t(level)] + index);
    }

    void addLeaf(Bounds& found, qint64 first, qint64 last) const {
        const qint64 leaf = first / kLeaf * kLeaf;
        found.addValues(&values[std::size_t(leaf)], first - leaf, last - leaf);
    }
    void addSiblings(Bounds& found, int level, qint64 begin, qint64 end) const {
        const qint64 group = begin / kFanOut * kFanOut;
        found.addNodes(bounds[placeOf(level, group)].data(), begin - group, end - group);
    }
    /// Adds what lies between the whole blocks of level `top` and one end of a range. `edges` are
    /// the outermost blocks of each level.
    void descend(Bounds& found, int top, const std::array<qint64, kLevels>& edges, qint64 edge,
                 bool atBegin) const {
        for (int level = top; level >= 0; --level) {
            const qint64 inner = edges[std::size_t(level)];
            const qint64 block = atBegin ? inner - 1 : inner;  // the one that is cut by the end
            const qint64 innerEdge = inner * kLevelSpan[std::size_t(level)];
            if (innerEdge == edge || found.hold(bounds[placeOf(level, block)])) return;
            if (level == 0) {
                addLeaf(found, std::min(edge, innerEdge), std::max(edge, innerEdge));
                return;
            }
            const qint64 outer = edges[std::size_t(level - 1)];
            const qint64 begin = atBegin ? outer : inner * kFanOut;
            const qint64 end = atBegin ? inner * kFanOut : outer;
            if (begin < end) addSiblings(found, level - 1, begin, end);
        }
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
        nonFinite[place] = node.nonFinite;
        hasNonFinite = hasNonFinite || node.nonFinite > 0;
    }
};

float ColumnView::at(qint64 index) const {
    return (*chunks_)[std::size_t(index / kChunk)]->values[std::size_t(index % kChunk)];
}

MinMax ColumnView::minMax(qint64 first, qint64 last) const {
    first = std::max<qint64>(first, 0);
    last = std::min(last, count_);
    MinMax result = MinMax::none();
    while (first < last) {
        const qint64 chunk = first / kChunk;
        const qint64 start = chunk * kChunk;
        const qint64 end = std::min(last, start + kChunk);
        const Chunk& values = *(*chunks_)[std::size_t(chunk)];
        const bool isWhole = start + kChunk <= count_ && !values.hasNonFinite;
        result.add(isWhole ? values.minMaxWhole(first - start, end - start)
                           : values.minMax(first - start, end - start));
        first = end;
    }
    return result;
}

void ColumnView::prefetch(qint64 index) const {
    if (index < 0 || index >= count_) return;
    (*chunks_)[std::size_t(index / kChunk)]->prefetch(index % kChunk);
}

bool ColumnView::surelyHolds(const MinMax& known, qint64 index) const {
    const qint64 chunk = index / kChunk;
    if ((chunk + 1) * kChunk > count_) return false;
    return (*chunks_)[std::size_t(chunk)]->surelyHolds(known, index % kChunk);
}

void Column::append(qint64 firstStep, std::span<const float> values) {
    if (values.empty()) return;
    const qint64 known = view_.count_;
    if (known > 0 && firstStep <= view_.stepAt(known - 1)) {
        rewind(view_.lowerBound(double(firstStep)));
    }
    view_.steps_.append(view_.count_, firstStep, qint64(values.size()));
    for (const float value : values)
        push(value);
}

void Column::clear() {
    const std::uint32_t next = view_.generation_ + 1;
    view_ = {};
    view_.generation_ = next;
}

void Column::push(float value) {
    ColumnView::Chunk& chunk = tailChunk();
    const qint64 slot = view_.count_ % kChunk;
    chunk.values[std::size_t(slot)] = value;
    chunk.completeNodes(slot + 1);
    ++view_.count_;
}

ColumnView::Chunk& Column::tailChunk() {
    if (view_.count_ == qint64(view_.chunks_->size()) * kChunk) {
        // Readers hold the old list: a longer one takes its place.
        auto chunks = std::make_shared<ColumnView::Chunks>();
        chunks->reserve(view_.chunks_->size() + 1);
        *chunks = *view_.chunks_;
        chunks->push_back(std::make_shared<ColumnView::Chunk>());
        view_.chunks_ = std::move(chunks);
    }
    return *view_.chunks_->back();
}

void Column::rewind(qint64 count) {
    auto chunks = std::make_shared<ColumnView::Chunks>(*view_.chunks_);
    chunks->resize(std::size_t((count + kChunk - 1) / kChunk));
    // Readers may be in the chunk that is to be overwritten.
    if (count % kChunk != 0) chunks->back() = std::make_shared<ColumnView::Chunk>(*chunks->back());
    view_.chunks_ = std::move(chunks);
    view_.steps_.truncate(count);
    view_.count_ = count;
    ++view_.generation_;
}

qint64 Column::memoryBytes() const {
    return qint64(view_.chunks_->size() * sizeof(ColumnView::Chunk));
}

}  // namespace lockstep::ui
