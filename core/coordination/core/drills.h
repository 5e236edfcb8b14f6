// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// Faults that are made on purpose in the running job, one at a time. What cannot be is refused;
/// else the process is told to inflict it on itself, and what the run then says and does is
/// measured: when the fault was seen to land, when the run named it and whether rightly, when it
/// trained beyond. All of it goes to the journal as records of its own. A process's own word is
/// not believed where its end or its silence shows more: only such a fault counts as landed.
class Drills {
public:
    Drills(const JobState& job, const Membership& members, Outbox& outbox)
        : job_(job), members_(members), outbox_(outbox) {}

    /// `isEnding`: a stop was asked for, or training has ended.
    void request(const wire::DrillRequest& request, bool isEnding, Instant at);

    /// A sign of life of the process.
    void heard(const ProcessKey& process, Nanos now);
    /// What a process says of a drill that it was told to inflict.
    void takeNews(const Member& sender, const wire::Drill& news, Instant at);
    /// A record that the process has sent for the journal.
    void note(const Member& sender, const wire::Record& record, Instant at);
    /// A record of the coordinator's own: failures, verdicts.
    void observe(const wire::Record& record, Instant at);
    /// Its agent has seen a process end, before anything is made of that. True: the drill has done
    /// that.
    [[nodiscard]] bool noteExit(const wire::ProcessExit& exit, Instant at);
    /// Tells the process again, and gives up what does not come.
    void tick(Instant at);
    /// The run is over.
    void close(const std::string& status, Instant at);

    /// Whether the failure is what the present drill has done.
    [[nodiscard]] bool explains(const wire::Failure& failure) const;
    /// All that were not refused, in order.
    [[nodiscard]] std::vector<wire::Drill> tally() const;

private:
    /// Severity of a verdict, and who is named.
    using Standing = std::pair<std::uint32_t, std::vector<std::uint32_t>>;
    struct Open {
        wire::Drill drill;
        Nanos since{};  ///< The order, the process's word, or the landing.
        Nanos toldAt{};
        Nanos heardAt{};           ///< Of the victim.
        bool isInflicted = false;  ///< By the process's own word.
        double inflictedWall = 0;
        std::uint64_t seenStep = 0;        ///< Newest one of the victim.
        std::uint32_t generation = 0;      ///< In which it was ordered, and landed.
        std::optional<Standing> before{};  ///< What was said when it landed, while it goes on.
    };

    [[nodiscard]] std::string refusal(const wire::DrillRequest& request, bool isEnding) const;
    [[nodiscard]] bool isKnown(const std::string& id) const;
    void noteRefused(const std::string& id);
    void tell(Instant at);
    void land(Instant at, double wall, const std::string& sentence);
    void detect(const std::string& sentence, bool isProcess, Instant at);
    void noteSteps(const wire::StepBatch& steps, Instant at);
    void noteCheckpoint(const wire::CheckpointEvent& event, Instant at);
    [[nodiscard]] bool standsAsBefore(const wire::Verdict& verdict);
    [[nodiscard]] bool namesAlone(const wire::Verdict& verdict, std::uint32_t process) const;
    [[nodiscard]] bool isCalledSlow(std::uint32_t process) const;
    void recover(std::uint64_t step, Instant at);
    [[nodiscard]] bool mayRecover(Instant at) const;
    [[nodiscard]] bool isLeftOut() const;
    [[nodiscard]] bool isLanded() const { return open_ && open_->drill.landed_wall_time() > 0; }
    [[nodiscard]] bool isVictim(const ProcessKey& process) const;
    [[nodiscard]] std::string victim() const;
    void journal(wire::DrillPhase phase, const std::string& sentence, Instant at);
    void finish(wire::DrillPhase phase, const std::string& sentence, Instant at);

    const JobState& job_;
    const Membership& members_;
    Outbox& outbox_;
    std::optional<Open> open_;
    std::optional<Standing> standing_;  // now
    std::vector<wire::Drill> past_;     // that were not refused
    std::deque<std::string> refused_;   // ids of the newest of those
};

}  // namespace lockstep::coordination
