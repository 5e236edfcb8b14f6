// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/base/clock.h"

namespace lockstep::coordination {

/// At least four heartbeats in the silence that counts as a loss, so that one may come late, but
/// none more often than `usual` asks for.
[[nodiscard]] inline Nanos heartbeatInterval(Nanos usual, Nanos timeout) {
    return std::min(usual, timeout / 4);
}

/// Who listens to heartbeats and did not run itself for longer than this (it looks every 100 ms)
/// takes nobody's silence for evidence.
[[nodiscard]] inline Nanos forgivenGap(Nanos interval) {
    return std::max<Nanos>(interval, Millis(300));
}

}  // namespace lockstep::coordination
