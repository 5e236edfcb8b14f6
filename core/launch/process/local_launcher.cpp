// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/local_launcher.h"

#include "core/base/try.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {
constexpr std::chrono::seconds kReadyTimeout{60};

/// Why an agent does not speak: mostly since it is no more.
tl::unexpected<Error> notStarted(ChildProcess& process, const Error& error) {
    const auto ended = process.wait(std::chrono::seconds(1));
    if (!ended) return failWithin("starting the agent", error);
    return fail(ended->signalled ? ErrorCode::PeerLost : ErrorCode::Io,
                "the run's agent " + ended->words() + " while it started");
}

}  // namespace

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
        return notStarted(*process, sent.error());
    auto ready = wire::readMessage<wire::AgentReady>(process->outputFd(), kReadyTimeout);
    if (!ready) return notStarted(*process, ready.error());
    if (!ready->error().empty())
        return fail(ready->bad_input() ? ErrorCode::BadInput : ErrorCode::Io, ready->error(),
                    ready->remedy());
    process->release();
    return LocalAgent{std::move(process), std::move(*ready)};
}

}  // namespace lockstep::launch
