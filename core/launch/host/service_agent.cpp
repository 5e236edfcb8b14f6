// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/service_agent.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <csignal>
#include <tuple>

#include "core/base/try.h"
#include "core/launch/host/host_answer.h"
#include "core/run/agent_process.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {
constexpr std::chrono::seconds kWriteTimeout{10};
constexpr std::chrono::seconds kLookedAt{2};  ///< One that is being stopped may not be yet.
constexpr Millis kBetweenLooks{50};
constexpr Millis kTracersMoment{500};  ///< Whoever traces a process stops it again and again.
}  // namespace

Result<std::unique_ptr<ServiceAgent>> ServiceAgent::start(const std::filesystem::path& program,
                                                          Order order) {
    ChildOptions options;
    options.program = program;
    options.arguments = {"--agent"};
    if (order.joins) options.arguments.emplace_back("--join");
    options.ownSession = true;
    options.dieWithParent = false;  // the policy decides, by standard input
    options.captureOutput = false;
    options.separateOutput = true;
    auto process = TRY(ChildProcess::start(options));
    auto sent = wire::writeFrame(process->inputFd(), order.message, kWriteTimeout);
    if (!sent) return failWithin("starting the agent", sent.error());
    ::fcntl(process->outputFd(), F_SETFL, O_NONBLOCK);
    return std::unique_ptr<ServiceAgent>(new ServiceAgent(std::move(process), order));
}

ServiceAgent::~ServiceAgent() {
    if (tied_ && !ended_) endIfStopped();
    process_->release();
}

/// What it has started ends with it.
void ServiceAgent::endIfStopped() {
    process_->closeInput();
    const Nanos deadline = SteadyClock::read() + kLookedAt;
    while (!run::isStopped(process_->pid()))
        if (process_->wait(kBetweenLooks) || SteadyClock::read() > deadline) return;
    if (process_->wait(kTracersMoment) || !run::isStopped(process_->pid())) return;
    process_->signalGroup(SIGKILL);
    std::ignore = process_->wait(kTracersMoment);
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

/// A tied one that is stopped for longer than its job waits for any process is lost.
std::optional<wire::FromHost> ServiceAgent::takeStop(Nanos now) {
    if (ended_) return std::nullopt;
    auto news = watch_.look(now);
    if (tied_ && watch_.stoppedFor() > stoppedPatience_) {
        killedAfter_ = watch_.stoppedFor();
        process_->signalGroup(SIGKILL);
    }
    return news;
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
    if (status->signalled)
        news.mutable_agent_ended()->set_stopped_seconds(Seconds(killedAfter_).count());
    return news;
}

Result<void> ServiceAgent::detach() {
    tied_ = false;
    wire::ToAgent message;
    message.mutable_detach();
    return wire::writeMessage(process_->inputFd(), message, kWriteTimeout);
}

}  // namespace lockstep::launch
