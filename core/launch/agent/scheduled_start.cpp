// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/scheduled_start.h"

#include <fmt/format.h>

#include "core/base/absolute_path.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/job/job_paths.h"
#include "core/coordination/ticket/meeting_place.h"
#include "core/launch/agent/replica_count.h"
#include "core/run/run_folder.h"
#include "core/run/start_refusal.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStartsFolder = ".starts";

struct Places {
    fs::path runFolder;  ///< Empty: process 0 takes a fresh one, and its ticket says which.
    fs::path ticket;
};

Result<Places> placesOf(const ScheduledStart& start) {
    const config::JobSpec& job = start.job;
    const auto& id = start.cluster.startId;
    const std::string address = config::toString(start.cluster.coordinatorAddress->value);
    Places places;
    if (!job.runDir.empty())
        places.runFolder = start.jobFolder / job.runDir;
    else if (id)
        places.runFolder =
            start.runsFolder / (run::fileName(job.name) + "-" + run::fileName(id->value));
    if (!places.runFolder.empty()) {
        places.runFolder = TRY(absolutePath(places.runFolder));
        places.ticket = places.runFolder / (run::fileName(id ? id->value : address) + ".key");
    } else {
        places.ticket = TRY(absolutePath(
            start.runsFolder / kStartsFolder /
            fmt::format("{}-{}.key", run::fileName(job.name), run::fileName(address))));
    }
    return places;
}

fs::path freshRunFolder(const ScheduledStart& start) {
    const std::string base = run::fileName(start.job.name) + "-" + utcStamp();
    fs::path folder = start.runsFolder / base;
    std::error_code error;
    for (int i = 2; fs::exists(folder, error); ++i)
        folder = start.runsFolder / fmt::format("{}-{}", base, i);
    return fs::absolute(folder, error).lexically_normal();
}

/// The job with the cluster that is in force.
config::JobSpec effectiveJob(const ScheduledStart& start) {
    config::JobSpec job = start.job;
    const config::ClusterFacts& cluster = start.cluster;
    job.cluster.numProcesses = cluster.numProcesses->value;
    const bool allKnown =
        cluster.jobAddresses &&
        static_cast<int>(cluster.jobAddresses->value.size()) == cluster.numProcesses->value;
    job.cluster.jobAddresses =
        allKnown ? cluster.jobAddresses->value : std::vector{cluster.coordinatorAddress->value};
    job.cluster.jobAddresses.front() = cluster.coordinatorAddress->value;
    if (cluster.hosts && !allKnown) job.launch.hosts = cluster.hosts->value;
    if (cluster.devicesPerProcess) job.cluster.devicesPerProcess = cluster.devicesPerProcess->value;
    if (cluster.evaluator) job.cluster.evaluator = cluster.evaluator->value;
    if (cluster.evaluatorAddress) {
        job.cluster.evaluator = true;
        job.cluster.evaluatorAddress = cluster.evaluatorAddress->value;
    }
    config::makePathsAbsolute(job, start.jobFolder.string());
    return job;
}

/// Whether somebody else starts the evaluator: an environment that names it starts it, too; a job
/// file that wants one leaves that to us.
bool evaluatorComesByItself(const config::ClusterFacts& cluster) {
    if (cluster.evaluatorStarted && cluster.evaluatorStarted->value) return true;
    return cluster.evaluatorAddress &&
           (cluster.evaluatorAddress->origin.kind == config::OriginKind::Environment ||
            cluster.evaluatorAddress->origin.kind == config::OriginKind::Detection);
}

Result<wire::AgentConfig> hostConfig(const ScheduledStart& start, const Places& places) {
    auto place = TRY(coordination::meetingPlaceOf(start.cluster));
    config::JobSpec job = effectiveJob(start);
    job.cluster.jobAddresses.front().port = place.bindPort;
    const fs::path folder = places.runFolder.empty() ? freshRunFolder(start) : places.runFolder;
    job.runDir = folder.string();
    const bool others = job.cluster.numProcesses > 1 || evaluatorComesByItself(start.cluster);
    wire::AgentConfig config;
    config.set_run_id(randomHex(6));
    config.set_run_dir(job.runDir);
    config.set_job_toml(config::resolvedToml(job));
    config.set_job_dir(start.jobFolder.string());
    config.set_worker_program(start.workerProgram.string());
    config.add_process_ids(0);
    config.set_host_coordinator(true);
    config.set_resume(job.checkpoint.resume == config::ResumePolicy::Auto &&
                      run::holdsRun({fs::path(job.runDir)}));
    config.set_bind_host(place.bindHost);
    config.set_own_address(place.ownAddress);
    config.set_coordinator_host(
        place.advertisedPort == 0
            ? place.advertisedHost
            : config::toString(config::Address{place.advertisedHost, place.advertisedPort}));
    config.set_awaits_evaluator(evaluatorComesByItself(start.cluster));
    config.set_start_evaluator(job.cluster.evaluator && !config.awaits_evaluator());
    if (others) config.set_ticket_file(places.ticket.string());
    config.set_ticket_names_start(start.cluster.startId.has_value());
    *config.mutable_device_choice() = deviceChoiceOf(start.cluster);
    config.set_processes_here(static_cast<std::uint32_t>(processesBesideProcess0(start.cluster)));
    return config;
}

}  // namespace

Result<ScheduledRole> planScheduledStart(const ScheduledStart& start) {
    const auto places = TRY(placesOf(start));
    const config::ClusterFacts& cluster = start.cluster;
    const bool evaluator = cluster.role && cluster.role->value == config::ProcessRole::Evaluator;
    if (!evaluator && cluster.processId->value == 0) {
        auto config = TRY(hostConfig(start, places));
        return config;
    }
    ScheduledMember member;
    member.ticketFile = places.ticket;
    member.ticketNamesStart = cluster.startId.has_value();
    member.process0 = config::toString(cluster.coordinatorAddress->value);
    member.workerProgram = start.workerProgram;
    member.role = evaluator ? wire::ROLE_EVALUATOR : wire::ROLE_WORKER;
    member.processId = static_cast<std::uint32_t>(evaluator ? cluster.numProcesses->value
                                                            : cluster.processId->value);
    member.job = effectiveJob(start);
    member.jobFolder = start.jobFolder.string();
    member.deviceChoice = deviceChoiceOf(cluster);
    const auto& addresses = cluster.jobAddresses;
    if (!evaluator && addresses && member.processId < addresses->value.size())
        member.ownHost = addresses->value[member.processId].host;
    return member;
}

void refuseTicket(const wire::AgentConfig& config, const Error& error, int exitStatus) {
    if (config.ticket_file().empty()) return;
    wire::StartTicket refusal;
    refusal.set_error("process 0 could not start: " + error.message);
    refusal.set_remedy(error.remedy);
    refusal.set_exit_status(static_cast<std::uint32_t>(exitStatus));
    run::StartRefusal(config.ticket_file(), refusal).withdraw();
}

}  // namespace lockstep::launch
