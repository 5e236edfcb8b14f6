// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/health/link_facts.h"
#include "core/coordination/health/phase_limits.h"
#include "core/coordination/health/thread_answers.h"
#include "core/coordination/health/verdict.h"
#include "core/coordination/state/job_rules.h"
#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

/// Notices training that does not move although every process is alive, and names who is where:
/// whoever stays in a phase of its own for too long holds up all others, who wait for it in a
/// collective: that of a step, or of a checkpoint or an evaluation, which all make together.
/// No clock, no thread.
class ProgressWatch {
public:
    explicit ProgressWatch(const ProgressLimits& limits) : limits_(limits) {}

    void addProcess(std::uint32_t process, const std::string& host);
    /// It has left or is lost; it is neither judged nor waited for.
    void removeProcess(std::uint32_t process);
    /// Whether the process is judged: one whose heartbeats are missing is not.
    void setSilent(std::uint32_t process, bool silent);

    /// What a replica says of itself in a heartbeat that has just come.
    void report(std::uint32_t process, const wire::ReplicaProgress& progress, Nanos now);
    /// A process's steps were measured.
    void addSteps(std::uint32_t process, const wire::StepBatch& steps);
    /// What else it says of the job sets limits: what was completed, and whether it tests.
    void note(const wire::Record& record);

    /// What is known besides of those that all wait: of the network between them, and of their
    /// threads.
    [[nodiscard]] std::optional<Finding> judge(Nanos now, const LinkFacts& links = {},
                                               const AnswerFacts& threads = {}) const;
    /// The most steps that a replica of the process has completed, as far as it has said.
    [[nodiscard]] std::uint64_t stepOf(std::uint32_t process) const;

private:
    /// Of work that all replicas do alike, the newest one (wire::ReplicaShare).
    struct Share {
        std::uint64_t number = 0;  // 0: none
        bool isDone = false;
        Nanos seconds{};  // that it has taken, as was said last
        Nanos since{};    // when it began, on the coordinator's clock

        [[nodiscard]] bool isOpen() const { return number > 0 && !isDone; }
    };
    struct Position {
        std::uint64_t step = 0;
        wire::Phase phase = wire::PHASE_STARTING;
        std::uint64_t points = 0;                // of collectives
        std::optional<std::uint32_t> awaited{};  // a replica
        Nanos since{};             // when it entered the phase, on the coordinator's clock
        Nanos age{};               // in it, as it said last
        Nanos moved{};             // when it was seen to reach a point in it, if ever
        std::string collective{};  // that it waits in, where its phase does not say all there is
        Share share{};

        /// In what all replicas do together: whoever comes first waits there for the others.
        [[nodiscard]] bool isTogether() const;
        /// For so long it has neither changed its phase, nor reached a point or its present share.
        [[nodiscard]] Nanos stood(Nanos now) const {
            return now - std::max({since, moved, share.isOpen() ? share.since : Nanos{}});
        }
    };
    struct Process {
        std::string host;
        bool silent = false;
        std::map<std::uint32_t, Position> replicas;
    };
    struct Stuck;

    [[nodiscard]] Nanos limitOf(const Position& position) const;
    [[nodiscard]] std::optional<Share> shownShare() const;
    [[nodiscard]] std::uint64_t fewestPoints() const;
    [[nodiscard]] static bool waits(std::uint32_t replica, const Position& position,
                                    std::uint64_t fewestPoints);
    [[nodiscard]] std::vector<Stuck> stuckIn(Nanos now) const;
    [[nodiscard]] Finding nameStuck(const std::vector<Stuck>& stuck) const;
    [[nodiscard]] std::optional<Finding> judgeCollective(Nanos now, const LinkFacts& links,
                                                         const AnswerFacts& threads) const;
    /// In what all others wait for these; empty: they do not.
    [[nodiscard]] std::string othersWaitIn(const std::vector<Stuck>& stuck) const;

    PhaseLimits limits_;
    std::map<std::uint32_t, Process> processes_;
    std::map<std::uint32_t, std::uint64_t> measuredSteps_;  // by process: newest step of a batch
};

}  // namespace lockstep::coordination
