// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/coordination/client/client.h"

namespace lockstep::coordination {

/// What the journal has of the replicas' steps, as the chief asks it. Thread-safe, as the client
/// is, which outlives the link.
class StepsLink {
public:
    explicit StepsLink(Client& client) : client_(client) {}

    /// Waits until the journal's file has the steps of all replicas up to `step`. Timeout; PeerLost
    /// as soon as the generation is over.
    [[nodiscard]] Result<void> await(std::int64_t step, Nanos timeout);

private:
    Client& client_;
};

}  // namespace lockstep::coordination
