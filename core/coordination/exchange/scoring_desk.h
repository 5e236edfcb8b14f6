// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/coordination/exchange/scoring_ledger.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// Where the chief brings its checkpoints and evaluators get them. Whatever is not scored is named
/// in the journal, with the reason, once.
class ScoringDesk {
public:
    ScoringDesk(const JobState& job, Outbox& outbox)
        : outbox_(outbox), ledger_(job.rules().scoring) {}

    void beginGeneration() { ledger_.beginGeneration(); }

    void offer(const Member& chief, const wire::OfferCheckpoints& offer, Instant at);
    void askWork(const Member& evaluator, const wire::AskWork& ask, Instant at);
    /// What an evaluator had has a score now, or a reason why not.
    void note(const ProcessKey& evaluator, const wire::Evaluation& evaluation, Instant at);
    /// The evaluator is lost; others may have its work.
    void lose(const ProcessKey& evaluator, Instant at);
    /// No evaluator is left, because of `why`.
    void close(const std::string& why, Instant at);
    /// One has come (again).
    void reopen() { ledger_.reopen(); }

    void endTraining() { ledger_.endTraining(); }
    [[nodiscard]] bool isScoring(Nanos since) const { return ledger_.isScoring(since); }
    [[nodiscard]] bool hasWork(const ProcessKey& evaluator) const {
        return ledger_.hasWork(evaluator);
    }
    [[nodiscard]] bool isTesting(const ProcessKey& evaluator) const {
        return ledger_.isTesting(evaluator);
    }
    [[nodiscard]] ScoringTally tally() const { return ledger_.tally(); }

private:
    void name(const std::vector<ScoringLedger::GivenUp>& givenUp, Instant at);
    void answer(const Member& member, std::uint64_t request, const std::string& value);

    Outbox& outbox_;
    ScoringLedger ledger_;
};

}  // namespace lockstep::coordination
