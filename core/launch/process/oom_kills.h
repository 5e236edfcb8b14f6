// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lockstep::launch {

/// How many processes the kernel of this host has killed since it was started, because it, or a
/// control group, was out of memory. 0 where /proc/vmstat does not say.
[[nodiscard]] std::uint64_t oomKills();

}  // namespace lockstep::launch
