// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/wire/messages.pb.h"

namespace lockstep::launch {

/// The supervisor of one host: hosts the coordinator, starts the host's workers and the evaluator,
/// keeps what they write, reports how they end, restarts them by policy, and leaves nothing
/// behind. The configuration comes as one frame on `input`, the answer goes as one frame to
/// `output`. With policy `tied` the end of `input` ends the job. Returns the run's exit status:
/// 0 done, 1 failed, 2 bad input, 3 stopped.
[[nodiscard]] int runAgent(int input, int output);

}  // namespace lockstep::launch
