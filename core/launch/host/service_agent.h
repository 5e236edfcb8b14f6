// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/launch/process/child_process.h"
#include "core/wire/frame_queue.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// The agent that the service of a host has started, in a session of its own. Destruction closes
/// its standard input, which ends a tied one; a detached one lives on. One thread.
class ServiceAgent {
public:
    /// `message`: an AgentConfig, or a JoinConfig where `joins`, serialised. The answer to
    /// `request` is due within `readyTimeout`. `run`: the folder in which it is noted that a user
    /// has ended this agent by force; empty: nowhere.
    [[nodiscard]] static Result<std::unique_ptr<ServiceAgent>> start(
        const std::filesystem::path& program, bool joins, const std::string& message,
        const std::filesystem::path& run, std::uint64_t request, Nanos readyTimeout);
    ~ServiceAgent();
    ServiceAgent(const ServiceAgent&) = delete;
    ServiceAgent& operator=(const ServiceAgent&) = delete;

    /// Readable when its answer comes; -1 once it has come.
    [[nodiscard]] int outputFd() const { return answered_ ? -1 : process_->outputFd(); }
    /// Readable when it has ended; -1 once that was seen.
    [[nodiscard]] int pidFd() const { return ended_ ? -1 : process_->pidFd(); }
    [[nodiscard]] bool hasEnded() const { return ended_; }

    /// What there is to tell: AgentReady (or HostError) for the request, AgentEnded. Empty bodies
    /// never.
    [[nodiscard]] std::optional<wire::FromHost> takeAnswer(Nanos now);
    [[nodiscard]] std::optional<wire::FromHost> takeEnd();
    [[nodiscard]] Result<void> detach();

private:
    ServiceAgent(std::unique_ptr<ChildProcess> process, std::filesystem::path run,
                 std::uint64_t request, Nanos deadline)
        : process_(std::move(process)),
          run_(std::move(run)),
          request_(request),
          deadline_(deadline) {}

    std::unique_ptr<ChildProcess> process_;
    std::filesystem::path run_;
    std::uint64_t request_;
    Nanos deadline_;
    wire::FrameReader frames_;
    bool answered_ = false;
    bool ended_ = false;
};

}  // namespace lockstep::launch
