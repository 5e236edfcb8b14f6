// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/strategy.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/distribution/device_plan.h"
#include "core/distribution/process_state.h"

namespace lockstep::distribution {

Result<std::shared_ptr<const MirroredStrategy>> MirroredStrategy::make(
    std::vector<std::string> devices) {
    const auto group = ProcessState::instance().group();
    if (group && group->processCount() > 1)
        return fail(ErrorCode::BadInput,
                    fmt::format("MirroredStrategy is for one process; this one is number {} of a "
                                "group of {}",
                                group->processId(), group->processCount()),
                    "Use MultiWorkerMirroredStrategy.");
    DataParallelOptions options;
    if (!devices.empty()) options.devices = std::move(devices);
    auto distribution = TRY(DataParallel::make(options));
    Place place;
    place.localReplicas = TRY(planDevices(*distribution)).replicasOfEach();
    return std::shared_ptr<const MirroredStrategy>(
        new MirroredStrategy(std::move(distribution), place));
}

Result<std::shared_ptr<const MultiWorkerMirroredStrategy>> MultiWorkerMirroredStrategy::make(
    const InitializeOptions& options) {
    if (!isInitialized()) TRY(initialize(options));
    const auto group = ProcessState::instance().group();
    if (!group) return fail(ErrorCode::Cancelled, "the group has been shut down meanwhile");
    auto distribution = TRY(DataParallel::make());
    if (group->processCount() == 1 && !group->isEvaluator())
        std::fprintf(stderr, "Single-worker MultiWorkerMirroredStrategy with local_devices = %s\n",
                     joinWords(distribution->deviceMesh().devices()).c_str());
    Place place;
    place.localReplicas = TRY(planDevices(*distribution)).replicasOfEach();
    place.evaluator = group->isEvaluator();
    place.chief = !place.evaluator && group->processId() == 0;
    place.hasEvaluator = group->hasEvaluator();
    return std::shared_ptr<const MultiWorkerMirroredStrategy>(
        new MultiWorkerMirroredStrategy(std::move(distribution), place));
}

}  // namespace lockstep::distribution
