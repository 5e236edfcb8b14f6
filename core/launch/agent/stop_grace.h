// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/clock.h"
#include "core/config/job/job_spec.h"

namespace lockstep::launch {

/// From SIGTERM to an agent to the end by force: for the last step and its checkpoint. Slurm sends
/// it as long before the end as the job says, and that time is theirs. Pure.
[[nodiscard]] inline Nanos stopGraceOf(const config::JobSpec& job) {
    constexpr Nanos kLeast = std::chrono::seconds(20);
    if (job.launch.method != config::LaunchMethod::Slurm) return kLeast;
    return std::max(kLeast, Nanos(std::chrono::seconds(job.slurm.stopBeforeLimitSeconds)));
}

/// Of an agent that does not host the coordinator: who does is to speak first.
[[nodiscard]] inline Nanos stopGraceOfMember(const config::JobSpec& job) {
    return stopGraceOf(job) + std::chrono::seconds(5);
}

/// Once it is over: why there may be no last checkpoint.
[[nodiscard]] inline std::string graceIsOver(const config::JobSpec& job, Nanos grace) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(grace).count();
    return fmt::format(
        "the run is ended by force, {} s after SIGTERM: what it had still to do (the last step, "
        "its checkpoint, scores) takes longer; {}",
        seconds,
        job.launch.method == config::LaunchMethod::Slurm
            ? "slurm.stop_before_limit_seconds is how long it may"
            : "`lockstepctl stop` waits for it");
}

}  // namespace lockstep::launch
