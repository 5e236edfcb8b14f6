// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/live_processes.h"

#include "core/base/try.h"
#include "core/distribution/group_call.h"
#include "core/distribution/initialize.h"

namespace lockstep::distribution {

Result<std::vector<int>> liveProcesses() {
    if (!isInitialized()) return std::vector<int>{0};
    const auto group = TRY(groupFor("liveProcesses()", false));
    return group->store().liveWorkers();
}

}  // namespace lockstep::distribution
