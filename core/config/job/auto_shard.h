// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// What a policy comes to for `processes` that train: Off or Data. One process has nothing to
/// share: Data, whatever the policy. BadInput for File: files are not dealt out to processes.
[[nodiscard]] Result<AutoShard> resolveAutoShard(AutoShard policy, int processes);

}  // namespace lockstep::config
