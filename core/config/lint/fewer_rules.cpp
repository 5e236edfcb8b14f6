// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/fewer_rules.h"

#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/config/lint/mesh_rules.h"

namespace lockstep::config {

namespace {

constexpr const char* kKey = "launch.least_processes";
constexpr const char* kWithout = "Remove launch.least_processes: every process is needed then.";
constexpr const char* kOneHost =
    "launch.method is \"local\": there is one host, and losing it loses every process";

/// Who leaves a host behind is the launcher that the job is tied to.
void noteWhatItGives(const JobSpec& spec, Report& report) {
    const LaunchSpec& launch = spec.launch;
    const bool tied = launch.onDisconnect == OnDisconnect::Tied;
    report.add(
        Severity::Note, kKey,
        fmt::format(
            "launch.least_processes: where a host is lost and not reached again, and no "
            "spare takes its place, the job goes on from its newest checkpoint without that "
            "host, as long as {} of {} are left{}",
            launch.leastProcesses, counted(spec.cluster.numProcesses, "process"),
            tied ? "" : "; not where it is detached: nobody is there to begin again without it"),
        "The batch stays as large, and is shared by those that are left; --resume takes all hosts "
        "again.");
}

}  // namespace

std::string whyAllAreNeeded(const JobSpec& spec) {
    if (spec.launch.method == LaunchMethod::Slurm)
        return "launch.method is \"slurm\": who gives a job its hosts is Slurm, and it ends what "
               "has lost one";
    if (spec.launch.runsOwnProgram())
        return "launch.command trains, and how many processes share its work only that program "
               "knows";
    if (std::string why = whyPartsAreNeeded(spec); !why.empty()) return why;
    const bool isOff = spec.data.autoShard == AutoShard::Off;
    if (spec.cluster.numProcesses > 1 && (isOff || spec.data.autoShard == AutoShard::File))
        return fmt::format(
            "data.auto_shard is \"{}\": what each process reads depends on how many there are, and "
            "a run goes on with as many only",
            isOff ? "off" : "file");
    return {};
}

void checkLeastProcesses(const JobSpec& spec, Report& report) {
    const LaunchSpec& launch = spec.launch;
    const int least = launch.leastProcesses;
    if (least == 0) return;
    const std::string is = fmt::format("launch.least_processes is {}, but ", least);
    if (launch.method == LaunchMethod::Local)
        return report.warning(kKey, is + kOneHost,
                              "Set launch.method to \"ssh\", or remove launch.least_processes.");
    if (const std::string why = whyAllAreNeeded(spec); !why.empty())
        return report.error(kKey, is + why, kWithout);
    if (least > spec.cluster.numProcesses)
        return report.error(
            kKey, is + "there " + isCounted(spec.cluster.numProcesses, "process"),
            "Set it to how many processes are enough without a lost host; 0: every one is needed.");
    if (launch.onFailure == OnFailure::Stop)
        return report.error(kKey,
                            is + "launch.on_failure is \"stop\": the job does not begin again",
                            "Set launch.on_failure to \"restart\", or remove "
                            "launch.least_processes.");
    if (launch.restarts() == 0)
        return report.error(kKey, is + "launch.max_restarts is 0: the job does not begin again",
                            "Set launch.max_restarts to how often it may begin again.");
    noteWhatItGives(spec, report);
}

}  // namespace lockstep::config
