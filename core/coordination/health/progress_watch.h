// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/health/verdict.h"
#include "core/coordination/state/job_rules.h"
#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

/// Notices training that does not move although every process is alive, and names who is where:
/// whoever stays in a phase of its own for too long holds up all others, who wait in all-reduce.
/// What is too long follows from the steps seen. No clock, no thread.
class ProgressWatch {
public:
    explicit ProgressWatch(ProgressLimits limits) : limits_(limits) {}

    void addProcess(std::uint32_t process, const std::string& host);
    /// It has left or is lost; it is neither judged nor waited for.
    void removeProcess(std::uint32_t process);
    /// Whether the process is judged: one whose heartbeats are missing is not.
    void setSilent(std::uint32_t process, bool silent);

    /// What a replica says of itself in a heartbeat that has just come.
    void report(std::uint32_t process, const wire::ReplicaProgress& progress, Nanos now);
    /// A process's steps were measured; the median of the newest few hundred sets the limit.
    void addSteps(std::uint32_t process, const wire::StepBatch& steps);

    [[nodiscard]] std::optional<Finding> judge(Nanos now) const;
    /// The most steps that a replica of the process has completed, as far as it has said.
    [[nodiscard]] std::uint64_t stepOf(std::uint32_t process) const;

private:
    struct Position {
        std::uint64_t step = 0;
        wire::Phase phase = wire::PHASE_STARTING;
        std::uint64_t points = 0;                // of collectives
        std::optional<std::uint32_t> awaited{};  // a replica
        Nanos since{};  // when it entered the phase, on the coordinator's clock
    };
    struct Process {
        std::string host;
        bool silent = false;
        std::map<std::uint32_t, Position> replicas;
    };
    struct Stuck;

    [[nodiscard]] Nanos limitOf(wire::Phase phase) const;
    [[nodiscard]] Nanos medianStep() const;
    [[nodiscard]] std::vector<Stuck> stuckIn(Nanos now) const;
    [[nodiscard]] Finding nameStuck(const std::vector<Stuck>& stuck) const;
    [[nodiscard]] std::optional<Finding> judgeCollective(Nanos now) const;
    [[nodiscard]] bool othersWait(const std::vector<Stuck>& stuck) const;

    ProgressLimits limits_;
    std::map<std::uint32_t, Process> processes_;
    std::map<std::uint32_t, std::uint64_t> measuredSteps_;  // by process: newest step of a batch
    std::vector<float> stepMicroseconds_;                   // a ring
    std::size_t nextStepTime_ = 0;
};

}  // namespace lockstep::coordination
