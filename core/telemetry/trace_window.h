// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::telemetry {

/// An edge of a part of a run, or how long the part is: in steps, or in seconds.
struct TraceBound {
    bool isStep = false;
    std::uint64_t step = 0;
    double seconds = 0;  ///< As an edge: since the run began.
};

/// "1200" is a step; "90s", "1.5m" and "2h" are times. BadInput names `option`.
[[nodiscard]] Result<TraceBound> parseTraceBound(std::string_view text, std::string_view option);

/// The part of a run that is wanted; nothing: all of it. `last` goes with neither of the others.
struct TraceWindow {
    std::optional<TraceBound> from;
    std::optional<TraceBound> to;
    std::optional<TraceBound> last;

    [[nodiscard]] bool isWhole() const { return !from && !to && !last; }
};

/// How far a run extends; nanoseconds since 1970, by the coordinator's clock.
struct RunExtent {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    std::uint64_t newestStep = 0;  ///< Of its last start.

    void include(std::int64_t time);
};

/// The window in numbers. What begins in it is in it; steps may be bounded by their numbers
/// instead.
struct TraceLimits {
    std::uint64_t firstStep = 0;
    std::uint64_t lastStep = std::numeric_limits<std::uint64_t>::max();
    std::int64_t stepsBegin = std::numeric_limits<std::int64_t>::min();
    std::int64_t stepsEnd = std::numeric_limits<std::int64_t>::max();
    /// For all but steps. Where steps are bounded by numbers: from when the first of them begins
    /// to when the last one ends, as `include` has found.
    std::int64_t begin = std::numeric_limits<std::int64_t>::min();
    std::int64_t end = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool hasStep(std::uint64_t step, std::int64_t stepBegin) const {
        return step >= firstStep && step <= lastStep && stepBegin >= stepsBegin &&
               stepBegin <= stepsEnd;
    }
    [[nodiscard]] bool has(std::int64_t time) const { return time >= begin && time <= end; }
};

/// The edges that are times, and the numbers of steps.
[[nodiscard]] TraceLimits limitsOf(const TraceWindow& window, const RunExtent& run);

}  // namespace lockstep::telemetry
