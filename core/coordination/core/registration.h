// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/coordination/health/cause_election.h"
#include "core/coordination/health/witness.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"
#include "core/telemetry/journalled_steps.h"

namespace lockstep::coordination {

/// How a generation comes together: workers are waited for until all have registered, and are
/// welcome all at once; evaluator and agents come and go outside of that. Who is missing is told
/// from the first second on, and is the cause of the end when time is up.
class Registration {
public:
    Registration(JobState& job, Membership& members, Witness& witness,
                 const telemetry::JournalledSteps& journalled, Outbox& outbox)
        : job_(job),
          members_(members),
          witness_(witness),
          journalled_(journalled),
          outbox_(outbox) {}

    /// Begins to wait for the workers of the generation that `job` has come to.
    void beginGeneration(Instant at);
    /// A process of this run registers: it is noted, answered as far as it can be, or refused with
    /// the reason. True for a life that has not registered before.
    bool admit(const std::string& connection, const wire::ToCoordinator& message, Instant at);
    /// The coordinator did not run for a while: nobody could register meanwhile.
    void prolong(Nanos gap) { deadline_ += gap; }
    /// Tells who is missing; what to blame once that has lasted too long.
    [[nodiscard]] std::optional<Evidence> check(Instant at);

private:
    void greet(const Member& member, Instant at);
    void welcomeWorkers(Instant at);
    void announceReplicas(const Member& member, Instant at);
    void describeDevice(const Member& member, std::uint32_t local, wire::ReplicaInfo& info) const;
    void tellMissing(Instant at);
    void journalWaiting(std::string sentence, Instant at);
    [[nodiscard]] std::optional<Evidence> orphanedEvidence(Nanos now) const;
    [[nodiscard]] Evidence missingEvidence(Nanos now) const;

    JobState& job_;
    Membership& members_;
    Witness& witness_;
    const telemetry::JournalledSteps& journalled_;
    Outbox& outbox_;
    wire::Welcome welcome_;  // for those who come later, or missed it
    Nanos began_{};
    Nanos deadline_{};
    std::vector<int> toldMissing_;  // by the newest state
    Nanos toldMissingAt_{};
};

}  // namespace lockstep::coordination
