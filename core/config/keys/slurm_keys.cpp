// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/slurm_keys.h"

namespace lockstep::config {

std::vector<Key<JobSpec>> slurmKeys() {
    using Spec = JobSpec;
    return {
        named("slurm.partition", "", "The partition that Slurm takes nodes from.",
              textKey<Spec>(at<&Spec::slurm, &SlurmSpec::partition>, ValueKind::Text)),
        named("slurm.account", "", "The account that Slurm charges the job to.",
              textKey<Spec>(at<&Spec::slurm, &SlurmSpec::account>, ValueKind::Text)),
        named("slurm.nodes", "nodes",
              "How many nodes the processes are spread over; 0: Slurm chooses.",
              integerKey<Spec>(at<&Spec::slurm, &SlurmSpec::nodes>, {0, 100'000})),
        named("slurm.time_limit", "",
              "How long the job may run, as sbatch takes it: minutes, h:m:s or days-h:m:s.",
              textKey<Spec>(at<&Spec::slurm, &SlurmSpec::timeLimit>, ValueKind::Text)),
        named("slurm.stop_before_limit_seconds", "s",
              "So long before the time limit the run stops with a checkpoint.",
              integerKey<Spec>(at<&Spec::slurm, &SlurmSpec::stopBeforeLimitSeconds>, {1, 65535})),
        named("slurm.options", "",
              "More options of sbatch, one string each, for example \"--gres=gpu:2\".",
              textListKey<Spec>(at<&Spec::slurm, &SlurmSpec::options>)),
    };
}

}  // namespace lockstep::config
