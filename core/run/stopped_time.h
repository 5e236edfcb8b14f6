// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "core/base/clock.h"

namespace lockstep::run {

/// For how long a process has been stopped, as whoever looks at it now and then has seen. What lies
/// between two looks counts for two seconds at most: who has not looked for longer did not run
/// itself, and may have been stopped together with the process. No clock, no thread.
class StoppedTime {
public:
    /// How long it has been so; 0: it is not stopped.
    Nanos note(bool isStopped, Nanos now) {
        if (!isStopped) {
            seen_.reset();
            return lasted_ = Nanos{};
        }
        if (seen_) lasted_ += std::min<Nanos>(now - *seen_, kLongestPause);
        seen_ = now;
        return lasted_;
    }

private:
    static constexpr Nanos kLongestPause = std::chrono::seconds(2);
    std::optional<Nanos> seen_;  ///< When it was seen stopped last.
    Nanos lasted_{};
};

}  // namespace lockstep::run
