// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/cut_off.h"

#include "core/base/exit_status.h"
#include "core/config/document/job_file.h"

namespace lockstep::job {

Ending cutOffEnding(const std::string& jobToml) {
    const config::JobSpec job = config::JobDocument::lenient(jobToml, "job.toml").spec();
    if (job.launch.restarts() == 0 || job.launch.method == config::LaunchMethod::Slurm)
        return {kExitFailed, "the run was cut off: its journal stops without an end",
                "Resume it: lockstepctl run JOB.toml --run-dir DIR --resume"};
    return {kExitFailed,
            "the run was cut off: its agent is gone without a word, and none has taken its place "
            "so far",
            "Where the program that has launched the run is there, it starts another agent by "
            "itself, as launch.max_restarts says: look again in a minute or two.\n"
            "Else resume it: lockstepctl run JOB.toml --run-dir DIR --resume"};
}

}  // namespace lockstep::job
