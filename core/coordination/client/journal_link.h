// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/coordination/client/client.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// A piece of the run's journal from `offset` on, as it is in the file; whole frames. Waits so long
/// for an answer: Timeout, PeerLost; Io where the file cannot be read.
[[nodiscard]] Result<wire::JournalPiece> fetchJournal(Client& client, std::uint64_t offset,
                                                      Nanos patience);

}  // namespace lockstep::coordination
