// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/coordination/core/drain.h"
#include "core/coordination/core/drills.h"
#include "core/coordination/core/end_notices.h"
#include "core/coordination/exchange/request_desk.h"
#include "core/coordination/exchange/scoring_desk.h"
#include "core/coordination/health/cause_election.h"
#include "core/coordination/health/witness.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// How a generation ends, with exactly one outcome: by the chief's word when it has left in order
/// and the others have followed, failed when a cause is named, or on request. Ends the run, too.
class Endings {
public:
    Endings(JobState& job, const Membership& members, const Witness& witness, RequestDesk& desk,
            ScoringDesk& scoring, const Drills& drills, EndNotices& notices, Outbox& outbox);

    void beginGeneration();

    /// Workers end after the step in flight, with a checkpoint. Told again until they have.
    void requestStop(StopAsker asker, Instant at);
    /// A process of the job got a SIGTERM: a stop, whose reason is said.
    void toldToEnd(const Member& member, Instant at);
    [[nodiscard]] bool stopRequested() const { return stopRepeat_.has_value(); }
    /// Ends the generation now. What the chief has already left behind stands.
    void requestKill(StopAsker asker, Instant at);

    /// The chief leaves in order.
    void drain(const wire::Leave& chiefs, Nanos now);
    [[nodiscard]] bool draining() const { return drain_.active(); }
    /// An evaluator works on. Who asked for a stop does not wait for all that is left.
    void prolongDrain(Nanos now) {
        if (!stopRequested()) drain_.prolong(now);
    }
    /// An evaluator has registered.
    void evaluatorCame(const ProcessKey& evaluator);
    /// It has ended for good, in `why`'s words, whether or not it had ever registered. Its work
    /// goes to the others; without any, what is not scored is named.
    void evaluatorGone(const ProcessKey& evaluator, const std::string& why, Instant at);

    /// Ends the generation once nobody is waited for any more. To be called when somebody has gone.
    void checkDrained(Instant at);
    /// What time brings: the end of a drain, another word to stop.
    void tick(Instant at);

    /// Ends the generation: this is why.
    void fail(const Evidence& cause, Instant at);
    /// Ends the run: nothing is journalled after this.
    void endRun(const wire::RunEnd& end, Instant at);

private:
    void repeatStop(Instant at);
    [[nodiscard]] std::vector<ProcessKey> workingEvaluators() const;
    [[nodiscard]] bool drainIsOver(bool evaluatorsWork, Nanos now) const;
    void nameLateEvaluators(std::vector<ProcessKey> late, Instant at);
    void finish(Outcome outcome, const std::string& cause,
                std::int32_t culprit = JobState::kNobody);

    JobState& job_;
    const Membership& members_;
    const Witness& witness_;
    RequestDesk& desk_;
    ScoringDesk& scoring_;
    const Drills& drills_;
    EndNotices& notices_;
    Outbox& outbox_;
    Drain drain_;
    std::optional<Nanos> stopRepeat_;  // set once a stop was asked for
    bool isWanted_ = false;            // by a user
    std::set<ProcessKey> goneEvaluators_;
};

}  // namespace lockstep::coordination
