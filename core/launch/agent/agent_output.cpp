// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/agent_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <tuple>

#include "core/base/exit_status.h"
#include "core/base/file.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {
constexpr std::chrono::seconds kAnswerTimeout{30};
}

void moveErrorOutput(const RunPaths& paths, const std::string& logName) {
    const UniqueFd log(::open((paths.logs() / logName).c_str(),
                              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (log.valid()) std::ignore = ::dup2(log.get(), STDERR_FILENO);
}

int refuseStart(int output, const Error& error) {
    wire::AgentReady ready;
    ready.set_error(error.message);
    ready.set_remedy(error.remedy);
    ready.set_bad_input(isRefusal(error.code));
    std::ignore = wire::writeMessage(output, ready, kAnswerTimeout);  // the launcher may be gone
    return 2;
}

int reportNoConfiguration(const Error& error) {
    std::fprintf(stderr, "error: the agent got no configuration: %s\n", error.message.c_str());
    return 2;
}

}  // namespace lockstep::launch
