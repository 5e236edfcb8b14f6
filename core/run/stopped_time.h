// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/clock.h"

namespace lockstep::run {

/// For how long a process has been stopped, as whoever looks at it now and then has seen. What lies
/// between two looks counts for two seconds at most: who has not looked for longer did not run
/// itself, and may have been stopped together with the process. One that has run between two looks,
/// as under a tracer or whoever slows it by stopping it again and again, was not stopped for long.
/// No clock, no thread.
class StoppedTime {
public:
    /// How long it has been so; 0: it is not stopped. `switches`: contextSwitches() of it.
    Nanos note(bool isStopped, std::uint64_t switches, Nanos now) {
        if (!isStopped || switches != switches_) {
            seen_.reset();
            lasted_ = Nanos{};
        }
        switches_ = switches;
        if (!isStopped) return lasted_;
        if (seen_) lasted_ += std::min<Nanos>(now - *seen_, kLongestPause);
        seen_ = now;
        return lasted_;
    }

private:
    static constexpr Nanos kLongestPause = std::chrono::seconds(2);
    std::uint64_t switches_ = 0;
    std::optional<Nanos> seen_;  ///< When it was seen stopped last.
    Nanos lasted_{};
};

}  // namespace lockstep::run
