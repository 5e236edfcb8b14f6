// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.h"

namespace lockstep::distribution {

/// Ids of the processes of the group (the evaluator is none of them) that take part as process 0
/// sees it now: who has left by shutdown() is not among them. Without a group: 0 alone. A process
/// that dies ends the group: from then on PeerLost names it. Timeout where process 0 does not
/// answer for about 20 s. (get_live_nodes of jax.distributed's client)
[[nodiscard]] Result<std::vector<int>> liveProcesses();

}  // namespace lockstep::distribution
