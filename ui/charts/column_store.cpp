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

struct ColumnView::Chunk {
    std::array<float, kChunk> values;
    std::array<MinMax, kNodes> nodes;

    MinMax scan(qint64 first, qint64 last) const {
        MinMax result = MinMax::none();
        for (qint64 i = first; i < last; ++i)
            result.add(values[std::size_t(i)]);
        return result;
    }

    MinMax& node(int level, qint64 index) {
        return nodes[std::size_t(kLevelStart[std::size_t(level)] + index)];
    }
    const MinMax& node(int level, qint64 index) const {
        return nodes[std::size_t(kLevelStart[std::size_t(level)] + index)];
    }

    /// Writes the nodes that become complete with the value before `size`.
    void completeNodes(qint64 size) {
        if (size % kLeaf != 0) return;
        node(0, size / kLeaf - 1) = scan(size - kLeaf, size);
        for (int level = 1; level < kLevels; ++level) {
            const qint64 span = kLevelSpan[std::size_t(level)];
            if (size % span != 0) return;
            MinMax sum = MinMax::none();
            const qint64 firstChild = (size / span - 1) * kFanOut;
            for (qint64 child = 0; child < kFanOut; ++child) {
                sum.add(node(level - 1, firstChild + child));
            }
            node(level, size / span - 1) = sum;
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

    void prefetch(qint64 index) const {
        __builtin_prefetch(&values[std::size_t(index / kLeaf * kLeaf)]);
        for (const int level : {0, 1, 2})
            __builtin_prefetch(&node(level, index / kLevelSpan[std::size_t(level)]));
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
        const qint64 end = std::min(last, (chunk + 1) * kChunk);
        result.add(
            (*chunks_)[std::size_t(chunk)]->minMax(first - chunk * kChunk, end - chunk * kChunk));
        first = end;
    }
    return result;
}

void ColumnView::prefetch(qint64 index) const {
    if (index < 0 || index >= count_) return;
    (*chunks_)[std::size_t(index / kChunk)]->prefetch(index % kChunk);
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
