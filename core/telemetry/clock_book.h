// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// A process of a run.
using ProcessName = std::pair<wire::Role, std::uint32_t>;

/// By how much the coordinator's clock was ahead of those of the processes, as they have measured
/// it. Between two measurements it is between theirs. Of a long run every other one is forgotten,
/// again and again, so it stays small.
class ClockBook {
public:
    static constexpr std::size_t kMostPoints = 512;  ///< Of a life of a process.

    /// `local`: the record's own time.
    void add(const wire::ClockOffset& offset, double local);
    /// Seconds to be added to what this life of the process has called `local`. Where it did not
    /// measure, what another life of it did holds; and 0 where none did.
    [[nodiscard]] double offsetAt(const ProcessName& process, std::uint64_t incarnation,
                                  double local) const;
    /// Of its last life; 0 where nothing was measured.
    [[nodiscard]] double lastOffset(const ProcessName& process) const;

private:
    struct Point {
        double local = 0;
        double offset = 0;
        double roundTrip = 0;
    };
    struct Life {
        std::uint64_t incarnation = 0;
        std::vector<Point> points;  ///< In order of `local`.
    };
    static void thinOut(std::vector<Point>& points);

    std::map<ProcessName, std::vector<Life>> lives_;
};

}  // namespace lockstep::telemetry
