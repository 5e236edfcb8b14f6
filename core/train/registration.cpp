// SPDX-License-Identifier: Apache-2.0
#include "core/train/registration.h"

#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/distribution/local_devices.h"

namespace lockstep::train {

namespace {

wire::Register withReplicas(const config::JobSpec& job) {
    wire::Register self;
    self.set_replicas(static_cast<std::uint32_t>(job.cluster.localReplicas()));
    return self;
}

}  // namespace

wire::Register withoutDevices(const config::JobSpec& job, const Error& error) {
    wire::Register self = withReplicas(job);
    self.set_without_gpus(sanitizeLine(error.message, 400));
    return self;
}

Result<wire::Register> registrationOf(const wire::WorkerConfig& config, const config::JobSpec& job,
                                      const tensor::GpuSupport& support) {
    distribution::GpuWish wish{
        .chosen = {}, .allowed = job.cluster.localDeviceIds, .byLauncher = {}};
    const wire::DeviceChoice& choice = config.device_choice();
    auto& ids = choice.by_launcher() ? wish.byLauncher : wish.chosen;
    ids.assign(choice.local_ids().begin(), choice.local_ids().end());
    const auto replicas = static_cast<std::size_t>(job.cluster.localReplicas());
    if (support.usable() && !wish.chosen.empty() && wish.chosen.size() != replicas)
        return fail(ErrorCode::BadInput,
                    fmt::format("this process was given {} by local number, and it has {}",
                                counted(wish.chosen.size(), "GPU"), counted(replicas, "replica")),
                    "Name as many GPUs for every process as cluster.devices_per_process says.");
    wire::Register self = withReplicas(job);
    TRY(distribution::addDevices(support, wish, job.cluster.localReplicas(), false, self));
    return self;
}

}  // namespace lockstep::train
