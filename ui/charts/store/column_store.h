// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::ui {

/// Smallest and largest finite value of a stretch, and what is in it that is neither.
struct MinMax {
    float min;  ///< +infinity when there is no finite value.
    float max;  ///< -infinity when there is no finite value.
    std::uint32_t nonFinite = 0;

    [[nodiscard]] static MinMax none() {
        constexpr float kFar = std::numeric_limits<float>::infinity();
        return {kFar, -kFar, 0};
    }
    [[nodiscard]] bool isEmpty() const { return min > max; }
    void add(float value) {
        // Without branches: what is not finite leaves both bounds as they are.
        const bool finite = std::isfinite(value);
        const float low = finite ? value : min;
        const float high = finite ? value : max;
        min = low < min ? low : min;
        max = high > max ? high : max;
        nonFinite += finite ? 0U : 1U;
    }
    void add(const MinMax& other) {
        min = other.min < min ? other.min : min;
        max = other.max > max ? other.max : max;
        nonFinite += other.nonFinite;
    }
};

/// What is known of a stretch of a column.
struct Stretch {
    MinMax bounds = MinMax::none();  ///< Exact.
    /// The values on both sides of its begin, and of its end, are certain to lie within the bounds.
    bool holdsBegin = false;
    bool holdsEnd = false;
};

/// Which step each index of a column has: stretches of constant stride, so that neither steps
/// that were skipped nor figures of every 500th step cost memory.
class StepMap {
public:
    struct Run {
        qint64 firstIndex = 0;
        qint64 firstStep = 0;
        qint64 stride = 1;
    };

    /// Steps must grow.
    void append(qint64 index, qint64 firstStep, qint64 count);
    void truncate(qint64 count);
    [[nodiscard]] qint64 stepAt(qint64 index) const;
    /// The first index whose step is at least `step`; `count` when there is none.
    [[nodiscard]] qint64 lowerBound(double step, qint64 count) const;

private:
    [[nodiscard]] const Run& runAt(qint64 index) const;

    [[nodiscard]] std::vector<Run>& ownRuns();

    std::shared_ptr<std::vector<Run>> runs_ = std::make_shared<std::vector<Run>>();
};

/// The values that one reader sees: immutable, cheap to copy, usable on any thread while the
/// column grows on.
class ColumnView {
public:
    [[nodiscard]] qint64 size() const { return count_; }
    /// Grows with each rewind: what was derived from an older one must be derived anew.
    [[nodiscard]] std::uint32_t generation() const { return generation_; }
    [[nodiscard]] float at(qint64 index) const;
    [[nodiscard]] qint64 stepAt(qint64 index) const { return steps_.stepAt(index); }
    [[nodiscard]] qint64 lowerBound(double step) const { return steps_.lowerBound(step, count_); }
    /// What is known of [edges[0], edges[1]), [edges[1], edges[2]) and so on: one result less than
    /// there are edges, which never fall. Of many values a few are looked at.
    void stretches(std::span<const qint64> edges, std::span<Stretch> results) const;
    /// How many finite values of [first, last) lie above `limit`, at most `most`.
    [[nodiscard]] qint64 countAbove(qint64 first, qint64 last, double limit, qint64 most) const;
    /// Asks memory for what the same call will read first.
    void prefetchStretches(std::span<const qint64> edges) const;
    [[nodiscard]] const StepMap& steps() const { return steps_; }
    /// The same values at the steps of another column, index for index; it is no shorter.
    [[nodiscard]] ColumnView atStepsOf(const ColumnView& other) const {
        ColumnView view = *this;
        view.steps_ = other.steps_;
        return view;
    }

private:
    friend class Column;
    friend class StretchSearch;
    struct Chunk;
    struct ChunkEntry {
        std::shared_ptr<Chunk> chunk;
        bool isWhole = false;  ///< It is full, and all its values are finite. False: not sure.
    };
    using Chunks = std::vector<ChunkEntry>;

    std::shared_ptr<const Chunks> chunks_ = std::make_shared<Chunks>();
    StepMap steps_;
    qint64 count_ = 0;
    std::uint32_t generation_ = 0;
};

/// An append-only column of floats with a pyramid of minima and maxima over blocks of 16, 64,
/// 256, 1024 and 4096 values. A value or node is written once, before a view that can reach it
/// is handed out, so readers need no lock. Appending belongs to one thread.
class Column {
public:
    /// Values of consecutive steps. A step that is not beyond the last one rewinds the column to
    /// before it first.
    void append(qint64 firstStep, std::span<const float> values);
    void clear();
    [[nodiscard]] ColumnView view() const { return view_; }
    [[nodiscard]] const ColumnView& current() const { return view_; }
    [[nodiscard]] qint64 size() const { return view_.count_; }
    /// What values and pyramid take.
    [[nodiscard]] qint64 memoryBytes() const;

private:
    void push(float value);
    void rewind(qint64 count);
    ColumnView::Chunk& tailChunk();

    ColumnView view_;
};

/// Another start of a run.
struct RunStart {
    qint64 firstStep = 0;  ///< That it trains.
    double wallTime = 0;   ///< When it began.
    bool operator==(const RunStart&) const = default;
};

/// Before `step` a run has stood still for `total` seconds, in all its pauses so far.
struct RunPause {
    qint64 step = 0;
    double total = 0;
    bool operator==(const RunPause&) const = default;
};

/// A column of times, in seconds since 1970, without a pyramid.
class TimeView {
public:
    /// What a time leaves out: nothing, or the pauses before the starts of a run, which stands
    /// still in them.
    enum class Clock { Wall, Running };

    [[nodiscard]] qint64 size() const { return count_; }
    [[nodiscard]] double at(qint64 index, Clock clock = Clock::Wall) const;
    [[nodiscard]] qint64 lastStep() const { return steps_.stepAt(count_ - 1); }
    /// When a step ended; steps between or outside the known ones take the nearest one before, then
    /// after.
    [[nodiscard]] double atStep(qint64 step, Clock clock = Clock::Wall) const;
    /// When the first known step ended that is no smaller; it must not lie beyond the last one.
    [[nodiscard]] double atOrBehind(qint64 step) const {
        return at(steps_.lowerBound(double(step), count_));
    }
    /// The last step that ended at or before a time (the first step when none did), as a number
    /// between steps where the time lies between two ends.
    [[nodiscard]] double stepAtTime(double time, Clock clock = Clock::Wall) const;
    /// As above, found from the index at which the last search ended: for times that grow.
    [[nodiscard]] double stepAtTime(double time, qint64& hint, Clock clock = Clock::Wall) const;

private:
    friend class TimeColumn;
    [[nodiscard]] double pausedBefore(qint64 index) const;
    [[nodiscard]] qint64 firstAfter(double time, qint64 low, qint64 high, Clock clock) const;
    [[nodiscard]] double stepBefore(qint64 after, double time, Clock clock) const;
    struct Chunk;
    using Chunks = std::vector<std::shared_ptr<Chunk>>;
    /// From `index` on the run has stood still for `total` seconds.
    struct Pause {
        qint64 index = 0;
        double total = 0;
    };

    std::shared_ptr<const Chunks> chunks_ = std::make_shared<Chunks>();
    std::shared_ptr<const std::vector<Pause>> pauses_;  ///< Null: none.
    StepMap steps_;
    qint64 count_ = 0;
};

class TimeColumn {
public:
    void append(qint64 firstStep, std::span<const double> wallTimes);
    /// The first step of each start of the run but the first: before it the run stood still. What
    /// it trained and lost again does not count as running either.
    void setStarts(std::vector<qint64> firstSteps);
    /// As these times tell them, or as was said.
    [[nodiscard]] const std::vector<RunPause>& pauses() const { return pauses_; }
    /// As other times of the same run tell them: whose replica was not in all starts knows the
    /// others' training from a pause by nothing else.
    void setPauses(std::vector<RunPause> pauses);
    void clear();
    [[nodiscard]] TimeView view() const { return view_; }
    [[nodiscard]] const TimeView& current() const { return view_; }
    [[nodiscard]] qint64 memoryBytes() const;

private:
    void rewind(qint64 count);
    void findPauses();
    void placePauses();

    TimeView view_;
    std::vector<qint64> starts_;
    std::vector<RunPause> pauses_;
};

}  // namespace lockstep::ui
