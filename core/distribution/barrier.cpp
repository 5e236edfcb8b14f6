// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/barrier.h"

#include "core/base/try.h"
#include "core/coordination/exchange/barrier_table.h"
#include "core/distribution/group_call.h"
#include "core/distribution/initialize.h"

namespace lockstep::distribution {

Result<void> barrier(const std::string& name, double timeoutSeconds) {
    const Nanos timeout = TRY(waitTime(timeoutSeconds));
    const std::string own =
        TRY(userName("a barrier's name", name, coordination::BarrierTable::kMaxNameBytes));
    if (!isInitialized()) return {};
    const auto group = TRY(groupFor("a barrier", true));
    auto passed = group->barrier(own, timeout);
    return passed ? passed : failInUserWords(std::move(passed).error());
}

}  // namespace lockstep::distribution
