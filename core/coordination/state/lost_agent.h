// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep::coordination {

/// The cause of a run's end where a process is to begin again, but the agent of its host is gone:
/// its launcher, where it is there, knows by this sentence that another start goes on.
inline constexpr const char* kLostAgent =
    "the agent of its host is lost, and nobody starts it again";

}  // namespace lockstep::coordination
