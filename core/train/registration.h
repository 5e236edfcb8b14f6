// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/tensor/gpu_support.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::train {

/// What this process brings along: the GPUs that it may use, and its threads.
[[nodiscard]] Result<wire::Register> registrationOf(const wire::WorkerConfig& config,
                                                    const config::JobSpec& job,
                                                    const tensor::GpuSupport& support);
/// Of a process that cannot go on: it takes its place all the same, to tell why.
[[nodiscard]] wire::Register withoutDevices(const config::JobSpec& job, const Error& error);

}  // namespace lockstep::train
