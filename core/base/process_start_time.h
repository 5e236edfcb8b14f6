// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace lockstep {

/// Start time of a process in clock ticks since boot: with the pid it names the process for ever.
/// Nothing when there is no such process.
[[nodiscard]] std::optional<std::uint64_t> processStartTime(pid_t pid);

}  // namespace lockstep
