// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace lockstep {

/// The letter that proc(5) has for what a process, or one thread of it by its own number, does at
/// this moment: R, S, D, T, t, Z, …; 0: there is no such one.
[[nodiscard]] char processState(pid_t id);

/// Likewise of one thread of a process; 0, too, where it is no thread of this one any more.
[[nodiscard]] char threadState(pid_t process, pid_t thread);

/// How often its first thread has given way to others so far: the same number at two looks means
/// that it did not run between them. 0: there is no such process.
[[nodiscard]] std::uint64_t contextSwitches(pid_t process);

/// Whether that letter means that it is held by SIGSTOP or job control, or by a debugger.
[[nodiscard]] inline bool isStoppedState(char state) {
    return state == 'T' || state == 't';
}

}  // namespace lockstep
