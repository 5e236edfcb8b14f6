// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lockstep::coordination {

/// What was thrown away, and why. Nothing is dropped without being counted here.
struct Counters {
    std::uint64_t malformed = 0;       ///< Bytes that are no message of ours, or too large.
    std::uint64_t foreign = 0;         ///< From another run, protocol or generation.
    std::uint64_t unregistered = 0;    ///< From a process that has not registered.
    std::uint64_t fenced = 0;          ///< From a lost or replaced incarnation.
    std::uint64_t repeated = 0;        ///< Sent again after a connection broke, or behind a gap.
    std::uint64_t refusedRecords = 0;  ///< Records that their sender may not write, or unreadable.
    std::uint64_t refusedStores = 0;   ///< Keys or values over the store's limits.
    std::uint64_t undelivered = 0;     ///< Messages to a member whose connection was gone or full.
    std::uint64_t refusedPeers = 0;    ///< Connections without an allowed key.
    std::uint64_t lostRecords = 0;     ///< Records that the disk did not take.
};

}  // namespace lockstep::coordination
