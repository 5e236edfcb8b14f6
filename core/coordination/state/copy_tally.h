// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::coordination {

/// How the copies of a run's checkpoints on another host stand.
struct CopyTally {
    std::string host;  ///< Where they lie; empty: nothing was heard of copies.
    std::uint64_t copied = 0;
    std::uint64_t overtaken = 0;  ///< Committed, but a newer one came before their turn.
    std::uint64_t failures = 0;   ///< Attempts, each of which was tried again.
    std::int64_t newest = 0;      ///< The step that was copied last; 0: none.
    std::int64_t awaited = 0;     ///< The newest step that is committed and not copied; 0: none.
    std::string problem;          ///< Of the newest attempt; empty: it has succeeded.
};

}  // namespace lockstep::coordination
