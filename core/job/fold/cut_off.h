// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/fold/run_fold.h"

namespace lockstep::job {

/// How a run has ended of whose end nobody has said anything: not its agent, and no launcher that
/// would have started another one, as far as its job, `jobToml`, allows that.
[[nodiscard]] Ending cutOffEnding(const std::string& jobToml);

}  // namespace lockstep::job
