// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/coordination/state/process_key.h"
#include "core/launch/agent/host_processes.h"
#include "core/launch/agent/kept_memory.h"
#include "core/launch/process/thread_watch.h"
#include "core/run/agent_registry.h"
#include "core/run/run_files.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::launch {

/// What an agent does whichever it is: starts its host's processes with every generation, keeps
/// what they write, tells how they end, has itself and them in the register of this user's agents,
/// and leaves nothing behind. Used by one thread, whose end would end the processes.
class WorkerGroup {
public:
    struct Options {
        std::filesystem::path workerProgram;
        run::RunPaths places;
        std::string hostGroup;  ///< Common to processes that can share memory.
        bool keepsSteps =
            false;  ///< Workers keep their newest steps in memory that the agent holds.
        /// By which the next agent of these processes finds that memory; empty: it goes with this
        /// one.
        std::string keeper{};
        std::chrono::seconds keeperPatience{};  ///< For so long that one is waited for.
        Nanos heartbeatTimeout{};  ///< Whoever is stopped for longer is lost, and killed.
    };
    /// To whom it is told: the coordinator, wherever it is.
    struct Reports {
        std::function<void(wire::Record)> record;
        std::function<void(const wire::ProcessExit&, std::uint32_t generation)> exit;
        std::function<void(const wire::ProcessHeld&, std::uint32_t generation)> held;
        /// Which processes run now, the agent first; empty: nobody is told.
        std::function<Result<void>(const std::vector<run::ProcessEntry>&)> running;
    };

    WorkerGroup(Options options, run::AgentRecord agent, Reports reports);

    /// Puts the agent into the register, before its first processes: it is one of the run's now.
    void enlist();
    /// Starts the processes of a generation, once the former one's have ended. `memory`: what the
    /// workers share; -1: nothing.
    [[nodiscard]] Result<void> begin(std::uint32_t generation,
                                     std::vector<wire::WorkerConfig> processes, int memory);
    /// For a moment: passes on what the processes write and how they end. True when `wakeFd` (-1:
    /// none) is readable or closed.
    bool poll(int wakeFd);
    /// Ends those that have not heard of the generation's end.
    void end();
    /// Likewise, when nobody waits for them.
    void endAtOnce(Nanos patience = {});

    /// The run is over: nobody goes on from the steps that are kept here.
    void dropKeptSteps() { kept_.letGo(); }

    [[nodiscard]] bool runs(const coordination::ProcessKey& process) const;

private:
    [[nodiscard]] HostProcesses::Callbacks callbacksOf(std::uint32_t generation);
    [[nodiscard]] Result<void> noteProcesses();
    void tellOwnThreads(Nanos now);
    void tell(const wire::Notice& notice);

    const Options options_;
    const Reports reports_;
    const coordination::ProcessKey self_;
    ThreadWatch ownThreads_;  ///< Of this process, whose loop others watch.
    Nanos nextLookAtThreads_{};
    run::AgentRegistration registration_;
    KeptMemory kept_;
    std::unique_ptr<HostProcesses> processes_;  ///< Of the present generation.
};

}  // namespace lockstep::launch
