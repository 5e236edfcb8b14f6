// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/coordination/health/pace.h"
#include "core/coordination/health/verdict.h"
#include "core/coordination/state/straggler.h"

namespace lockstep::coordination {

/// Finds replicas that make all others wait by their own work, from the times of the phases that
/// each reports. Steps are judged in slices (SlowRules): a replica is slow once nearly all of the
/// newest ones say so, and keeps up again once nearly all say that; what happens once, like a page
/// that is read or a moment of another program, spoils one. Where nobody can be judged that is
/// said. Time is that of the steps themselves:
/// checkpoints and evaluation between them are nobody's slowness. No clock, no thread.
class Stragglers {
public:
    explicit Stragglers(const SlowRules& rules) : rules_(rules) {}

    /// How much the replicas' work differs anyway (SlowRules; 0: as before), and why nobody can be
    /// called slow; empty: somebody can.
    void setJob(double unevenness, const std::string& whyNobody);
    /// Nobody has made a step yet; what was found stays told.
    void beginGeneration();
    void addProcess(std::uint32_t process, const std::string& host);
    /// It has left or is lost: what the others do without it is another job.
    void removeProcess(std::uint32_t process);
    /// Steps of one of the process's replicas, with all columns.
    void addSteps(std::uint32_t process, const wire::StepBatch& steps);

    /// Who is slow now.
    [[nodiscard]] std::optional<Finding> judge() const;
    /// Sentences on who has become slow and who keeps up again, since the last call.
    [[nodiscard]] std::vector<std::string> takeNews() { return std::exchange(news_, {}); }
    /// Why nobody is called slow, since the last call.
    [[nodiscard]] std::vector<std::string> takeNotes() { return std::exchange(notes_, {}); }
    /// At most kMostTold.
    [[nodiscard]] StragglerTally tally() const;

    static constexpr std::size_t kMostTold = 100;

private:
    /// Of a replica, in the slice that is under way.
    struct Sum {
        std::uint32_t process = 0;
        std::uint64_t seen = 0;  ///< Steps of this generation; the first ones are not judged.
        std::uint64_t steps = 0;
        std::uint64_t firstStep = 0;
        std::uint64_t lastStep = 0;
        Pace all;  ///< Sums.
    };
    struct Slice {
        std::uint64_t firstStep = 0;
        std::uint64_t lastStep = 0;
        double seconds = 0;    ///< Of training.
        double leastCost = 0;  ///< From which on somebody is slow, as few steps as they are.
        std::vector<Pace> paces{};
        std::vector<double> costs{};  ///< As paces.
    };
    using Condition = std::function<bool(const Slice& slice, double cost)>;
    struct Standing {
        Straggler said;
        double secondsSince = 0;  ///< Since it was slow last.
    };

    /// All have made enough steps to be judged.
    [[nodiscard]] bool isComplete() const;
    /// What they have been since the last slice.
    [[nodiscard]] Slice gather() const;
    [[nodiscard]] bool saysEnough(const Slice& slice) const;
    void close(Slice slice);
    void judgeReplica(std::uint32_t replica);
    /// Slices of the newest ones in which the replica's cost is such.
    [[nodiscard]] std::vector<std::size_t> slicesWhere(std::uint32_t replica,
                                                       const Condition& isSuch) const;
    void measure(Straggler& straggler, const std::vector<std::size_t>& slices) const;
    void begin(std::uint32_t replica, const std::vector<std::size_t>& slices);
    void end(std::uint32_t replica);
    void settle();
    void sayWhoIsMissing();
    void sayOnce(const std::string& whyNobody);
    [[nodiscard]] std::string nameOf(const Straggler& straggler) const;
    [[nodiscard]] std::string sentenceOf(const std::vector<Straggler>& slow) const;

    SlowRules rules_;
    std::map<std::uint32_t, std::string> hosts_;  // by process
    std::map<std::uint32_t, Sum> sums_;           // by replica
    std::deque<Slice> slices_;                    // the newest ones, at most as many as are judged
    std::map<std::uint32_t, Standing> standing_;  // by replica
    std::map<std::uint32_t, int> times_;          // by replica: how often it was slow
    StragglerTally past_;
    std::vector<std::string> news_;
    std::vector<std::string> notes_;
    std::set<std::string> said_;  // of the notes
};

}  // namespace lockstep::coordination
