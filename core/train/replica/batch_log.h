// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/result.h"

namespace lockstep::train {

/// Is told of each batch that a replica trains on, before the network sees it: the step, from 1,
/// and data::batchSum() of the replica's part. On the step thread.
using BatchWatch = std::function<void(std::int64_t step, std::uint64_t sum)>;

/// Where the environment's LOCKSTEP_BATCH_SUMS names a folder: a watch that appends a line
/// "STEP SUM" (16 hexadecimal digits) for every batch to its file replica-N.txt. Else an empty one.
/// Sums of equal steps added over all replicas, modulo 2^64, tell whether two runs trained on the
/// same pixels. BadInput when the file cannot be opened.
[[nodiscard]] Result<BatchWatch> batchWatchOfEnvironment(int replica);

}  // namespace lockstep::train
