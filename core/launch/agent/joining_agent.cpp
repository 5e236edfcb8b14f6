// SPDX-License-Identifier: Apache-2.0
// lockstep-worker --agent --join: the agent of a host that does not host the coordinator. Its
// launcher hands it the ticket and stays on its standard input.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/launch/agent/agent.h"
#include "core/launch/agent/agent_output.h"
#include "core/launch/agent/member_agent.h"
#include "core/launch/agent/other_agents.h"
#include "core/launch/process/child_process.h"
#include "core/launch/run/job_difference.h"
#include "core/launch/run/run_id.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kConfigTimeout{30};
constexpr std::chrono::seconds kJoinTimeout{20};
constexpr Millis kJoinSlice{150};  ///< Between looks at the launcher.

std::atomic<bool> terminationRequested{false};

void requestTermination(int) {
    terminationRequested.store(true);
}

std::vector<coordination::ProcessKey> keysOf(const wire::OtherAgent& processes,
                                             std::uint32_t workers) {
    std::vector<coordination::ProcessKey> keys;
    for (const std::uint32_t id : processes.process_ids())
        keys.push_back({wire::ROLE_WORKER, id});
    if (processes.start_evaluator()) keys.push_back({wire::ROLE_EVALUATOR, workers});
    return keys;
}

/// The run's folder where this host sees it, else one of its own, which is made.
Result<RunPaths> placesOf(const wire::JoinConfig& config) {
    if (config.run_dir().empty()) return RunPaths{config.ticket().run_dir()};
    const RunPaths places{config.run_dir()};
    std::error_code error;
    std::filesystem::create_directories(places.logs(), error);
    if (error)
        return fail(ErrorCode::BadInput, fmt::format("cannot make {} for the run's logs: {}",
                                                     places.logs().string(), error.message()));
    return places;
}

Result<MemberAgentOptions> optionsOf(const wire::JoinConfig& config) {
    if (!isRunId(config.ticket().run_id()))
        return fail(ErrorCode::BadInput, "the launcher named no run that could be joined");
    auto document = TRY(config::JobDocument::parse(config.ticket().job_toml(), "job.toml"));
    auto job = TRY(document.checked());
    auto places = TRY(placesOf(config));
    const auto workers = static_cast<std::uint32_t>(job.cluster.numProcesses);
    MemberAgentOptions options;
    options.ticket = config.ticket();
    options.agentId = memberIdOf(config.processes(), workers);
    options.processes = keysOf(config.processes(), workers);
    options.job = std::move(job);
    options.jobToml = [toml = config.ticket().job_toml()]() -> Result<std::string> { return toml; };
    options.jobFolder = config.job_dir();
    options.process0 = config.ticket().coordinator_address();
    options.ownHost = config.own_address();
    options.places = std::move(places);
    options.seesRunFolder = config.run_dir().empty();
    options.workerProgram = config.worker_program();
    options.say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    return options;
}

/// Joined, or why not: nobody waits for an agent whose launcher has gone.
Result<std::unique_ptr<MemberAgent>> joinRun(MemberAgentOptions options, LauncherLine& launcher) {
    const std::string coordinator = options.ticket.coordinator_address();
    auto agent = std::make_unique<MemberAgent>(std::move(options));
    TRY(agent->connect());
    const Nanos deadline = SteadyClock::read() + kJoinTimeout;
    while (SteadyClock::read() < deadline) {
        auto joined = agent->join(kJoinSlice);
        if (joined) return agent;
        if (joined.error().code != ErrorCode::Timeout) return fail(joined.error());
        launcher.read();
        if (launcher.isAbandoned() || terminationRequested.load())
            return fail(ErrorCode::Cancelled, "the launch was given up");
    }
    return fail(ErrorCode::Timeout,
                fmt::format("the coordinator at {} does not answer", coordinator),
                "Check that this host reaches that address and port: a firewall may stand in "
                "the way.");
}

int superviseRun(MemberAgent& agent, LauncherLine& launcher, AgentRegistration& registration) {
    const pid_t self = ::getpid();
    const ProcessEntry own{"agent", 0, hostName(), self, processStartTime(self).value_or(0)};
    const MemberEnd end = agent.supervise({
        terminationRequested,
        [&launcher] { return launcher.isAbandoned(); },
        [&] {
            launcher.read();
            auto entries = agent.entries();
            entries.insert(entries.begin(), own);
            registration.update(entries);
        },
    });
    if (!end.error.empty()) std::fprintf(stderr, "error: %s\n", end.error.c_str());
    return end.exitStatus;
}

}  // namespace

int runJoiningAgent(int input, int output) {
    std::signal(SIGTERM, requestTermination);
    std::signal(SIGINT, requestTermination);
    auto config = wire::readMessage<wire::JoinConfig>(input, kConfigTimeout);
    if (!config) return reportNoConfiguration(config.error());
    auto options = optionsOf(*config);
    if (!options) return refuseStart(output, options.error());
    const RunPaths places = options->places;
    const std::string logName = fmt::format("agent-{}.log", options->agentId);
    AgentRegistration registration({config->ticket().run_id(), places.folder.string(),
                                    options->job.name, false, options->agentId});
    ::fcntl(input, F_SETFL, O_NONBLOCK);
    LauncherLine launcher(input, config->tied());
    auto agent = joinRun(std::move(*options), launcher);
    if (!agent) return refuseStart(output, agent.error());
    wire::AgentReady ready;
    ready.set_pid(::getpid());
    ready.set_start_time(processStartTime(::getpid()).value_or(0));
    std::ignore = wire::writeMessage(output, ready, kConfigTimeout);  // the launcher may be gone
    moveErrorOutput(places, logName);
    return superviseRun(**agent, launcher, registration);
}

}  // namespace lockstep::launch
