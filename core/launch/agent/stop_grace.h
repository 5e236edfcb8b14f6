// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/base/clock.h"
#include "core/config/job/job_spec.h"

namespace lockstep::launch {

/// Whether an agent is told to end for Slurm's time limit, which is near then: other than a
/// preemption or scancel, that leaves it the time that the job names. `endTime`: what
/// SLURM_JOB_END_TIME is, null where it is not set; `now`: seconds since 1970. Pure.
[[nodiscard]] inline bool isForTimeLimit(const config::JobSpec& job, const char* endTime,
                                         double now) {
    constexpr double kSlurmResolution = 60;  // so much earlier its signal may come
    if (job.launch.method != config::LaunchMethod::Slurm || endTime == nullptr) return false;
    const double end = std::strtod(endTime, nullptr);
    return end > 0 && end - now <= job.slurm.stopBeforeLimitSeconds + kSlurmResolution;
}

/// From SIGTERM to an agent to the end by force: for the last step and its checkpoint. Before the
/// time limit Slurm sends it as early as the job says, and that time is theirs; else it kills soon
/// after it (KillWait, 30 s unless configured). Pure.
[[nodiscard]] inline Nanos stopGraceOf(const config::JobSpec& job, bool forTimeLimit) {
    constexpr Nanos kLeast = std::chrono::seconds(20);
    if (!forTimeLimit) return kLeast;
    return std::max(kLeast, Nanos(std::chrono::seconds(job.slurm.stopBeforeLimitSeconds)));
}

/// Of an agent that does not host the coordinator: who does is to speak first.
[[nodiscard]] inline Nanos stopGraceOfMember(const config::JobSpec& job, bool forTimeLimit) {
    return stopGraceOf(job, forTimeLimit) + std::chrono::seconds(5);
}

/// Once it is over: why there may be no last checkpoint.
[[nodiscard]] inline std::string graceIsOver(Nanos grace, bool forTimeLimit) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(grace).count();
    return fmt::format(
        "the run is ended by force, {} s after SIGTERM: what it had still to do (the last step, "
        "its checkpoint, scores) takes longer; {}",
        seconds,
        forTimeLimit ? "slurm.stop_before_limit_seconds is how long it may"
                     : "`lockstepctl stop` waits for it");
}

}  // namespace lockstep::launch
