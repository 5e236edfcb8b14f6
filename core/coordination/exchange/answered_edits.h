// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

/// Edits of the store that have been answered, each process's newest kKept: one that is asked for
/// again, because its answer was lost with a connection, gets the same answer and changes nothing.
class AnsweredEdits {
public:
    static constexpr std::size_t kKept = 64;  ///< More than a process has on the way at a time.

    /// The error it was answered with, empty for none; null: it is new.
    [[nodiscard]] const std::string* find(const ProcessKey& process, std::uint64_t request) const;
    void note(const ProcessKey& process, std::uint64_t request, std::string error);
    /// Of a process that is no more; its next life counts anew.
    void forget(const ProcessKey& process) { answered_.erase(process); }
    void clear() { answered_.clear(); }

private:
    std::map<ProcessKey, std::map<std::uint64_t, std::string>> answered_;
};

}  // namespace lockstep::coordination
