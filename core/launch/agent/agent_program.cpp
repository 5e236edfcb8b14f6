// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/agent_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>

#include "core/base/exit_status.h"
#include "core/base/exit_within.h"
#include "core/base/file.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/launch/agent/hosting_agent.h"
#include "core/launch/agent/launcher_line.h"
#include "core/launch/agent/member_agent.h"
#include "core/launch/agent/other_agents.h"
#include "core/run/run_files.h"
#include "core/run/run_id.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kFrameTimeout{30};
constexpr std::chrono::seconds kJoinTimeout{20};
constexpr std::chrono::seconds kLastCopy{60};  ///< For what the copy of the run still gets.
constexpr Millis kJoinSlice{150};              ///< Between looks at the launcher.

std::atomic<bool> terminationRequested{false};

void requestTermination(int) {
    terminationRequested.store(true);
}

/// From now on this process's own words go to a log of the run: nobody reads its terminal.
void moveErrorOutput(const run::RunPaths& places, const std::string& logName) {
    const UniqueFd log(::open((places.logs() / logName).c_str(),
                              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (log.valid()) std::ignore = ::dup2(log.get(), STDERR_FILENO);
}

wire::AgentReady refusal(const Error& error) {
    wire::AgentReady answer;
    answer.set_error(error.message);
    answer.set_remedy(error.remedy);
    answer.set_bad_input(isRefusal(error.code));
    return answer;
}

/// An agent that has started, and what its launcher is told of it.
template <typename Agent>
struct Started {
    std::unique_ptr<Agent> agent;
    wire::AgentReady answer;
    std::string logName;
};

/// Besides what the agent answers itself: its pid and start time name it for ever.
wire::AgentReady completed(wire::AgentReady answer) {
    const run::ProcessEntry self = run::entryOfThisProcess("agent");
    answer.set_pid(self.pid);
    answer.set_start_time(self.startTime);
    return answer;
}

/// `start` makes the agent of a configuration, which `supervise` then supervises.
template <typename Config, typename Start, typename Supervise>
int runAgent(int input, int output, const Start& start, const Supervise& supervise) {
    std::signal(SIGTERM, requestTermination);
    std::signal(SIGINT, requestTermination);
    auto config = wire::readMessage<Config>(input, kFrameTimeout);
    if (!config) {
        std::fprintf(stderr, "error: the agent got no configuration: %s\n",
                     config.error().message.c_str());
        return kExitBadInput;
    }
    ::fcntl(input, F_SETFL, O_NONBLOCK);
    LauncherLine launcher(input, config->tied());
    const auto started = start(*config, launcher);
    // The launcher may be gone: then it reads no answer.
    if (!started) {
        std::ignore = wire::writeMessage(output, refusal(started.error()), kFrameTimeout);
        return kExitBadInput;
    }
    std::ignore = wire::writeMessage(output, completed(started->answer), kFrameTimeout);
    moveErrorOutput(started->agent->places(), started->logName);
    const int status = supervise(*started->agent, launcher);
    exitWithin(kLastThreads, status);
    return status;
}

Result<Started<HostingAgent>> startHosting(const wire::AgentConfig& config, LauncherLine&) {
    auto agent = TRY(HostingAgent::start(config));
    wire::AgentReady answer = agent->ready();
    return Started<HostingAgent>{std::move(agent), std::move(answer), "agent.log"};
}

/// The run's folder where this host sees it, else one of its own, which is made.
Result<run::RunPaths> placesOf(const wire::JoinConfig& config) {
    if (config.run_dir().empty()) return run::RunPaths{config.ticket().run_dir()};
    run::RunPaths places{config.run_dir()};
    std::error_code error;
    std::filesystem::create_directories(places.logs(), error);
    if (error)
        return fail(ErrorCode::BadInput, fmt::format("cannot make {} for the run's logs: {}",
                                                     places.logs().string(), error.message()));
    std::filesystem::remove(places.forced(), error);  // of a former agent
    return places;
}

Result<MemberAgentOptions> optionsOf(const wire::JoinConfig& config) {
    if (!run::isRunId(config.ticket().run_id()))
        return fail(ErrorCode::BadInput, "the launcher named no run that could be joined");
    auto document = TRY(config::JobDocument::parse(config.ticket().job_toml(), "job.toml"));
    auto job = TRY(document.checked());
    auto places = TRY(placesOf(config));
    MemberAgentOptions options;
    options.ticket = config.ticket();
    options.agentId =
        memberIdOf(config.processes(), static_cast<std::uint32_t>(job.cluster.numProcesses));
    options.processes = processesOf(config.processes(), job);
    options.job = std::move(job);
    options.jobToml = [toml = config.ticket().job_toml()]() -> Result<std::string> { return toml; };
    options.jobFolder = config.job_dir();
    options.process0 = config.ticket().coordinator_address();
    options.ownHost = config.own_address();
    options.places = std::move(places);
    options.seesRunFolder = config.run_dir().empty();
    if (!options.seesRunFolder) options.copyHost = config.copy_host();
    options.workerProgram = config.worker_program();
    options.isReplaced = config.tied();
    options.ends = [](int status) { exitWithin(kLastCopy, status); };
    options.say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    return options;
}

/// Waits until the coordinator has noted it: nobody waits for an agent whose launcher has gone.
Result<void> awaitJoined(MemberAgent& agent, const std::string& coordinator,
                         LauncherLine& launcher) {
    const Nanos deadline = SteadyClock::read() + kJoinTimeout;
    while (SteadyClock::read() < deadline) {
        auto joined = agent.join(kJoinSlice);
        if (joined || joined.error().code != ErrorCode::Timeout) return joined;
        launcher.read();
        if (launcher.isAbandoned() || terminationRequested.load())
            return fail(ErrorCode::Cancelled, "the launch was given up");
    }
    return fail(ErrorCode::Timeout,
                fmt::format("the coordinator at {} does not answer", coordinator),
                "Check that this host reaches that address and port: a firewall may stand in "
                "the way.");
}

Result<Started<MemberAgent>> startMember(const wire::JoinConfig& config, LauncherLine& launcher) {
    auto options = TRY(optionsOf(config));
    std::string logName = fmt::format("agent-{}.log", options.agentId);
    auto agent = std::make_unique<MemberAgent>(std::move(options));
    TRY(agent->connect());
    TRY(awaitJoined(*agent, config.ticket().coordinator_address(), launcher));
    return Started<MemberAgent>{std::move(agent), {}, std::move(logName)};
}

}  // namespace

int runHostingAgent(int input, int output) {
    return runAgent<wire::AgentConfig>(input, output, startHosting,
                                       [](HostingAgent& agent, LauncherLine& launcher) {
                                           return agent.supervise(launcher, terminationRequested);
                                       });
}

int runMemberAgent(int input, int output) {
    return runAgent<wire::JoinConfig>(
        input, output, startMember, [](MemberAgent& agent, LauncherLine& launcher) {
            const MemberEnd end = agent.supervise(launcher, terminationRequested);
            if (!end.error.empty()) std::fprintf(stderr, "error: %s\n", end.error.c_str());
            return end.exitStatus;
        });
}

}  // namespace lockstep::launch
