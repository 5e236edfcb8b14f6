// SPDX-License-Identifier: Apache-2.0
// lockstep-worker --agent: an agent whose launcher speaks to it over pipes.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "core/base/file.h"
#include "core/launch/agent.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kConfigTimeout{30};

std::atomic<bool> terminationRequested{false};

void requestTermination(int) {
    terminationRequested.store(true);
}

/// From now on this process's own words go to the run's log: nobody reads its terminal.
void moveErrorOutput(const RunPaths& paths) {
    const UniqueFd log(::open((paths.logs() / "agent.log").c_str(),
                              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (log.valid()) std::ignore = ::dup2(log.get(), STDERR_FILENO);
}

}  // namespace

int runAgent(int input, int output) {
    std::signal(SIGTERM, requestTermination);
    std::signal(SIGINT, requestTermination);
    auto config = wire::readMessage<wire::AgentConfig>(input, kConfigTimeout);
    if (!config) {
        std::fprintf(stderr, "error: the agent got no configuration: %s\n",
                     config.error().message.c_str());
        return 2;
    }
    const std::string runDir = config->run_dir();
    auto agent = Agent::start(std::move(*config));
    wire::AgentReady ready;
    if (agent) {
        ready = (*agent)->ready();
    } else {
        ready.set_error(agent.error().message);
        ready.set_remedy(agent.error().remedy);
        const ErrorCode code = agent.error().code;
        ready.set_bad_input(code == ErrorCode::BadInput || code == ErrorCode::NotFound ||
                            code == ErrorCode::Unavailable);
    }
    std::ignore = wire::writeMessage(output, ready, kConfigTimeout);  // the launcher may be gone
    if (!agent) return 2;
    moveErrorOutput({runDir});
    ::fcntl(input, F_SETFL, O_NONBLOCK);
    return (*agent)->supervise(input, terminationRequested);
}

}  // namespace lockstep::launch
