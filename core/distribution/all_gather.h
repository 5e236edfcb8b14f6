// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::distribution {

/// How many bytes each of so many processes may bring to allGather(): just under 256 KiB, above 64
/// processes 16 MiB divided by their number.
[[nodiscard]] std::size_t mostGatheredBytes(int processes);

/// Every process of the group (but the evaluator) brings bytes, at most mostGatheredBytes(), and
/// gets those of all, in order of process id; lengths may differ. All call it in the same order,
/// each from one thread; without a group one gets one's own. BadInput in all of them where one
/// brings too many. The first to come sets the deadline:
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
