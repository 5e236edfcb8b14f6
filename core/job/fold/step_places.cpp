// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/step_places.h"

#include <algorithm>
#include <span>

namespace lockstep::job {

void placeSteps(const StepColumns& columns, const std::function<void(const PlacedStep&)>& use) {
    const std::size_t count = columns.stepMicroseconds.size();
    const auto place = [&](std::size_t begin, std::size_t end, std::int64_t firstEnd) {
        const auto part = [begin, end](const std::vector<float>& column) {
            const std::size_t from = std::min(begin, column.size());
            return std::span(column).subspan(from, std::min(end, column.size()) - from);
        };
        telemetry::StepTimes times;
        times.firstStep = static_cast<std::uint64_t>(columns.firstStep) + begin;
        times.firstEnd = firstEnd;
        times.taken = part(columns.stepMicroseconds);
        for (std::size_t phase = 0; phase < kStepPhases; ++phase)
            times.phases[phase] = part(columns.phaseMicroseconds[phase]);
        telemetry::placeSteps(times, use);
    };
    const auto& ends = columns.measuredEnds;
    if (ends.empty()) return place(0, count, telemetry::nanosecondsOf(columns.firstEndWallTime));
    for (std::size_t i = 0; i < ends.size(); ++i)
        place(ends[i].index, i + 1 < ends.size() ? ends[i + 1].index : count, ends[i].nanoseconds);
}

}  // namespace lockstep::job
