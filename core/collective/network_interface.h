// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lockstep::collective {

/// The interface of this host that has the address `host` (a name is looked up): "eth0", "lo".
/// Empty when none has.
[[nodiscard]] std::string interfaceOf(const std::string& host);

}  // namespace lockstep::collective
