// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/base/clock.h"

namespace lockstep::coordination {

/// What is not answered by then was lost with a connection, or its answer was.
inline constexpr Nanos kRepeat = std::chrono::seconds(2);

}  // namespace lockstep::coordination
