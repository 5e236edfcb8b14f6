// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// Behind the words on a SIGKILL that was the kernel's, for want of memory; and what helps.
inline constexpr const char* kMemoryRanOut =
    ": memory ran out, of its host or of its control group";
inline constexpr const char* kMemoryRemedy =
    "Give the host more memory (or its control group: memory.max), or the job fewer "
    "processes there,\na smaller network, or a smaller global batch.";

/// What the end of a process says, in the user's words.
struct ExitCause {
    std::string sentence;  ///< "was killed by signal 9 (SIGKILL)"; for behind "process 3 ".
    std::string remedy;
    bool failed = true;      ///< Not status 0.
    bool onRequest = false;  ///< A program of Lockstep's says that it was asked to end.
    bool decisive = false;   ///< No follow-up of another process's end looks like this.
    /// It says that another one is gone: its connection to it has ended.
    bool followsAnother = false;
    bool badInput =
        false;  ///< Status 2 of a program of Lockstep's: the user's job or data are wrong.
    bool fromOutside = false;  ///< Somebody has killed it, and not the kernel for want of memory.
};

[[nodiscard]] ExitCause describeExit(const wire::ProcessExit& exit);

}  // namespace lockstep::coordination
