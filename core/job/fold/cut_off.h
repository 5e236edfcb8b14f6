// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/fold/run_fold.h"

namespace lockstep::job {

/// How a run has ended of whose end nobody has said anything. Where its job, `jobToml`, lets a
/// launcher start another agent, one that is about to do so cannot be told from one that is gone.
[[nodiscard]] Ending cutOffEnding(const std::string& jobToml);

}  // namespace lockstep::job
