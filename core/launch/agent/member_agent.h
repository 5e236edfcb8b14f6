// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/client/client.h"
#include "core/coordination/state/process_key.h"
#include "core/launch/agent/agent_inbox.h"
#include "core/launch/agent/copy_keeper.h"
#include "core/launch/agent/end_orders.h"
#include "core/launch/agent/launcher_line.h"
#include "core/launch/agent/replica_memory.h"
#include "core/launch/agent/worker_group.h"
#include "core/run/run_files.h"
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
    std::string jobFolder;              ///< For relative paths in it.
    std::string process0;               ///< For people: where the coordinator is.
    std::string ownHost;                ///< By which the job names this host; may be empty.
    wire::DeviceChoice deviceChoice{};  ///< Of its only worker; empty: the job says it.
    run::RunPaths places;       ///< The run's folder as this host sees it, or one in its stead.
    bool seesRunFolder = true;  ///< Otherwise checkpoints come over the coordinator's connection.
    std::string copyHost{};     ///< It keeps copies in `places`, on this host; empty: it does not.
    std::filesystem::path workerProgram;
    bool isReplaced = false;  ///< Its launcher starts another one where this one is lost.
    std::function<void(const std::string& line)> say;  ///< Progress. May not block.
    /// The run is over, with this exit status: what is left may wait for a thread that never ends.
    std::function<void(int exitStatus)> ends{};
};

/// How the run ended for the processes of one agent.
struct MemberEnd {
    int exitStatus = 0;  ///< 0 done, 1 failed, 2 bad input, 3 stopped.
    std::string error;   ///< One sentence; empty: all is well, or nothing that this host knows.
    std::string remedy{};
};

/// The agent of a host that does not host the coordinator: a member of it, whose worker group
/// begins every generation that the coordinator begins. Used by one thread, whose end would end the
/// processes.
class MemberAgent {
public:
    explicit MemberAgent(MemberAgentOptions options);

    /// Connects to the coordinator; the connection comes about in the background. BadInput.
    [[nodiscard]] Result<void> connect();
    /// Waits to be noted by it. Timeout: not yet; other errors as Client::join.
    [[nodiscard]] Result<void> join(Nanos timeout);
    /// Supervises until the run is over. `terminate`, set by a signal, asks the whole job to stop
    /// in order; with the launcher of a tied one it must be over within seconds.
    [[nodiscard]] MemberEnd supervise(LauncherLine& launcher, const std::atomic<bool>& terminate);

    [[nodiscard]] const run::RunPaths& places() const { return options_.places; }

private:
    [[nodiscard]] std::string name() const;
    [[nodiscard]] WorkerGroup::Reports reports();
    [[nodiscard]] tl::unexpected<Error> noPlace() const;
    [[nodiscard]] Result<void> renewMemory();
    [[nodiscard]] Result<void> checkRunFolder() const;
    [[nodiscard]] std::string ownAddress(const std::string& coordinator) const;
    [[nodiscard]] Result<std::vector<wire::WorkerConfig>> configs() const;
    [[nodiscard]] Result<void> startGeneration(std::uint32_t generation);
    void reportStartFailure(std::uint32_t generation, const Error& error);
    void keepCopies();
    [[nodiscard]] std::optional<MemberEnd> heedNews();
    [[nodiscard]] std::optional<MemberEnd> heedOrders(EndOrders::Step step);

    const MemberAgentOptions options_;
    const std::string hostGroup_;  ///< Process 0's where its memory is shared, else of its own.
    EndOrders orders_;
    std::optional<bool> forTimeLimit_;  ///< Once it is told to end by SIGTERM.
    ReplicaMemory memory_;
    AgentInbox inbox_;
    std::unique_ptr<coordination::Client> client_;
    std::unique_ptr<CopyKeeper> copies_;  ///< Null: this host keeps none.
    std::optional<std::uint32_t> generation_;
    std::string remedy_;  ///< Of processes that this agent could not start.
    WorkerGroup group_;
};

}  // namespace lockstep::launch
