// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep {

/// Seconds since 1970 (UTC) for what a process reports: the wall clock when the process first asked
/// for it, carried on by a clock that nobody sets. So what lies between two of its records is a
/// duration, also where the wall clock was moved meanwhile. Any thread; no system call.
[[nodiscard]] double recordSeconds();

}  // namespace lockstep
