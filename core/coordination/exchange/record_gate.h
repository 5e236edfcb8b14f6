// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "core/coordination/state/membership.h"

namespace lockstep::coordination {

/// Whether `sender` may have `record` written into the run's journal: a process speaks for itself
/// and its replicas only, the chief also for the run, and nobody for the coordinator.
/// `numbered`: the replicas have their numbers (all workers have registered).
/// `agents`: JobRules::agents.
[[nodiscard]] bool mayWrite(const Member& sender, const wire::Record& record, bool numbered,
                            const std::map<ProcessKey, std::uint32_t>& agents);

/// Whether `sender` may tell of a process how it is, or how it ended; `member` where that has
/// registered: an agent, of a process that it has started. `agents`: JobRules::agents.
[[nodiscard]] bool mayTellOf(const Member& sender, const ProcessKey& process, const Member* member,
                             const std::map<ProcessKey, std::uint32_t>& agents);

/// Whether the heartbeat is of this life of `sender`, whatever it says of its replicas.
[[nodiscard]] bool isSignOfLife(const Member& sender, const wire::Heartbeat& heartbeat);

}  // namespace lockstep::coordination
