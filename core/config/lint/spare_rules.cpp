// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/spare_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "core/base/plural.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/lint/ssh_destination.h"

namespace lockstep::config {

namespace {

std::string_view wordOf(LaunchMethod method) {
    return method == LaunchMethod::Slurm ? "slurm" : "local";
}

/// The name of a host as ssh and the DNS take it.
std::string nameOf(const std::string& destination) {
    auto parsed = parseSshDestination(destination);
    std::string name = parsed ? parsed->host : destination;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

/// The job's hosts by name, each with the key that names it.
std::map<std::string, std::string> membersOf(const JobSpec& spec) {
    std::map<std::string, std::string> members;
    for (std::size_t i = 0; i < spec.launch.hosts.size(); ++i)
        members.try_emplace(nameOf(spec.launch.hosts[i]), fmt::format("launch.hosts[{}]", i));
    for (std::size_t i = 0; i < spec.cluster.jobAddresses.size(); ++i)
        members.try_emplace(nameOf(spec.cluster.jobAddresses[i].host),
                            fmt::format("cluster.job_addresses[{}]", i));
    if (spec.cluster.evaluatorAddress)
        members.try_emplace(nameOf(spec.cluster.evaluatorAddress->host), "cluster.evaluator");
    return members;
}

void checkSpareHosts(const JobSpec& spec, Report& report) {
    std::map<std::string, std::string> known = membersOf(spec);
    for (std::size_t i = 0; i < spec.launch.spares.size(); ++i) {
        const std::string key = fmt::format("launch.spares[{}]", i);
        const std::string& spare = spec.launch.spares[i];
        const auto destination = parseSshDestination(spare);
        if (!destination) {
            report.error(key, fmt::format("{}: {}", key, destination.error().message),
                         destination.error().remedy);
            continue;
        }
        const auto [first, isNew] = known.try_emplace(nameOf(spare), key);
        if (isNew) continue;
        const bool isMember = !first->second.starts_with("launch.spares");
        report.error(key,
                     fmt::format("{} is \"{}\", which {} names {}", key, spare, first->second,
                                 isMember ? "as a host of the job" : "already"),
                     isMember ? "A spare is a host that the job does not use yet."
                              : "Name each spare once.");
    }
}

/// Who puts a spare in a lost host's place is the launcher that the job is tied to.
void noteWhatSparesGive(const JobSpec& spec, Report& report) {
    const LaunchSpec& launch = spec.launch;
    const bool tied = launch.onDisconnect == OnDisconnect::Tied;
    report.add(
        Severity::Note, "launch.spares",
        fmt::format(
            "launch.spares: {} nothing; one takes the place of a host that is lost and not "
            "reached again within {:g} s{}. In the place of process 0's host it must see "
            "the run's folder, as on a shared file system{}",
            launch.spares.size() == 1 ? "1 host starts"
                                      : counted(launch.spares.size(), "host") + " start",
            launch.spareAfterSeconds,
            tied ? ", while the program that has launched the job is there"
                 : ", where the job is tied to the program that has launched it, and that "
                   "is there (a detached run uses none)",
            spec.checkpoint.copies > 1 ? ", or it goes on from the copy on the second host" : ""),
        tied ? "job.run_dir and --run-dir name the run's folder."
             : "Tied is what `lockstepctl run` starts without --detach, and what "
               "launch.on_disconnect = \"tied\" asks for. job.run_dir and --run-dir name the run's "
               "folder.");
}

}  // namespace

void checkSpares(const JobSpec& spec, Report& report) {
    const LaunchSpec& launch = spec.launch;
    if (launch.spares.empty()) return;
    if (launch.method != LaunchMethod::Ssh)
        return report.error(
            "launch.spares",
            fmt::format("launch.spares names {}, but launch.method is \"{}\": only a launch over "
                        "ssh puts a host in the place of another one",
                        counted(launch.spares.size(), "host"), wordOf(launch.method)),
            "Set launch.method to \"ssh\", or remove launch.spares.");
    if (launch.onFailure == OnFailure::Stop)
        report.error("launch.spares",
                     "launch.spares names hosts that take the place of a lost one, but "
                     "launch.on_failure is \"stop\": the job does not begin again",
                     "Set launch.on_failure to \"restart\", or remove launch.spares.");
    else if (launch.restarts() == 0)
        report.error("launch.spares",
                     "launch.spares names hosts that take the place of a lost one, but "
                     "launch.max_restarts is 0: the job does not begin again",
                     "Set launch.max_restarts to how often it may begin again.");
    else
        noteWhatSparesGive(spec, report);
    checkSpareHosts(spec, report);
}

}  // namespace lockstep::config
