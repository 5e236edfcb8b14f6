// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/clock.h"

namespace lockstep::coordination {

/// "12.5 s"
[[nodiscard]] std::string secondsText(Nanos duration);

/// "process 3", "processes 1, 3-5"; `ids` is sorted.
[[nodiscard]] std::string processesText(const std::vector<int>& ids);

}  // namespace lockstep::coordination
