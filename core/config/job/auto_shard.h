// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// What data.auto_shard comes to for `processes` that train: Off, File or Data. One process has
/// nothing to share: Data, whatever the policy; and so is Auto, with which any number of processes
/// trains as one does. File is for the CSV files of a table: BadInput for other data, and where
/// there are fewer files than processes.
[[nodiscard]] Result<AutoShard> resolveAutoShard(const DataSpec& data, int processes);

}  // namespace lockstep::config
