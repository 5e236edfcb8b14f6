// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::distribution {

/// Every process of the group (but the evaluator) brings bytes, at most 256 KiB, and gets those of
/// all, in order of process id; lengths may differ. All call it in the same order, each from one
/// thread; without a group one gets one's own. The first to come sets the deadline:
/// `timeoutSeconds`. Timeout names the processes that did not come: whoever has seen it is out of
/// step with them, and the group is to be formed anew. PeerLost once one has died or left. It goes
/// by way of process 0: for what is said between epochs, not for gradients.
/// (process_allgather of JAX' multihost_utils)
[[nodiscard]] Result<std::vector<std::string>> allGather(const std::string& bytes,
                                                         double timeoutSeconds = 300);

/// Likewise numbers, with all their bits: element [p][i] is the i-th of process p.
[[nodiscard]] Result<std::vector<std::vector<double>>> allGatherNumbers(
    std::span<const double> numbers, double timeoutSeconds = 300);

}  // namespace lockstep::distribution
