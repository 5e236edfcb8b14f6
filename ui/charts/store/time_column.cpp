// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/charts/store/column_store.h"

namespace lockstep::ui {

namespace {
constexpr qint64 kChunk = 4096;
}

struct TimeView::Chunk {
    std::array<double, kChunk> times;
};

double TimeView::at(qint64 index, Clock clock) const {
    const double time = (*chunks_)[std::size_t(index / kChunk)]->times[std::size_t(index % kChunk)];
    return clock == Clock::Wall || pauses_ == nullptr ? time : time - pausedBefore(index);
}

double TimeView::pausedBefore(qint64 index) const {
    const auto behind =
        std::upper_bound(pauses_->begin(), pauses_->end(), index,
                         [](qint64 wanted, const Pause& pause) { return wanted < pause.index; });
    return behind == pauses_->begin() ? 0 : std::prev(behind)->total;
}

double TimeView::atStep(qint64 step, Clock clock) const {
    if (count_ == 0) return 0;
    qint64 index = steps_.lowerBound(double(step), count_);
    if (index == count_ || (index > 0 && steps_.stepAt(index) != step)) --index;
    return at(index, clock);
}

/// The first index in [low, high) whose time lies after `time`; `high` when there is none.
qint64 TimeView::firstAfter(double time, qint64 low, qint64 high, Clock clock) const {
    while (low < high) {
        const qint64 middle = (low + high) / 2;
        if (at(middle, clock) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double TimeView::stepBefore(qint64 after, double time, Clock clock) const {
    if (after == 0) return double(steps_.stepAt(0));
    const double before = double(steps_.stepAt(after - 1));
    if (after == count_) return before + 0.5;
    const double from = at(after - 1, clock);
    const double to = at(after, clock);
    return before + (double(steps_.stepAt(after)) - before) * (time - from) / (to - from);
}

double TimeView::stepAtTime(double time, Clock clock) const {
    return count_ == 0 ? 0 : stepBefore(firstAfter(time, 0, count_, clock), time, clock);
}

double TimeView::stepAtTime(double time, qint64& hint, Clock clock) const {
    if (count_ == 0) return 0;
    qint64 low = std::clamp<qint64>(hint, 0, count_);
    if (low > 0 && at(low - 1, clock) > time) low = 0;
    // In growing strides, so that the search costs the logarithm of the way from the hint.
    qint64 stride = 1;
    while (low + stride < count_ && at(low + stride - 1, clock) <= time) {
        low += stride;
        stride *= 2;
    }
    hint = firstAfter(time, low, std::min(count_, low + stride), clock);
    return stepBefore(hint, time, clock);
}

void TimeColumn::append(qint64 firstStep, std::span<const double> wallTimes) {
    if (wallTimes.empty()) return;
    if (view_.count_ > 0 && firstStep <= view_.steps_.stepAt(view_.count_ - 1)) {
        rewind(view_.steps_.lowerBound(double(firstStep), view_.count_));
    }
    view_.steps_.append(view_.count_, firstStep, qint64(wallTimes.size()));
    for (const double wallTime : wallTimes) {
        const double before = view_.count_ > 0 ? view_.at(view_.count_ - 1) : wallTime;
        const double time = wallTime > before ? wallTime : before;  // also for NaN
        if (view_.count_ == qint64(view_.chunks_->size()) * kChunk) {
            auto chunks = std::make_shared<TimeView::Chunks>(*view_.chunks_);
            chunks->push_back(std::make_shared<TimeView::Chunk>());
            view_.chunks_ = std::move(chunks);
        }
        view_.chunks_->back()->times[std::size_t(view_.count_ % kChunk)] = time;
        ++view_.count_;
    }
    starts_.empty() ? placePauses() : findPauses();
}

void TimeColumn::setStarts(std::vector<qint64> firstSteps) {
    if (firstSteps == starts_ && !firstSteps.empty()) return;
    starts_ = std::move(firstSteps);
    findPauses();
}

void TimeColumn::setPauses(std::vector<RunPause> pauses) {
    starts_.clear();
    if (pauses == pauses_) return;
    pauses_ = std::move(pauses);
    placePauses();
}

/// A pause is what a start's first step took longer than the step before it.
void TimeColumn::findPauses() {
    pauses_.clear();
    qint64 newest = 0;
    for (const qint64 step : starts_) {
        const qint64 index = view_.steps_.lowerBound(double(step), view_.count_);
        if (index == newest || index == view_.count_) continue;
        newest = index;
        const double usual = index > 1 ? view_.at(index - 1) - view_.at(index - 2) : 0;
        const double longer = view_.at(index) - view_.at(index - 1) - usual;
        const double before = pauses_.empty() ? 0 : pauses_.back().total;
        if (longer > 0) pauses_.push_back({step, before + longer});
    }
    placePauses();
}

/// Each from the first step on that these times have of what came behind it.
void TimeColumn::placePauses() {
    std::vector<TimeView::Pause> places;
    for (const RunPause& pause : pauses_) {
        const qint64 index = view_.steps_.lowerBound(double(pause.step), view_.count_);
        if (index == view_.count_) continue;
        if (!places.empty() && places.back().index == index) places.pop_back();
        places.push_back({index, pause.total});
    }
    view_.pauses_ = places.empty()
                        ? nullptr
                        : std::make_shared<const std::vector<TimeView::Pause>>(std::move(places));
}

void TimeColumn::clear() {
    *this = {};
}

void TimeColumn::rewind(qint64 count) {
    auto chunks = std::make_shared<TimeView::Chunks>(*view_.chunks_);
    chunks->resize(std::size_t((count + kChunk - 1) / kChunk));
    if (count % kChunk != 0) chunks->back() = std::make_shared<TimeView::Chunk>(*chunks->back());
    view_.chunks_ = std::move(chunks);
    view_.steps_.truncate(count);
    view_.count_ = count;
}

qint64 TimeColumn::memoryBytes() const {
    return qint64(view_.chunks_->size()) * qint64(sizeof(TimeView::Chunk));
}

}  // namespace lockstep::ui
