// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/clock.h"

namespace lockstep {

/// Watches a loop of another thread that turns many times a second, from one that does, too. What
/// lies between two looks counts for half a second at most: who looks seldom is stopped, or
/// starved, itself, and so may be the loop. No clock, no thread.
class LoopWatch {
public:
    enum class Step : std::uint8_t { GoOn, Warn, GiveUp };

    LoopWatch(Nanos warnAfter, Nanos giveUpAfter)
        : warnAfter_(warnAfter), giveUpAfter_(giveUpAfter) {}

    /// What is due at `now`, when the loop has turned at `turned` last. Warn: once in a standstill.
    [[nodiscard]] Step look(Nanos turned, Nanos now) {
        if (turned_ != turned) {
            turned_ = turned;
            stood_ = Nanos{};
            warned_ = false;
        } else {
            stood_ += std::min(now - lookedAt_, kLongestPause);
        }
        lookedAt_ = now;
        if (stood_ >= giveUpAfter_) return Step::GiveUp;
        if (stood_ < warnAfter_ || warned_) return Step::GoOn;
        warned_ = true;
        return Step::Warn;
    }
    /// For how long the loop has been standing.
    [[nodiscard]] Nanos stood() const { return stood_; }

private:
    static constexpr Nanos kLongestPause = Millis(500);
    const Nanos warnAfter_;
    const Nanos giveUpAfter_;
    Nanos turned_ = Nanos::min();  // not seen to turn yet
    Nanos lookedAt_{};
    Nanos stood_{};
    bool warned_ = false;
};

}  // namespace lockstep
