// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/service_agent.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "core/base/try.h"
#include "core/launch/host/host_answer.h"
#include "core/run/agent_process.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {
constexpr std::chrono::seconds kWriteTimeout{10};
}

Result<std::unique_ptr<ServiceAgent>> ServiceAgent::start(const std::filesystem::path& program,
                                                          bool joins, const std::string& message,
                                                          const std::filesystem::path& run,
                                                          std::uint64_t request,
                                                          Nanos readyTimeout) {
    ChildOptions options;
    options.program = program;
    options.arguments = {"--agent"};
    if (joins) options.arguments.emplace_back("--join");
    options.ownSession = true;
    options.dieWithParent = false;  // the policy decides, by standard input
    options.captureOutput = false;
    options.separateOutput = true;
    auto process = TRY(ChildProcess::start(options));
    auto sent = wire::writeFrame(process->inputFd(), message, kWriteTimeout);
    if (!sent) return failWithin("starting the agent", sent.error());
    ::fcntl(process->outputFd(), F_SETFL, O_NONBLOCK);
    return std::unique_ptr<ServiceAgent>(
        new ServiceAgent(std::move(process), run, request, SteadyClock::read() + readyTimeout));
}

ServiceAgent::~ServiceAgent() {
    process_->release();
}

std::optional<wire::FromHost> ServiceAgent::takeAnswer(Nanos now) {
    if (answered_) return std::nullopt;
    const auto open = frames_.fill(process_->outputFd());
    const auto frame = frames_.next();
    wire::FromHost answer;
    if (frame && answer.mutable_agent_ready()->ParseFromString(*frame)) {
        // The agent's own words, whether it is ready or refuses.
    } else if (frame) {
        answer = errorAnswer({ErrorCode::Corrupt, "the agent's answer cannot be read", ""});
    } else if (!open || !*open) {
        const auto status = process_->wait(std::chrono::seconds(1));
        answer = errorAnswer({ErrorCode::Io,
                              fmt::format("the agent {} before it was ready",
                                          status ? status->words() : "closed its output"),
                              "See ~/.local/state/lockstep/host.log there."});
    } else if (now > deadline_) {
        answer = errorAnswer({ErrorCode::Timeout, "the agent was not ready in time", ""});
    } else {
        return std::nullopt;
    }
    answered_ = true;
    answer.set_request(request_);
    return answer;
}

std::optional<wire::FromHost> ServiceAgent::takeEnd() {
    if (ended_) return std::nullopt;
    const auto status = process_->wait(Nanos{0});
    if (!status) return std::nullopt;
    ended_ = true;
    wire::FromHost news;
    news.mutable_agent_ended()->set_signalled(status->signalled);
    news.mutable_agent_ended()->set_status(status->code);
    news.mutable_agent_ended()->set_forced(status->signalled && run::wasEndedByForce({run_}));
    return news;
}

Result<void> ServiceAgent::detach() {
    wire::ToAgent message;
    message.mutable_detach();
    return wire::writeMessage(process_->inputFd(), message, kWriteTimeout);
}

}  // namespace lockstep::launch
