// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/loop_watch.h"
#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/state/outcome.h"
#include "core/coordination/state/process_key.h"
#include "core/launch/agent/end_orders.h"
#include "core/launch/agent/launcher_line.h"
#include "core/launch/agent/replica_memory.h"
#include "core/launch/agent/worker_group.h"
#include "core/run/run_host.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// The agent of process 0's host: beside its worker group it hosts the run, and starts another
/// generation by policy. Used by one thread, whose end would end the processes.
class HostingAgent {
public:
    /// Everything that can be refused is refused here. BadInput, NotFound, Unavailable: the job or
    /// its places; nothing is left behind then.
    [[nodiscard]] static Result<std::unique_ptr<HostingAgent>> start(wire::AgentConfig config);

    [[nodiscard]] wire::AgentReady ready() const;
    [[nodiscard]] const run::RunPaths& places() const { return host_->paths(); }
    /// Supervises until the run has ended: with the launcher of a tied job, or when `terminate` is
    /// set by a signal, in order. Returns the run's exit status: 0 done, 1 failed, 2 bad input,
    /// 3 stopped.
    [[nodiscard]] int supervise(LauncherLine& launcher, const std::atomic<bool>& terminate);

private:
    HostingAgent(wire::AgentConfig config, config::JobSpec job, std::unique_ptr<run::RunHost> host);

    [[nodiscard]] Result<void> start();
    [[nodiscard]] Result<void> renewMemory();
    [[nodiscard]] Result<void> offerTicket();
    [[nodiscard]] Result<void> makeTickets();
    [[nodiscard]] Result<void> startGeneration();
    [[nodiscard]] Result<wire::WorkerConfig> configFor(const coordination::ProcessKey& process);
    [[nodiscard]] coordination::Outcome superviseGeneration(LauncherLine& launcher,
                                                            const std::atomic<bool>& terminate);
    void watchCoordinator();
    void heedOrders(EndOrders::Step step, coordination::StopAsker asker);
    [[nodiscard]] std::string hostOf(const wire::Failure& failure) const;
    [[nodiscard]] bool restarts(coordination::Outcome& outcome);
    [[nodiscard]] bool repeatsItself(coordination::Outcome& outcome) const;
    void tellRestart(int number, const std::string& cause);
    void tellReplacements();
    void tellLeftHosts();
    void tellCopies();
    void notice(const std::string& sentence);
    void awaitCopies(const coordination::Outcome& outcome, LauncherLine& launcher,
                     const std::atomic<bool>& terminate);
    [[nodiscard]] bool mayWaitForCopies(Nanos since, bool hasFailed) const;
    [[nodiscard]] std::uint32_t workerCount() const {
        return static_cast<std::uint32_t>(job_.cluster.numProcesses);
    }

    const wire::AgentConfig config_;
    const config::JobSpec job_;
    const std::string hostGroup_;
    const std::unique_ptr<run::RunHost> host_;
    EndOrders orders_;
    std::optional<bool> forTimeLimit_;  ///< Once it is told to end by SIGTERM.
    ReplicaMemory memory_;
    std::vector<wire::StartTicket> tickets_;  ///< For other agents, one each.
    WorkerGroup group_;
    LoopWatch coordinatorWatch_;
};

}  // namespace lockstep::launch
