// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::app {

/// One thing that a GPU must do right: the detail that is printed beside "ok" (a measured error, a
/// count), or why it failed.
struct SelfCheck {
    std::string name;
    std::function<Result<std::string>()> run;
    int gpus = 1;  ///< How many it takes; where there are fewer, it is skipped.
};

// The checks by subject. All need a GPU, and are made and run only where there is one.

/// Whole steps: gradients against float64, captured against not, what ends a run.
[[nodiscard]] std::vector<SelfCheck> engineChecks();
/// Whole networks forward and backward, by the executor that the host drives.
[[nodiscard]] std::vector<SelfCheck> programChecks();
/// NCCL with one replica a GPU, its abort, and the figures of NVML.
[[nodiscard]] std::vector<SelfCheck> clusterChecks(const std::vector<std::string>& uuids);

/// Networks that 2 and 4 GPUs share, over NCCL connections of rows and columns.
[[nodiscard]] std::vector<SelfCheck> meshChecks();

}  // namespace lockstep::app
