// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/failure_keys.h"

#include "core/config/job/cluster_spec.h"

namespace lockstep::config {

namespace {
constexpr double kHour = 3600;
}

std::vector<Key<JobSpec>> failureKeys() {
    using Spec = JobSpec;
    return {
        named("launch.on_failure", "",
              "What is done when a process is lost: restart the job from its newest checkpoint (as "
              "often as max_restarts says), stop it, or regroup: go on from the newest step, which "
              "the hosts keep in memory.",
              wordKey<Spec>(at<&Spec::launch, &LaunchSpec::onFailure>,
                            {{"restart", OnFailure::Restart},
                             {"stop", OnFailure::Stop},
                             {"regroup", OnFailure::Regroup}})),
        named("launch.max_restarts", "restarts",
              "How often the job begins again when a process is lost; with on_failure = "
              "\"regroup\" 0 "
              "means 10.",
              integerKey<Spec>(at<&Spec::launch, &LaunchSpec::maxRestarts>, {0, 1000})),
        named(
            "launch.on_stuck", "",
            "What is done about a job that is alive but does not move: restart it from its newest "
            "checkpoint (one of max_restarts), stop it, or wait for it.",
            wordKey<Spec>(
                at<&Spec::launch, &LaunchSpec::onStuck>,
                {{"wait", OnStuck::Wait}, {"restart", OnStuck::Restart}, {"stop", OnStuck::Stop}})),
        named("launch.stuck_grace_seconds", "s",
              "How long such a job is waited for once it has been called stuck.",
              numberKey<Spec>(at<&Spec::launch, &LaunchSpec::stuckGraceSeconds>,
                              {0, kHour, false, false})),
        named(
            "launch.spares", "",
            "Hosts that start nothing, as ssh destinations: one takes the place of a host that is "
            "lost and not reached again.",
            textListKey<Spec>(at<&Spec::launch, &LaunchSpec::spares>)),
        named("launch.spare_after_seconds", "s",
              "For so long a lost host is waited for before a spare takes its place.",
              numberKey<Spec>(at<&Spec::launch, &LaunchSpec::spareAfterSeconds>,
                              {0, kHour, false, false})),
        named(
            "launch.least_processes", "processes",
            "Where no spare takes the place of a host that is lost and not reached again, the job "
            "goes on without it, with so many processes at least; 0: every process is needed.",
            integerKey<Spec>(at<&Spec::launch, &LaunchSpec::leastProcesses>, {0, kMostProcesses})),
        named(
            "launch.lease_seconds", "s",
            "A tied job ends when the program that started it is silent for this long.",
            numberKey<Spec>(at<&Spec::launch, &LaunchSpec::leaseSeconds>, {0, kHour, true, false})),
    };
}

}  // namespace lockstep::config
