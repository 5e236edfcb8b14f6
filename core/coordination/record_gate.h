// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/coordination/membership.h"

namespace lockstep::coordination {

/// Whether `sender` may have `record` written into the run's journal: a process speaks for itself
/// and its replicas only, the chief also for the run, and nobody for the coordinator.
/// `numbered`: the replicas have their numbers (all workers have registered).
[[nodiscard]] bool mayWrite(const Member& sender, const wire::Record& record, bool numbered);

/// Whether the heartbeat is of this life of `sender`, whatever it says of its replicas.
[[nodiscard]] bool isSignOfLife(const Member& sender, const wire::Heartbeat& heartbeat);

}  // namespace lockstep::coordination
