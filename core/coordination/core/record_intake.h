// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/coordination/core/drills.h"
#include "core/coordination/core/endings.h"
#include "core/coordination/exchange/copy_account.h"
#include "core/coordination/exchange/scoring_desk.h"
#include "core/coordination/health/witness.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// Takes the records of members into the journal, where they may write them, and tells the witness
/// what is in them.
class RecordIntake {
public:
    RecordIntake(const JobState& job, Witness& witness, ScoringDesk& scoring, Drills& drills,
                 Endings& endings, Outbox& outbox)
        : job_(job),
          witness_(witness),
          scoring_(scoring),
          drills_(drills),
          endings_(endings),
          outbox_(outbox) {}

    void take(const Member& sender, const wire::Records& records, Instant at);
    /// Of the run, whatever generation.
    [[nodiscard]] CopyTally copies() const { return copies_.tally(); }

private:
    void hear(const ProcessKey& process, Nanos now);
    [[nodiscard]] bool mayJournal(const Member& sender, const wire::Record& record) const;

    const JobState& job_;
    Witness& witness_;
    ScoringDesk& scoring_;
    Drills& drills_;
    Endings& endings_;
    Outbox& outbox_;
    CopyAccount copies_;
};

}  // namespace lockstep::coordination
