// SPDX-License-Identifier: Apache-2.0
// lockstep-worker --agent: an agent whose launcher speaks to it over pipes.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "core/launch/agent/agent.h"
#include "core/launch/agent/agent_output.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kConfigTimeout{30};

std::atomic<bool> terminationRequested{false};

void requestTermination(int) {
    terminationRequested.store(true);
}

}  // namespace

int runAgent(int input, int output) {
    std::signal(SIGTERM, requestTermination);
    std::signal(SIGINT, requestTermination);
    auto config = wire::readMessage<wire::AgentConfig>(input, kConfigTimeout);
    if (!config) return reportNoConfiguration(config.error());
    const std::string runDir = config->run_dir();
    auto agent = Agent::start(std::move(*config));
    if (!agent) return refuseStart(output, agent.error());
    std::ignore = wire::writeMessage(output, (*agent)->ready(),
                                     kConfigTimeout);  // the launcher may be gone
    moveErrorOutput({runDir}, "agent.log");
    ::fcntl(input, F_SETFL, O_NONBLOCK);
    return (*agent)->supervise(input, terminationRequested);
}

}  // namespace lockstep::launch
