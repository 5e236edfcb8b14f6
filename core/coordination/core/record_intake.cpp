// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/record_intake.h"

#include "core/coordination/exchange/record_gate.h"
#include "core/coordination/exchange/record_worth.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

void RecordIntake::take(const Member& sender, const wire::Records& records, Instant at) {
    for (const std::string& bytes : records.records()) {
        wire::Scratch scratch;
        const auto decoded = wire::decode<wire::Record>(bytes, scratch);
        if (!decoded) {
            ++outbox_.counters().refusedRecords;
            continue;
        }
        const wire::Record& record = **decoded;
        // Any heartbeat of this life counts, also one whose replicas have no numbers yet.
        if (record.has_heartbeat() && isSignOfLife(sender, record.heartbeat()))
            hear(sender.key, at.now);
        if (record.has_drill()) {
            drills_.takeNews(sender, record.drill(), at);
            continue;
        }
        if (!mayJournal(sender, record)) {
            ++outbox_.counters().refusedRecords;
            continue;
        }
        if (record.has_heartbeat() && sender.key.role == wire::ROLE_EVALUATOR)
            witness_.setTesting(sender.key, scoring_.isTesting(sender.key));
        witness_.note(sender, record, at.now);
        if (record.has_evaluation() && sender.key.role == wire::ROLE_EVALUATOR) {
            scoring_.note(sender.key, record.evaluation(), at);
            endings_.prolongDrain(at.now);  // a slow one that still scores is not one that hangs
        }
        if (record.has_checkpoint()) copies_.note(record.checkpoint());
        if (record.has_checkpoint_copy()) copies_.note(record.checkpoint_copy());
        outbox_.journalAsItCame(bytes, worthOf(record), telemetry::stepNewsOf(record));
        drills_.note(sender, record, at);
    }
}

void RecordIntake::hear(const ProcessKey& process, Nanos now) {
    witness_.heard(process, now);
    drills_.heard(process, now);
}

bool RecordIntake::mayJournal(const Member& sender, const wire::Record& record) const {
    // Nothing comes behind the end of the run, and no phase of training behind its stopping.
    if (job_.runEnd() || (record.has_run_state() && endings_.stopRequested())) return false;
    // What counts as scored has been told with the generation's end.
    if (job_.ended() && record.has_evaluation() && sender.key.role == wire::ROLE_EVALUATOR)
        return false;
    return mayWrite(sender, record, !job_.registering(), job_.rules().agents);
}

}  // namespace lockstep::coordination
