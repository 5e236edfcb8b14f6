// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// Where a message came from: the connection answers it, the user is who the authenticator says.
struct Peer {
    std::string connection;
    std::string user;
};

/// Who is heard at all: processes of this run and generation, in their present life. Whoever is
/// turned away is counted, and told why where that lets it end.
class MessageGate {
public:
    MessageGate(const JobState& job, Membership& members, Outbox& outbox)
        : job_(job), members_(members), outbox_(outbox) {}

    /// The process that says it; nothing when that, or what it says, is not of this run.
    [[nodiscard]] std::optional<ProcessKey> senderOf(const Peer& peer,
                                                     const wire::ToCoordinator& message);
    /// The member that says it, which is answered over this connection from now on; null when that
    /// life of it is over, or has not registered.
    [[nodiscard]] Member* speaker(const Peer& peer, const ProcessKey& sender,
                                  const wire::ToCoordinator& message);

private:
    [[nodiscard]] std::optional<std::string> refusal(const wire::ToCoordinator& message,
                                                     const std::optional<ProcessKey>& sender) const;

    const JobState& job_;
    Membership& members_;
    Outbox& outbox_;
};

}  // namespace lockstep::coordination
