// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::job {

/// A place in a run's journal: what was known once everything before `offset` had come.
struct RunMoment {
    std::uint64_t offset = 0;  ///< Behind a whole record.
    double wallTime = 0;       ///< Seconds since 1970, by the coordinator's clock.
    std::int64_t step = 0;     ///< Completed by all replicas.
    bool operator==(const RunMoment&) const = default;
};

/// Something that happened.
struct TimelineMark {
    enum class Kind : std::uint8_t {
        Start,
        Failure,
        Checkpoint,
        Verdict,
        Drill,
        Evaluation,
        End,
    };
    Kind kind = Kind::Start;
    RunMoment moment;      ///< Behind the record that tells of it.
    std::string sentence;  ///< What a person reads.
    bool operator==(const TimelineMark&) const = default;
};

/// When what of a run happened, and where in its journal that stands; times never decrease. Where
/// nothing was written for long, nobody ran: such pauses take no room on the timeline, whose
/// seconds are those of the run without them.
struct RunTimeline {
    static constexpr double kPauseSeconds = 10;

    /// A moment, and where it lies.
    struct Point {
        RunMoment moment;
        double seconds = 0;  ///< Since the first record, without pauses.
    };
    std::vector<Point> points;  ///< Of a long run not every record has one.
    std::vector<TimelineMark> marks;
    std::size_t marksLeftOut = 0;  ///< There is no room for more.
    std::string damage;            ///< What of the journal cannot be read; empty: all can.

    [[nodiscard]] bool empty() const { return points.empty(); }
    /// How long it is.
    [[nodiscard]] double seconds() const { return empty() ? 0 : points.back().seconds; }
    /// The last point at or before `seconds`, the first one before all. Not of an empty timeline.
    [[nodiscard]] const Point& at(double seconds) const;
    /// The first point at or behind `wallTime`, the last one where there is none: what was said
    /// then is known there. Not of an empty timeline.
    [[nodiscard]] const Point& from(double wallTime) const;
    /// Where something of `wallTime` lies.
    [[nodiscard]] double secondsAt(double wallTime) const;
    /// The nearest point before or behind `moment` at which another number of steps was complete;
    /// the first or the last one where there is none.
    [[nodiscard]] const Point& otherStep(const RunMoment& moment, bool forward) const;
};

}  // namespace lockstep::job
