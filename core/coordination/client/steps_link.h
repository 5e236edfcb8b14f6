// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/coordination/client/client.h"

namespace lockstep::coordination {

/// What the journal has of the replicas' steps, as the chief asks it. Used by one thread; the
/// client outlives the link.
class StepsLink {
public:
    explicit StepsLink(Client& client) : client_(client) {}

    /// Waits until the journal's file has the steps of all replicas up to `step`. Timeout; PeerLost
    /// as soon as the generation is over. Behind one that was in vain, as with a disk that takes no
    /// journal, it waits for a quarter of a second at most until one is answered: training, which
    /// may be held up by each checkpoint, must not wait so long for each.
    [[nodiscard]] Result<void> await(std::int64_t step, Nanos timeout);

private:
    Client& client_;
    bool isLate_ = false;  ///< The last one was in vain.
};

}  // namespace lockstep::coordination
