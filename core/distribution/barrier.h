// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"

namespace lockstep::distribution {

/// Waits until every process of the group (but the evaluator) has called it with this name, which
/// has 1 to 251 bytes of UTF-8 and may be used again once all are through. The first to come sets
/// the deadline for all: `timeoutSeconds`. Timeout names the processes that did not come; PeerLost
/// once one of them has died or left. Without a group it returns at once. From several threads of a
/// process each needs a name of its own. (wait_at_barrier of jax.distributed's client)
[[nodiscard]] Result<void> barrier(const std::string& name, double timeoutSeconds = 300);

}  // namespace lockstep::distribution
