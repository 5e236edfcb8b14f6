// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/launch/host/stopped_watch.h"
#include "core/launch/process/child_process.h"
#include "core/wire/frame_queue.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// The agent that the service of a host has started, in a session of its own. Destruction closes
/// its standard input, which ends a tied one (one that is stopped would never heed it, and is
/// killed); a detached one lives on. One thread.
class ServiceAgent {
public:
    struct Order {
        bool joins = false;
        std::string message;        ///< An AgentConfig, or a JoinConfig where `joins`, serialised.
        std::filesystem::path run;  ///< The folder in which it is noted that a user has ended this
                                    ///< agent by force; empty: nowhere.
        std::uint64_t request = 0;  ///< Its answer is due within `readyTimeout`.
        Nanos readyTimeout{};
        Nanos stoppedPatience{};  ///< With one that is stopped and tied, until it is killed.
    };
    [[nodiscard]] static Result<std::unique_ptr<ServiceAgent>> start(
        const std::filesystem::path& program, Order order);
    ~ServiceAgent();
    ServiceAgent(const ServiceAgent&) = delete;
    ServiceAgent& operator=(const ServiceAgent&) = delete;

    /// Readable when its answer comes; -1 once it has come.
    [[nodiscard]] int outputFd() const { return answered_ ? -1 : process_->outputFd(); }
    /// Readable when it has ended; -1 once that was seen.
    [[nodiscard]] int pidFd() const { return ended_ ? -1 : process_->pidFd(); }
    [[nodiscard]] bool hasEnded() const { return ended_; }

    /// What there is to tell: AgentReady (or HostError) for the request, AgentStopped, AgentEnded.
    /// Empty bodies never.
    [[nodiscard]] std::optional<wire::FromHost> takeAnswer(Nanos now);
    [[nodiscard]] std::optional<wire::FromHost> takeStop(Nanos now);
    [[nodiscard]] std::optional<wire::FromHost> takeEnd();
    [[nodiscard]] Result<void> detach();

private:
    ServiceAgent(std::unique_ptr<ChildProcess> process, const Order& order)
        : process_(std::move(process)),
          watch_(process_->pid()),
          run_(order.run),
          request_(order.request),
          deadline_(SteadyClock::read() + order.readyTimeout),
          stoppedPatience_(order.stoppedPatience) {}
    void endIfStopped();

    std::unique_ptr<ChildProcess> process_;
    StoppedWatch watch_;
    std::filesystem::path run_;
    std::uint64_t request_;
    Nanos deadline_;
    Nanos stoppedPatience_;
    Nanos killedAfter_{0};  ///< So long it was stopped.
    wire::FrameReader frames_;
    bool tied_ = true;  ///< As every launch begins.
    bool answered_ = false;
    bool ended_ = false;
};

}  // namespace lockstep::launch
