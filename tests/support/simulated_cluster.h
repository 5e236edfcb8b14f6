// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/coordination/core/coordinator_core.h"

namespace lockstep::tests {

enum class Fault : std::uint8_t {
    None,
    Killed,      ///< SIGKILL; its agent reports it, and the survivors fail because of it.
    Silent,      ///< It is frozen for longer than the heartbeat timeout, then speaks again.
    Cut,         ///< Its network is down for less than the heartbeat timeout.
    Missing,     ///< Some workers never start.
    OwnError,    ///< It reports an error of its own.
    BadInput,    ///< It ends with status 2 before it has registered.
    SecondLife,  ///< Another process with its id and key registers.
    EvaluatorDies,
    Stopped,  ///< A stop is asked for at some moment.
};
inline constexpr int kFaults = 10;
[[nodiscard]] const char* faultName(Fault fault);

/// What a run of the cluster came to.
struct SimulationReport {
    Fault fault = Fault::None;
    std::uint32_t workers = 0;
    std::uint32_t victim = 0;
    std::set<int> missing;
    bool tooLate = false;  ///< Chief or victim had left before the fault was known.
    std::vector<coordination::Outcome> outcomes;
    std::vector<wire::Failure> failures;
    std::uint64_t spokenByFenced = 0;      ///< Records taken from a lost incarnation: must be 0.
    std::uint64_t secondLivesWelcome = 0;  ///< Must be 0.
    std::uint64_t duplicates = 0;
    std::uint64_t dropped = 0;
    std::uint64_t eventHash = 0;
};

/// A whole job in one thread and no time: the real CoordinatorCore among simulated processes and
/// a network that delays, duplicates and loses, all decided by the seed. Messages of one sender
/// stay in order, as over TCP; those of different senders do not.
class SimulatedCluster {
public:
    /// `plant`: changes the coordinator's rules, to see that a broken one is noticed.
    explicit SimulatedCluster(std::uint64_t seed,
                              const std::function<void(coordination::JobRules&)>& plant = {});
    [[nodiscard]] SimulationReport run();

private:
    struct Process {
        coordination::ProcessKey key;
        std::string connection;
        std::uint64_t incarnation = 0;
        bool present = true;  // it will start at all
        bool alive = false;
        bool silent = false;
        bool welcome = false;
        bool inBarrier = false;
        bool training = false;
        bool stopping = false;
        bool leaving = false;
        bool left = false;
        std::string leaveStatus;
        std::uint64_t step = 0;
        std::uint64_t sequence = 0;
        Nanos lastArrival{};  // keeps its messages in order
        Nanos lastReply{};
    };
    struct Event {
        Nanos at{};
        std::uint64_t order = 0;
        std::function<void()> action;
        [[nodiscard]] bool operator<(const Event& other) const {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    void later(Nanos delay, std::function<void()> action);
    [[nodiscard]] Nanos upTo(Nanos limit);
    [[nodiscard]] bool chance(int percent) { return rng_.nextBelow(100) < std::uint32_t(percent); }
    [[nodiscard]] coordination::Instant instant() const;

    void plan();
    void strike();
    void tick();
    void start(std::size_t index);
    void beat(std::size_t index);
    void train(std::size_t index);
    void leave(std::size_t index, const std::string& status);
    void repeatLeave(std::size_t index);
    void hear(std::size_t index, const wire::FromCoordinator& message);
    void endProcess(std::size_t index, bool signalled, int status);
    void noticeLostPeers(std::size_t lost);
    void send(std::size_t index, wire::ToCoordinator message);
    void deliver(std::size_t index, const wire::ToCoordinator& message);
    void perform(std::size_t speaker);
    void note(const wire::Record& record);
    void mix(std::uint64_t word);

    CounterRng rng_;
    coordination::JobRules rules_;
    Nanos now_{};
    std::uint64_t order_ = 0;
    std::priority_queue<Event> events_;
    std::vector<Process> processes_;  // workers, then the evaluator, then a second life
    std::map<std::string, std::size_t> connections_;
    std::set<std::size_t> fenced_;
    std::uint64_t totalSteps_ = 0;
    Nanos stepTime_{};
    std::size_t victimIndex_ = 0;
    Nanos cutFrom_{};
    Nanos cutUntil_{};
    std::optional<Nanos> endedAt_;
    bool faultKnown_ = false;
    SimulationReport report_;
    std::optional<coordination::CoordinatorCore> core_;
};

}  // namespace lockstep::tests
