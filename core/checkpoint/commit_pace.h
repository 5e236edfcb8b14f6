// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/clock.h"

namespace lockstep::checkpoint {

/// From when on a commit counts as hung.
struct CommitLimits {
    Nanos least{std::chrono::seconds(3)};   ///< Never sooner than this,
    int factor = 3;                         ///< nor than so many times what the run's usually take.
    Nanos first{std::chrono::seconds(30)};  ///< While none has been seen.
};

/// What becomes of a snapshot while a commit counts as hung.
enum class IfHung : std::uint8_t { WaitOn, LeaveOut };

/// What the commits of a run usually take. No clock, no thread.
class CommitPace {
public:
    explicit CommitPace(CommitLimits limits = {}) : limits_(limits) {}

    /// One has taken so long.
    void add(Nanos duration);
    /// How long one may take before it counts as hung.
    [[nodiscard]] Nanos limit() const;

private:
    static constexpr std::size_t kRemembered = 15;
    const CommitLimits limits_;
    std::array<Nanos, kRemembered> newest_{};
    std::size_t count_ = 0;  ///< Of all that were added.
};

}  // namespace lockstep::checkpoint
