// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/client/client.h"
#include "core/coordination/core/process_key.h"
#include "core/launch/agent/agent_inbox.h"
#include "core/launch/agent/host_processes.h"
#include "core/launch/run/run_folder.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// What an agent needs to know to be one of a job whose coordinator is hosted elsewhere.
struct MemberAgentOptions {
    wire::StartTicket ticket;   ///< With the keys of `agentId` and of `processes`.
    std::uint32_t agentId = 0;  ///< As a member of the coordinator.
    std::vector<coordination::ProcessKey> processes;  ///< What it starts on its host, not empty.
    config::JobSpec job;
    /// What the processes are given; means `job`. Its error is everybody's, once all have joined.
    std::function<Result<std::string>()> jobToml;
    std::string jobFolder;      ///< For relative paths in it.
    std::string process0;       ///< For people: where the coordinator is.
    std::string ownHost;        ///< By which the job names this host; may be empty.
    RunPaths places;            ///< The run's folder as this host sees it, or one in its stead.
    bool seesRunFolder = true;  ///< Otherwise checkpoints come over the coordinator's connection.
    std::filesystem::path workerProgram;
    std::function<void(const std::string& line)> say;  ///< Progress. May not block.
};

/// How the run ended for the processes of one agent.
struct MemberEnd {
    int exitStatus = 0;  ///< 0 done, 1 failed, 2 bad input, 3 stopped.
    std::string error;   ///< One sentence; empty: all is well, or nothing that this host knows.
    std::string remedy;
};

/// The agent of a host that does not host the coordinator: a member of it, which starts the host's
/// workers (and perhaps the evaluator) with every generation, keeps what they write, reports how
/// they end, and leaves nothing behind. Used by one thread, whose end would end the processes.
class MemberAgent {
public:
    explicit MemberAgent(MemberAgentOptions options);

    /// Connects to the coordinator; the connection comes about in the background. BadInput.
    [[nodiscard]] Result<void> connect();
    /// Waits to be noted by it. Timeout: not yet; other errors as Client::join.
    [[nodiscard]] Result<void> join(Nanos timeout);

    /// Supervises until the run is over. `terminate` asks the whole job to stop in order;
    /// `abandoned`, once set, means that whoever the job is tied to has gone, so that it must be
    /// over within seconds. `onTick` is called about every 50 ms, on this thread; it may set both.
    struct Orders {
        std::atomic<bool>& terminate;
        std::function<bool()> abandoned;
        std::function<void()> onTick;
    };
    [[nodiscard]] MemberEnd supervise(const Orders& orders);

    /// Of the processes that run now.
    [[nodiscard]] std::vector<ProcessEntry> entries() const;
    /// "process 3 (host4)", "the evaluator (host4)", "processes 2 and 3 (host4)".
    [[nodiscard]] std::string name() const;

private:
    [[nodiscard]] Result<wire::CurveKeys> keysOf(const coordination::ProcessKey& key) const;
    [[nodiscard]] UniqueFd openSegmentOfProcess0() const;
    [[nodiscard]] Result<UniqueFd> segment() const;
    [[nodiscard]] Result<void> checkRunFolder() const;
    [[nodiscard]] Result<wire::WorkerConfig> commonConfig(std::uint32_t generation) const;
    [[nodiscard]] Result<void> startProcesses(std::uint32_t generation);
    [[nodiscard]] Result<void> startGeneration(std::uint32_t generation);
    void reportNotStarted(const coordination::ProcessKey& key, const Error& error);
    void reportStartFailure(const Error& error);
    void heedOrders(const Orders& orders);
    void endProcesses(Nanos patience);

    const MemberAgentOptions options_;
    std::string hostGroup_;  ///< Process 0's where its memory can be shared, else of its own.
    AgentInbox inbox_;
    std::unique_ptr<coordination::Client> client_;
    std::unique_ptr<HostProcesses> processes_;
    std::optional<std::uint32_t> generation_;
    std::optional<Nanos> stopDeadline_;
    std::string remedy_;  ///< Of processes that this agent could not start.
};

}  // namespace lockstep::launch
