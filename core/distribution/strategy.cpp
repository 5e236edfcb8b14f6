// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/distribution/devices.h"
#include "core/distribution/process_state.h"

namespace lockstep::distribution {

namespace {

/// "undefined behaviour" elsewhere; here a sentence that names who differs.
Result<void> checkEqualDevices(const ProcessGroup& group) {
    const auto& members = group.roster().members();
    for (const wire::Member& member : members) {
        if (member.replicas() == members[0].replicas()) continue;
        return fail(ErrorCode::BadInput,
                    fmt::format("every process must have the same number of devices: process 0 "
                                "({}) has {}, process {} ({}) has {}",
                                members[0].host(), members[0].replicas(), member.process_id(),
                                member.host(), member.replicas()),
                    "Give all processes as many as the one that has the fewest.");
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<const MirroredStrategy>> MirroredStrategy::make(
    std::vector<std::string> devices) {
    const auto group = ProcessState::instance().group();
    if (group && group->processCount() > 1)
        return fail(ErrorCode::BadInput,
                    fmt::format("MirroredStrategy is for one process; this one is number {} of a "
                                "group of {}",
                                group->processId(), group->processCount()),
                    "Use MultiWorkerMirroredStrategy.");
    auto all = TRY(listDevices());
    if (devices.empty()) devices = all;
    for (const std::string& device : devices)
        if (std::ranges::find(all, device) == all.end())
            return fail(ErrorCode::BadInput,
                        fmt::format("'{}' is not a device of this process, which has {}",
                                    sanitizeLine(device, 40), joinWords(all)),
                        "setCpuDeviceCount gives it more.");
    const int count = static_cast<int>(devices.size());
    auto distribution = TRY(DataParallel::make({.deviceMesh = {}, .devices = std::move(devices)}));
    Place place;
    place.localReplicas = count;
    return std::shared_ptr<const MirroredStrategy>(
        new MirroredStrategy(std::move(distribution), place));
}

Result<std::shared_ptr<const MultiWorkerMirroredStrategy>> MultiWorkerMirroredStrategy::make(
    const InitializeOptions& options) {
    if (!isInitialized()) TRY(initialize(options));
    const auto group = ProcessState::instance().group();
    if (!group) return fail(ErrorCode::Cancelled, "the group has been shut down meanwhile");
    TRY(checkEqualDevices(*group));
    auto distribution = TRY(DataParallel::make());
    if (group->processCount() == 1 && !group->isEvaluator())
        std::fprintf(stderr, "Single-worker MultiWorkerMirroredStrategy with local_devices = %s\n",
                     joinWords(distribution->deviceMesh().devices()).c_str());
    Place place;
    place.localReplicas = group->localDevices();
    place.evaluator = group->isEvaluator();
    place.chief = !place.evaluator && group->processId() == 0;
    place.hasEvaluator = group->hasEvaluator();
    return std::shared_ptr<const MultiWorkerMirroredStrategy>(
        new MultiWorkerMirroredStrategy(std::move(distribution), place));
}

}  // namespace lockstep::distribution
