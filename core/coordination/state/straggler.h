// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::coordination {

/// A replica whose own work makes all others wait in every step.
struct Straggler {
    std::uint32_t process = 0;
    std::uint32_t replica = 0;
    std::string host{};
    /// Part of each step, 0 to 1, that would be saved if it worked as long as is usual; where
    /// others are slow besides, if all of them did.
    double cost = 0;
    bool isTogether = false;  ///< Others were slow besides.
    std::string phase{};   ///< That takes longer: data, forward, backward, update; empty: several.
    double ownMicros = 0;  ///< What that phase, or all its own work, takes it in a step,
    double othersMicros = 0;      ///< and the others.
    std::uint64_t firstStep = 0;  ///< From which on it was slow,
    std::uint64_t lastStep = 0;   ///< to which it has been so far.
    double seconds = 0;           ///< Of training, likewise.
    bool caughtUp = false;        ///< It keeps up again.
};

/// All that were slow, in the order in which they began.
struct StragglerTally {
    std::vector<Straggler> told{};
    std::uint64_t leftOut = 0;  ///< That cost least, where there were too many to be told.
};

}  // namespace lockstep::coordination
