// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/store/column_store.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ui/charts/store/column_chunk.h"

namespace lockstep::ui {

void StepMap::append(qint64 index, qint64 firstStep, qint64 count) {
    if (!runs_->empty()) {
        const Run& last = runs_->back();
        const qint64 length = index - last.firstIndex;
        const bool strideFits = count == 1 || last.stride == 1;
        if (strideFits && firstStep == last.firstStep + length * last.stride) return;
        if (length == 1 && count == 1) {
            // The second point of a stretch decides how far its points lie apart.
            const qint64 stride = firstStep - last.firstStep;
            ownRuns().back().stride = stride;
            return;
        }
    }
    ownRuns().push_back({index, firstStep, 1});
}

void StepMap::truncate(qint64 count) {
    std::vector<Run>& runs = ownRuns();
    while (!runs.empty() && runs.back().firstIndex >= count)
        runs.pop_back();
}

/// To be changed: a copy where somebody reads these. A figure at steps that follow no rule has a
/// run every other value, and copying all of them for each would cost the square of their number.
std::vector<StepMap::Run>& StepMap::ownRuns() {
    if (runs_.use_count() == 1)
        std::ignore = std::shared_ptr(runs_);  // sees what the readers that have let go had done
    else
        runs_ = std::make_shared<std::vector<Run>>(*runs_);
    return *runs_;
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

float ColumnView::at(qint64 index) const {
    return (*chunks_)[std::size_t(index / kChunk)].chunk->values[std::size_t(index % kChunk)];
}

qint64 ColumnView::countAbove(qint64 first, qint64 last, double limit, qint64 most) const {
    qint64 count = 0;
    for (qint64 at = std::max<qint64>(0, first); at < std::min(last, count_) && count < most;) {
        const qint64 start = at / kChunk * kChunk;
        const qint64 end = std::min({last, count_, start + kChunk});
        count += (*chunks_)[std::size_t(at / kChunk)].chunk->countAbove(at - start, end - start,
                                                                        limit, most - count);
        at = end;
    }
    return count;
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
        if (!chunks->empty()) chunks->back().isWhole = !chunks->back().chunk->hasNonFinite;
        chunks->push_back({std::make_shared<ColumnView::Chunk>()});
        view_.chunks_ = std::move(chunks);
    }
    return *view_.chunks_->back().chunk;
}

void Column::rewind(qint64 count) {
    auto chunks = std::make_shared<ColumnView::Chunks>(*view_.chunks_);
    chunks->resize(std::size_t((count + kChunk - 1) / kChunk));
    // Readers may be in the chunk that is to be overwritten.
    if (count % kChunk != 0)
        chunks->back() = {std::make_shared<ColumnView::Chunk>(*chunks->back().chunk)};
    view_.chunks_ = std::move(chunks);
    view_.steps_.truncate(count);
    view_.count_ = count;
    ++view_.generation_;
}

qint64 Column::memoryBytes() const {
    return qint64(view_.chunks_->size()) * qint64(sizeof(ColumnView::Chunk));
}

}  // namespace lockstep::ui
