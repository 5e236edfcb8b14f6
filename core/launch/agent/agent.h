// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/server/coordinator.h"
#include "core/launch/agent/host_processes.h"
#include "core/launch/agent/launcher_line.h"
#include "core/launch/run/agent_registry.h"
#include "core/launch/run/event_writer.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/run/start_refusal.h"
#include "core/launch/run/summary_file.h"
#include "core/wire/keys.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::launch {

/// The supervisor of process 0's host: hosts the coordinator, starts the host's workers and the
/// evaluator, keeps what they write, reports how they end, restarts them by policy, writes the
/// summary, and leaves nothing behind. Used by one thread, whose end would end the children.
class Agent {
public:
    /// Everything that can be refused is refused here. BadInput, NotFound, Unavailable: the job or
    /// its places; nothing is left behind then.
    [[nodiscard]] static Result<std::unique_ptr<Agent>> start(wire::AgentConfig config);

    [[nodiscard]] wire::AgentReady ready() const;
    [[nodiscard]] const RunPaths& paths() const { return folder_.paths(); }
    /// Supervises until the run has ended. `input`: its end ends a tied job; -1: none.
    /// `terminate`: set by a signal, ends the job in order. Returns the run's exit status: 0 done,
    /// 1 failed, 2 bad input, 3 stopped.
    [[nodiscard]] int supervise(int input, std::atomic<bool>& terminate);

private:
    Agent(wire::AgentConfig config, config::JobSpec job, RunFolder folder);

    [[nodiscard]] Result<void> startCoordinator();
    [[nodiscard]] coordination::CoordinatorOptions coordinatorOptions() const;
    [[nodiscard]] std::uint32_t workerCount() const {
        return static_cast<std::uint32_t>(job_.cluster.numProcesses);
    }
    [[nodiscard]] wire::StartTicket blankTicket() const;
    [[nodiscard]] Result<void> addKeys(const coordination::ProcessKey& key,
                                       wire::StartTicket& ticket);
    [[nodiscard]] Result<void> offerTicket();
    [[nodiscard]] Result<void> makeTickets();
    void withdrawTicket() const;
    [[nodiscard]] std::unique_ptr<StartRefusal> refuseLateComers(
        const coordination::Outcome& outcome, const wire::RunEnd& end) const;
    [[nodiscard]] Result<void> writeContact();
    [[nodiscard]] Result<void> makeSegment();
    [[nodiscard]] Result<void> startGeneration();
    [[nodiscard]] Result<void> writeProcesses();
    [[nodiscard]] Result<void> startProcess(wire::Role role, std::uint32_t processId, int segment);
    coordination::Outcome superviseGeneration(LauncherLine& launcher, std::atomic<bool>& terminate);
    [[nodiscard]] std::string hostOf(const wire::Failure& failure) const;
    void endProcesses(bool abandoned);
    bool restarts(const coordination::Outcome& outcome, bool terminated);
    [[nodiscard]] bool onlyResumed(const std::string& summary) const;
    [[nodiscard]] std::string summaryOf(const coordination::Outcome& outcome,
                                        const RunFacts& facts) const;
    [[nodiscard]] std::string writeSummary(const coordination::Outcome& outcome, RunFacts& facts,
                                           bool isKept) const;
    int finish(const coordination::Outcome& outcome, bool abandoned);
    void append(wire::Record record);

    wire::AgentConfig config_;
    config::JobSpec job_;
    RunFolder folder_;
    AgentRegistration registration_;
    Nanos began_;
    std::uint32_t generation_ = 0;
    std::vector<wire::Failure> failures_;
    wire::KeyPair serverKeys_;
    std::filesystem::path runtimeFolder_;
    std::string hostGroup_ = randomHex(8);
    bool memberHasSaid_ = false;
    UniqueFd segment_;                        ///< The replicas' memory of this generation.
    UniqueFd ticketLock_;                     ///< Of the ticket that this run has offered.
    std::vector<wire::StartTicket> tickets_;  ///< For other agents, one each.
    std::uint32_t awaitedAgents_ = 0;         ///< To which keys were given.
    std::unique_ptr<coordination::Coordinator> coordinator_;
    std::unique_ptr<EventWriter> events_;
    std::unique_ptr<HostProcesses> processes_;
};

/// The program of an agent that a launcher starts: the configuration comes as one frame on
/// `input`, the answer goes as one frame to `output`. With policy `tied` the end of `input` ends
/// the job. Returns the run's exit status.
[[nodiscard]] int runAgent(int input, int output);
/// Likewise of the agent of a host that does not host the coordinator: a JoinConfig.
[[nodiscard]] int runJoiningAgent(int input, int output);

}  // namespace lockstep::launch
