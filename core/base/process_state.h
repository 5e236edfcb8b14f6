// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace lockstep {

/// The letter that proc(5) has for what a process, or one thread of it by its own number, does at
/// this moment: R, S, D, T, t, Z, …; 0: there is no such one.
[[nodiscard]] char processState(pid_t id);

/// Whether that letter means that it is held by SIGSTOP or job control, or by a debugger.
[[nodiscard]] inline bool isStoppedState(char state) {
    return state == 'T' || state == 't';
}

}  // namespace lockstep
