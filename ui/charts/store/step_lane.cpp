// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/store/step_lane.h"

#include <algorithm>

namespace lockstep::ui {

namespace {

/// What is measured of clocks moves steps by less.
constexpr qint64 kMostOverlap = 1'000'000'000;

}  // namespace

void StepLane::add(const Step& step) {
    if (step.begin < end() - kMostOverlap) cutBack(step.begin);
    Entry entry{step.number, std::max(step.begin, end()), 0, total_};
    entry.end = std::max(step.end, entry.begin);
    qint64 mark = entry.begin;
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
        const qint64 until = std::clamp(step.phaseEnds[phase], mark, entry.end);
        total_[phase] += until - mark;
        mark = until;
    }
    total_[kPhases] += entry.end - mark;
    steps_.push_back(entry);
}

/// Lets go of what ends later.
void StepLane::cutBack(qint64 time) {
    while (!steps_.empty() && steps_.back().end > time) {
        total_ = steps_.back().before;
        steps_.pop_back();
    }
}

void StepLane::keep(std::size_t most) {
    while (steps_.size() > most)
        steps_.pop_front();
}

StepLane::Step StepLane::at(std::size_t index) const {
    const Entry& entry = steps_.at(index);
    Step step{entry.number, entry.begin, entry.end, {}};
    qint64 mark = entry.begin;
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
        mark += after(index)[phase] - entry.before[phase];
        step.phaseEnds[phase] = mark;
    }
    return step;
}

std::size_t StepLane::firstEndingAfter(qint64 time) const {
    const auto found =
        std::upper_bound(steps_.begin(), steps_.end(), time,
                         [](qint64 at, const Entry& entry) { return at < entry.end; });
    return std::size_t(found - steps_.begin());
}

std::size_t StepLane::firstBeginningAt(qint64 time) const {
    const auto found =
        std::lower_bound(steps_.begin(), steps_.end(), time,
                         [](const Entry& entry, qint64 at) { return entry.begin < at; });
    return std::size_t(found - steps_.begin());
}

StepLane::Taken StepLane::takenBefore(qint64 time) const {
    std::size_t index = firstEndingAfter(time);
    return takenBefore(time, index);
}

StepLane::Taken StepLane::takenBefore(qint64 time, std::size_t& index) const {
    while (index < steps_.size() && steps_[index].end <= time)
        ++index;
    if (index == steps_.size()) return total_;
    const Entry& entry = steps_[index];
    Taken taken = entry.before;
    qint64 left = std::max<qint64>(0, time - entry.begin);
    for (std::size_t kind = 0; kind < taken.size(); ++kind) {
        const qint64 part = std::min(left, after(index)[kind] - entry.before[kind]);
        taken[kind] += part;
        left -= part;
    }
    return taken;
}

int StepLane::mostOf(const Taken& before, const Taken& after) {
    int most = kNothing;
    qint64 longest = 0;
    for (int kind = 0; kind < kKinds; ++kind) {
        const qint64 taken = after[std::size_t(kind)] - before[std::size_t(kind)];
        if (taken <= longest) continue;
        longest = taken;
        most = kind;
    }
    return most;
}

}  // namespace lockstep::ui
