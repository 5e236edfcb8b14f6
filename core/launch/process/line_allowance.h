// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

namespace lockstep::launch {

/// Lets a burst of lines pass, then so many a second. Once it has refused one it refuses all until
/// a second's worth may pass together: a flood has one gap a second, not one before every line.
class LineAllowance {
public:
    LineAllowance(double linesPerSecond, double burstLines)
        : linesPerSecond_(linesPerSecond), burstLines_(burstLines), left_(burstLines) {}

    /// Whether a line may pass now.
    [[nodiscard]] bool take(Nanos now);

private:
    double linesPerSecond_;
    double burstLines_;
    double left_;
    bool closed_ = false;
    Nanos refilled_{0};
};

}  // namespace lockstep::launch
