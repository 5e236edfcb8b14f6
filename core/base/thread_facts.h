// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

/// A thread as the kernel sees it.
struct ThreadFacts {
    pid_t id = 0;
    std::string name;
    char state = '?';                  ///< As in /proc: R, S, D, T, t, Z.
    std::string waitsIn;               ///< The kernel's function it waits in; empty: not known.
    std::uint64_t blockedSignals = 0;  ///< A bit each; the lowest is signal 1.
    std::uint64_t caughtSignals = 0;   ///< Of its process.
};

/// Whether a mask of /proc holds the signal.
[[nodiscard]] constexpr bool holdsSignal(std::uint64_t mask, int signal) {
    return ((mask >> (static_cast<unsigned>(signal) - 1U)) & 1U) != 0;
}

/// The threads of a process, by their ids; none where it is no more, or not this user's.
[[nodiscard]] std::vector<ThreadFacts> threadsOf(pid_t process);

/// "is stopped, in do_signal_stop".
[[nodiscard]] std::string stateWords(const ThreadFacts& thread);

}  // namespace lockstep
