// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::app {

/// The epochs of a run that are still to be told.
class UntoldEpochs {
public:
    /// Those that have come since. None while history is replayed; an epoch that a former start
    /// ended within, and this one goes on with, is told once it is whole.
    [[nodiscard]] std::vector<job::EpochView> take(const job::RunView& view);

private:
    std::int64_t toldStep_ = 0;  ///< Of the newest one.
};

}  // namespace lockstep::app
