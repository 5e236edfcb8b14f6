// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/local_launcher.h"

#include "core/base/try.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {
constexpr std::chrono::seconds kReadyTimeout{60};
}

Result<LocalAgent> launchLocalAgent(const wire::AgentConfig& config) {
    ChildOptions options;
    options.program = config.worker_program();
    options.arguments = {"--agent"};
    options.ownSession = true;
    options.dieWithParent =
        false;  // a tied agent notices its standard input closing, and cleans up
    options.captureOutput = false;
    options.separateOutput = true;
    auto process = TRY(ChildProcess::start(options));
    if (auto sent = wire::writeMessage(process->inputFd(), config, kReadyTimeout); !sent)
        return failWithin("starting the agent", sent.error());
    auto ready = wire::readMessage<wire::AgentReady>(process->outputFd(), kReadyTimeout);
    if (!ready) return failWithin("starting the agent", ready.error());
    if (!ready->error().empty())
        return fail(ready->bad_input() ? ErrorCode::BadInput : ErrorCode::Io, ready->error(),
                    ready->remedy());
    process->release();
    return LocalAgent{std::move(process), std::move(*ready)};
}

}  // namespace lockstep::launch
