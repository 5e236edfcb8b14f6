// SPDX-License-Identifier: Apache-2.0
#include "app/scheduled_worker.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <future>

#include "app/terminal/error_output.h"
#include "app/terminal/follow.h"
#include "core/base/exit_status.h"
#include "core/base/exit_within.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/config/cluster/cluster_detection.h"
#include "core/config/cluster/variable_reader.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/job/cluster_spec.h"
#include "core/launch/agent/hosting_agent.h"
#include "core/launch/agent/scheduled_start.h"
#include "core/launch/process/child_process.h"

namespace lockstep::app {

namespace {

std::atomic<bool> terminationRequested{false};

void requestTermination(int) {
    terminationRequested.store(true);
}

/// What the command line says of the cluster.
Result<config::ClusterFacts> factsOf(const ScheduledArguments& arguments) {
    config::ClusterFacts facts;
    const auto said = [](auto value, const char* option) {
        return config::Sourced<decltype(value)>{std::move(value),
                                                {config::OriginKind::Argument, option}};
    };
    if (arguments.processId) facts.processId = said(*arguments.processId, "--process-id");
    if (arguments.numProcesses)
        facts.numProcesses = said(*arguments.numProcesses, "--num-processes");
    if (!arguments.coordinatorAddress.empty()) {
        auto address = config::parseAddress(arguments.coordinatorAddress);
        if (!address) return failWithin("--coordinator-address", address.error());
        facts.coordinatorAddress = said(*address, "--coordinator-address");
    }
    if (!arguments.localDeviceIds.empty()) {
        constexpr const char* kOption = "--local-device-ids";
        const Environment given({{kOption, arguments.localDeviceIds}});
        config::VariableReader reader(given, config::OriginKind::Argument, "");
        facts.localDeviceIds = reader.deviceIds(kOption);
        facts = TRY(reader.finish(std::move(facts)));
    }
    return facts;
}

Result<launch::ScheduledStart> resolveStart(const ScheduledArguments& arguments) {
    auto document = TRY(loadJob(arguments.job.file));
    for (const std::string& setting : arguments.job.settings)
        TRY(document.applySetting(setting));
    auto job = TRY(document.checked());
    auto given = TRY(factsOf(arguments));
    auto cluster = TRY(config::resolveCluster(given, config::factsOf(document),
                                              Environment::ofThisProcess(), arguments.detection));
    launch::ScheduledStart start;
    start.job = std::move(job);
    start.cluster = std::move(cluster);
    std::error_code error;
    start.jobFolder = std::filesystem::absolute(arguments.job.file, error).parent_path();
    start.workerProgram = launch::programBesideThis("lockstep-worker");
    return start;
}

/// Process 0: its agent on a thread of its own, the terminal follows the run as lockstepctl does.
int hostRun(const wire::AgentConfig& config) {
    std::promise<Result<std::filesystem::path>> started;
    auto runFolder = started.get_future();
    std::promise<void> supervised;
    std::atomic<bool> terminate{false};
    std::jthread supervisor = startThread("agent", [&](const std::stop_token&) {
        auto agent = launch::HostingAgent::start(config);
        if (!agent) {
            started.set_value(fail(agent.error()));
            return launch::refuseTicket(config, agent.error(), exitStatusOf(agent.error().code));
        }
        started.set_value((*agent)->places().folder);
        launch::LauncherLine nobody(-1, false);
        std::ignore = (*agent)->supervise(nobody, terminate);  // the run's own end says it
        supervised.set_value();
    });
    // As long as the run lasts; but not for a thread of its agent that never ends.
    const auto endWith = [&](int status) {
        terminate.store(true);
        supervised.get_future().wait();
        exitWithin(kLastThreads, status);
        return status;
    };
    auto folder = runFolder.get();
    if (!folder) return report(folder.error());
    auto session = job::attach(*folder);
    if (!session) return endWith(report(session.error()));
    // A run that its terminal has left must not go on unseen.
    return endWith(followToTheEnd(**session, {}));
}

/// Where every value comes from: for those who wonder why this process is who it is.
void printOrigins(const config::ClusterFacts& cluster) {
    for (const std::string& line : config::explain(cluster))
        std::fprintf(stderr, "%s\n", line.c_str());
}

/// Any other process: an agent that says on the terminal what it does.
int runMember(launch::ScheduledMember member, const config::ClusterFacts& cluster) {
    std::signal(SIGTERM, requestTermination);
    std::signal(SIGINT, requestTermination);
    member.say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    bool isSaid = false;
    const auto sayWhy = [&isSaid](const launch::MemberEnd& end) {
        if (!end.error.empty() && !std::exchange(isSaid, true)) printError(end.error, end.remedy);
    };
    member.ends = [&sayWhy](const launch::MemberEnd& end) {
        sayWhy(end);
        exitWithin(kLastThreads, end.exitStatus);
    };
    const auto [end, runFolder] = launch::runScheduledMember(member, terminationRequested);
    if (runFolder.empty()) printOrigins(cluster);
    sayWhy(end);
    return end.exitStatus;
}

}  // namespace

void addScheduledOptions(ArgumentList program, ScheduledArguments& arguments) {
    program.add("job", arguments.job.file,
                "the job file of which this is one process: for schedulers");
    program.add("--set", arguments.job.settings,
                "KEY=VALUE of the job file, e.g. training.epochs=1");
    program.add("--process-id", arguments.processId, "this process's number, from 0");
    program.add("--num-processes", arguments.numProcesses, "how many there are");
    program.add("--coordinator-address", arguments.coordinatorAddress, "HOST:PORT of process 0");
    program.add("--local-device-ids", arguments.localDeviceIds,
                "the GPUs that this process uses, by their local numbers: 0,1");
    program.add("--cluster-detection-method", arguments.detection,
                "agent, ompi, slurm, pmi, torchrun, k8s, or deactivate; "
                "by default the first that is present");
}

int runScheduled(const ScheduledArguments& arguments) {
    auto start = resolveStart(arguments);
    if (!start) return report(start.error());
    auto role = launch::planScheduledStart(*start);
    if (!role) return report(role.error());
    const auto* host = std::get_if<wire::AgentConfig>(&*role);
    if (host == nullptr)
        return runMember(std::get<launch::ScheduledMember>(std::move(*role)), start->cluster);
    printOrigins(start->cluster);
    return hostRun(*host);
}

}  // namespace lockstep::app
