// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// How many files hold the training samples of a job's data set; 0: it is generated, not read.
[[nodiscard]] int trainingFiles(const DataSpec& data);

/// What a policy comes to for `files` training files and `processes` that train: Off, File or
/// Data. One process has nothing to share: Data, whatever the policy. BadInput, with tf.data's
/// advice, for File with fewer files than processes.
[[nodiscard]] Result<AutoShard> resolveAutoShard(AutoShard policy, int files, int processes);

}  // namespace lockstep::config
