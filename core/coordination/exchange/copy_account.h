// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/coordination/state/copy_tally.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// Counts, from the records that pass, which committed checkpoints have a copy on another host.
/// Pure.
class CopyAccount {
public:
    /// The chief has committed one, or could not.
    void note(const wire::CheckpointEvent& event);
    /// The agent of the other host has copied one, or could not.
    void note(const wire::CheckpointCopy& copy);

    [[nodiscard]] CopyTally tally() const;

private:
    void settle(std::int64_t step);

    CopyTally tally_;
    std::vector<std::int64_t> waiting_;  ///< Committed and not copied, in the order of commits.
};

}  // namespace lockstep::coordination
