// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/fold/session.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// What ReplicaView::state ends with while the others wait for it.
inline constexpr std::string_view kSlowWords = ", slow: the others wait for it";

/// The replicas of a run: who they are, what they last said, and whether they still live. Pure:
/// time comes in as seconds since 1970.
class ReplicaTable {
public:
    /// Heartbeats older than this count as late; three intervals of one second.
    static constexpr double kLateSeconds = 3;

    /// Silence after which a process counts as lost.
    void setHeartbeatTimeout(double seconds) { lostSeconds_ = seconds; }

    void apply(const wire::ReplicaInfo& info);
    /// `arrival`: when we heard it, by our own clock.
    void apply(const wire::Heartbeat& heartbeat, double arrival);
    void apply(const wire::StepBatch& batch);  ///< Well-formed.
    void apply(const wire::ProcessFigures& figures);
    void apply(const wire::Drops& drops);
    void apply(const wire::Failure& failure);
    /// The checkpoint of `step` has a score. Of several evaluators nobody says whose it is.
    void score(std::int64_t step);
    /// Which processes make the others wait, by which of their replicas; none are named: by all.
    void setAccused(const std::vector<int>& processes, const std::vector<int>& replicas,
                    bool isSlow);

    /// Another start of the run: everyone is to register again.
    void beginStart();
    /// All workers of this start have registered: who has not is gone.
    void dropUnregistered();
    /// It trains from `firstStep` on: `replicas` of them (0: not known), with an evaluator or not.
    void beginTraining(std::int64_t firstStep, int replicas, bool evaluator);
    /// After so many steps a worker has nothing more to do; 0: not known.
    void setTotalSteps(std::int64_t steps) { totalSteps_ = steps; }
    /// A stop was asked for: whoever falls silent now has left as it should.
    void setStopping(bool stopping) { stopping_ = stopping; }
    /// The run has ended: who was not lost has left.
    void end();
    /// "process 1 (node-b) has sent no heartbeat for 4.2 s", as old as it is now; empty when one of
    /// the workers' `processes` is not silent. `hold`: what keeps them from running, in words.
    [[nodiscard]] std::string silence(const std::vector<int>& processes,
                                      const std::string& hold) const;
    /// Judges who is late or lost at `now`. True when something changed.
    [[nodiscard]] bool tick(double now);

    /// Steps completed by every worker's replica; 0 while there is none.
    [[nodiscard]] std::int64_t completedSteps() const;
    [[nodiscard]] int aliveWorkers() const;
    /// Empty: it is not known.
    [[nodiscard]] std::string hostOf(Role role, int processId) const;
    /// In order of replica, the evaluator last.
    [[nodiscard]] std::vector<ReplicaView> views() const;

private:
    struct Row {
        ReplicaView view;
        double phaseSeconds = 0;
        double heardAt = 0;       // 0: never
        bool registered = false;  // in this start
        std::string lostCause;    // not empty: it will not come back in this start
        bool isSlow = false;      // the others wait for it
    };
    Row& rowOf(Role role, int replica, int processId);
    void forProcess(Role role, int processId, const std::function<void(Row&)>& change);
    void judge(Row& row, double now) const;
    [[nodiscard]] bool hasNothingToDo(const Row& row) const;

    std::vector<Row> rows_;
    double lostSeconds_ = 10;
    std::int64_t firstStep_ = 0;
    std::int64_t totalSteps_ = 0;
    bool stopping_ = false;
    bool ended_ = false;
};

}  // namespace lockstep::job
