// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace lockstep {

/// For the threads of a process that has done all that it was there for.
inline constexpr std::chrono::seconds kLastThreads{20};

/// For a process that has nothing left to do but to end: after `limit` it ends with `status`,
/// whatever it waits for then. A thread that is held by a debugger, or by a disk that does not
/// answer, is joined by nobody. Whoever ends before does so as ever; the last call counts. Takes
/// SIGALRM.
void exitWithin(std::chrono::seconds limit, int status);

}  // namespace lockstep
