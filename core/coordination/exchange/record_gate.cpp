// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/record_gate.h"

#include <algorithm>

#include "core/telemetry/scalar_series.h"

namespace lockstep::coordination {

namespace {

bool ownsReplica(const Member& sender, std::uint32_t replica, bool numbered) {
    return numbered && sender.holds(replica);
}

/// Named figures: a worker's of its replicas; of the run those of the chief and of the evaluator.
bool ownsSeries(const Member& sender, wire::Role role, int replica, bool numbered) {
    if (role != sender.key.role) return false;
    if (replica == telemetry::kWholeJob)
        return role == wire::ROLE_EVALUATOR || sender.key == ProcessKey{wire::ROLE_WORKER, 0};
    return replica >= 0 && ownsReplica(sender, static_cast<std::uint32_t>(replica), numbered);
}

bool isSender(const Member& sender, wire::Role role, std::uint32_t processId) {
    return ProcessKey{role, processId} == sender.key;
}

/// Readers index one column by the length of another.
bool hasEqualColumns(const wire::StepBatch& steps) {
    const int count = steps.loss_size();
    return count > 0 && steps.first_step() > 0 && steps.accuracy_size() == count &&
           steps.step_us_size() == count && steps.data_us_size() == count &&
           steps.forward_us_size() == count && steps.backward_us_size() == count &&
           steps.all_reduce_us_size() == count && steps.update_us_size() == count;
}

bool isOwnHeartbeat(const Member& sender, const wire::Heartbeat& heartbeat, bool numbered) {
    if (!isSignOfLife(sender, heartbeat)) return false;
    return std::ranges::all_of(heartbeat.replicas(), [&](const wire::ReplicaProgress& replica) {
        return sender.key.role == wire::ROLE_EVALUATOR ||
               ownsReplica(sender, replica.replica(), numbered);
    });
}

/// The chief knows when it validates and tests; all other changes are the coordinator's to tell.
bool isPhaseOfTraining(const wire::RunStateChange& change) {
    return change.state() == wire::RUN_STATE_TRAINING ||
           change.state() == wire::RUN_STATE_VALIDATING ||
           change.state() == wire::RUN_STATE_TESTING;
}

/// Whether `sender` is an agent that may speak of `process`: itself, or one that it starts. Any
/// agent may where `agents` (JobRules::agents) says nothing.
bool isAgentOf(const Member& sender, const ProcessKey& process,
               const std::map<ProcessKey, std::uint32_t>& agents) {
    if (sender.key.role != wire::ROLE_AGENT) return false;
    if (agents.empty() || process == sender.key) return true;
    const auto found = agents.find(process);
    return found != agents.end() && found->second == sender.key.id;
}

}  // namespace

bool isSignOfLife(const Member& sender, const wire::Heartbeat& heartbeat) {
    return isSender(sender, heartbeat.role(), heartbeat.process_id()) &&
           heartbeat.incarnation() == sender.incarnation;
}

bool mayTellOf(const Member& sender, const ProcessKey& process, const Member* member,
               const std::map<ProcessKey, std::uint32_t>& agents) {
    const bool ofItsHost =
        member == nullptr || member->facts.host_group() == sender.facts.host_group();
    return ofItsHost && isAgentOf(sender, process, agents);
}

bool mayWrite(const Member& sender, const wire::Record& record, bool numbered,
              const std::map<ProcessKey, std::uint32_t>& agents) {
    // An agent measures and hears the processes of its host.
    const auto speaksOf = [&](wire::Role role, std::uint32_t id) {
        return isSender(sender, role, id) || isAgentOf(sender, ProcessKey{role, id}, agents);
    };
    const bool chief = sender.key == ProcessKey{wire::ROLE_WORKER, 0};
    switch (record.body_case()) {
        case wire::Record::kHeartbeat:
            return isOwnHeartbeat(sender, record.heartbeat(), numbered);
        case wire::Record::kClockOffset:
            return isSender(sender, record.clock_offset().role(),
                            record.clock_offset().process_id()) &&
                   record.clock_offset().incarnation() == sender.incarnation;
        case wire::Record::kSteps:
            return ownsReplica(sender, record.steps().replica(), numbered) &&
                   hasEqualColumns(record.steps());
        case wire::Record::kDrops:
            return ownsReplica(sender, record.drops().replica(), numbered);
        case wire::Record::kScalarSeries:
            return ownsSeries(sender, record.scalar_series().role(),
                              record.scalar_series().replica(), numbered) &&
                   telemetry::isWellFormed(record.scalar_series());
        case wire::Record::kScalars:
            return ownsSeries(sender, record.scalars().role(), record.scalars().replica(),
                              numbered) &&
                   telemetry::isWellFormed(record.scalars());
        case wire::Record::kFigures:
            return speaksOf(record.figures().role(), record.figures().process_id());
        case wire::Record::kLog:
            return speaksOf(record.log().role(), record.log().process_id());
        case wire::Record::kNotice:
            return speaksOf(record.notice().role(), record.notice().process_id());
        case wire::Record::kLinkReport:
            return isSender(sender, wire::ROLE_WORKER, record.link_report().process_id());
        case wire::Record::kCheckpointCopy:
            return sender.key.role == wire::ROLE_AGENT;
        case wire::Record::kRunInfo:
        case wire::Record::kEpoch:
        case wire::Record::kCheckpoint:
            return chief;
        case wire::Record::kRunState:
            return chief && isPhaseOfTraining(record.run_state());
        case wire::Record::kEvaluation:
            return chief || sender.key.role == wire::ROLE_EVALUATOR;
        default:
            return false;
    }
}

}  // namespace lockstep::coordination
