// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep {

using Nanos = std::chrono::nanoseconds;
using Millis = std::chrono::milliseconds;
using Seconds = std::chrono::duration<double>;

/// Seconds as job files and arguments give them.
[[nodiscard]] inline Nanos toNanos(double seconds) {
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

/// The time source of everything that has deadlines, so that tests can play hours in microseconds.
class Clock {
public:
    virtual ~Clock() = default;
    /// Monotonic time since an arbitrary start. Never goes back, is not moved by clock changes.
    [[nodiscard]] virtual Nanos now() const = 0;
};

/// CLOCK_MONOTONIC.
class SteadyClock final : public Clock {
public:
    [[nodiscard]] Nanos now() const override { return read(); }
    [[nodiscard]] static Nanos read() {
        return std::chrono::duration_cast<Nanos>(
            std::chrono::steady_clock::now().time_since_epoch());
    }
};

/// Wall-clock time in seconds since 1970 (UTC), for records that people read; never for deadlines.
[[nodiscard]] inline double wallSeconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace lockstep
