// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/coordinator_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/coordination/core/heartbeat_times.h"
#include "core/coordination/core/record_gate.h"
#include "core/coordination/core/record_worth.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

/// An interval without a heartbeat is jitter; three of them are worth a word.
LivenessTable::Limits livenessLimits(const JobRules& rules) {
    const Nanos interval = heartbeatInterval(rules.heartbeatInterval, rules.heartbeatTimeout);
    return {std::min(3 * interval, rules.heartbeatTimeout / 2), rules.heartbeatTimeout};
}

/// Requests wait a day at most, whatever they ask for.
Nanos boundedTimeout(std::uint32_t milliseconds) {
    return std::min<Nanos>(Millis(milliseconds), 24h);
}

}  // namespace

CoordinatorCore::CoordinatorCore(JobRules rules, Instant at)
    : rules_(std::move(rules)),
      members_({rules_.workers, rules_.evaluator, rules_.build}),
      liveness_(livenessLimits(rules_)),
      barriers_(rules_.workers),
      election_({rules_.exitGrace, rules_.followUpGrace}),
      progress_(rules_.progress),
      verdicts_(rules_.progress.repeat) {
    beginGeneration(0, at);
}

void CoordinatorCore::beginGeneration(std::uint32_t generation, Instant at) {
    const std::string over = fmt::format("generation {} of the run is over", generation_);
    answerGets(store_.abort(over));
    answerBarriers(barriers_.abort(over));
    for (const auto& [key, member] : members_.all())
        if (key.role != wire::ROLE_AGENT) liveness_.forget(key);
    members_.reset();
    store_.clear();
    std::ignore = store_.set(std::string(kAliveKey), "1");  // far below every limit
    setEvaluatorGone(false);
    ownGap_ = ownGapEnd_ = {};  // explains no failure of processes that start now
    barriers_ = BarrierTable(rules_.workers);
    election_ = CauseElection({rules_.exitGrace, rules_.followUpGrace});
    progress_ = ProgressWatch(rules_.progress);
    generation_ = generation;
    stage_ = Stage::Registering;
    welcome_.Clear();
    registrationDeadline_ = at.now + rules_.initializationTimeout;
    registrationBegan_ = toldMissingAt_ = at.now;
    toldMissing_ = members_.missingWorkers();
    drainDeadline_.reset();
    stopRepeat_.reset();
    lastInput_ = at.now;
    chiefsLeave_.Clear();
    culprit_ = -1;
    endCause_.clear();
    setState(generation == 0 ? wire::RUN_STATE_LAUNCHING : wire::RUN_STATE_RESTARTING,
             fmt::format("{} {} to register", generation == 0 ? "waiting for" : "restarting:",
                         counted(rules_.workers, "process")),
             at);
    if (generation == 0) return;
    wire::FromCoordinator begins;
    begins.mutable_begin_generation();
    tellAgents(begins);
}

void CoordinatorCore::receive(const Peer& peer, const wire::ToCoordinator& message, Instant at) {
    noteOwnGap(at);
    const std::optional<ProcessKey> sender = processOf(peer.user);
    if (const auto sentence = refusal(message, sender)) {
        ++counters_.foreign;
        // Whoever is left over from a former generation shall learn it, and end.
        if (!message.has_register_())
            return sender ? sendAbort(peer.connection, -1, *sentence) : void();
        wire::FromCoordinator answer;
        answer.mutable_refused()->set_sentence(*sentence);
        return send(peer.connection, std::move(answer));
    }
    if (message.has_register_()) return registerMember(peer, *sender, message, at);
    Member* member = speaker(peer, *sender, message);
    if (member != nullptr && isNext(*member, message.sequence())) dispatch(*member, message, at);
}

/// Why a message is not of this run at all.
std::optional<std::string> CoordinatorCore::refusal(const wire::ToCoordinator& message,
                                                    const std::optional<ProcessKey>& sender) const {
    if (message.protocol() != wire::kProtocol)
        return fmt::format(
            "this process speaks protocol {}, the coordinator speaks {}: install "
            "the same version on every host",
            message.protocol(), wire::kProtocol);
    if (message.run_id() != rules_.runId)
        return fmt::format("this process belongs to run '{}', the coordinator to run '{}'",
                           sanitizeLine(message.run_id(), 80), rules_.runId);
    if (!sender) return "this key is not one of a process of the job";
    // An agent outlives the generations that it starts.
    if (message.generation() != generation_ && sender->role != wire::ROLE_AGENT)
        return fmt::format("{} belongs to generation {} of the run; generation {} is running",
                           nameOf(*sender), message.generation(), generation_);
    if (!message.has_register_()) return std::nullopt;
    const ProcessKey claimed = keyOf(message.register_().role(), message.register_().process_id());
    if (claimed != *sender)
        return fmt::format("the key of {} cannot register {}", nameOf(*sender), nameOf(claimed));
    return std::nullopt;
}

/// The member that says this, or null when whoever says it must not be heard.
Member* CoordinatorCore::speaker(const Peer& peer, const ProcessKey& key,
                                 const wire::ToCoordinator& message) {
    Member* member = members_.find(key);
    const bool former = member != nullptr && member->incarnation != message.incarnation();
    if (former || members_.isFenced(key, message.incarnation())) {
        ++counters_.fenced;
        sendAbort(peer.connection, static_cast<std::int32_t>(key.id),
                  fmt::format("this life of {} is over for the coordinator", nameOf(key)));
        return nullptr;
    }
    const bool mayStillSay =
        member != nullptr && (member->state == MemberState::Present || message.has_leave());
    if (!mayStillSay) {
        ++counters_.unregistered;
        return nullptr;
    }
    member->connection = peer.connection;
    return member;
}

void CoordinatorCore::registerMember(const Peer& peer, const ProcessKey& key,
                                     const wire::ToCoordinator& message, Instant at) {
    wire::FromCoordinator refused;
    if (stage_ == Stage::Ended && key.role != wire::ROLE_AGENT) {
        refused.mutable_refused()->set_sentence(
            endCause_.empty() ? "the run has ended" : "the run has ended: " + endCause_);
        return send(peer.connection, std::move(refused));
    }
    const auto admission =
        members_.admit(message.register_(), message.incarnation(), peer.connection);
    if (!admission) {
        ++counters_.unregistered;
        refused.mutable_refused()->set_sentence(admission.error().message);
        return send(peer.connection, std::move(refused));
    }
    Member& member = *members_.find(key);
    if (*admission == Membership::Admission::New) {
        liveness_.watch(key, at.now);
        if (key.role == wire::ROLE_EVALUATOR) {
            setEvaluatorGone(false);
            announceReplicas(member, at);
        }
    } else {
        liveness_.heard(key, at.now);
    }
    greet(member, at);
}

void CoordinatorCore::greet(Member& member, Instant at) {
    const bool complete = members_.workersComplete();
    if (member.key.role == wire::ROLE_WORKER && stage_ == Stage::Registering) {
        if (complete) welcomeWorkers(at);
        return;
    }
    wire::FromCoordinator answer;  // outside of the barrier, or its Welcome was lost
    *answer.mutable_welcome() = welcome_;
    answer.mutable_welcome()->set_seed_word(rules_.seedWord);
    sendTo(member, std::move(answer));
    if (!runEnd_ || member.key.role != wire::ROLE_AGENT) return;
    wire::FromCoordinator over;
    *over.mutable_run_over() = *runEnd_;
    sendTo(member, std::move(over));
}

void CoordinatorCore::welcomeWorkers(Instant at) {
    welcome_ = members_.assignReplicas();
    welcome_.set_seed_word(rules_.seedWord);
    stage_ = Stage::Running;
    registrationDeadline_.reset();
    for (const auto& [key, member] : members_.all()) {
        if (key.role != wire::ROLE_WORKER) continue;
        announceReplicas(member, at);
        progress_.addProcess(key.id, member.facts.host());
        wire::FromCoordinator answer;
        *answer.mutable_welcome() = welcome_;
        sendTo(member, std::move(answer));
    }
    const std::uint32_t replicas = members_.replicaCount();
    setState(wire::RUN_STATE_TRAINING, "training on " + counted(replicas, "replica"), at);
}

void CoordinatorCore::announceReplicas(const Member& member, Instant at) {
    const std::uint32_t replicas =
        member.key.role == wire::ROLE_WORKER ? member.facts.replicas() : 1;
    for (std::uint32_t local = 0; local < replicas; ++local) {
        wire::Record record;
        wire::ReplicaInfo& info = *record.mutable_replica_info();
        info.set_process_id(member.key.id);
        info.set_replica(member.firstReplica + local);
        info.set_role(member.key.role);
        info.set_host(member.facts.host());
        info.set_address(member.facts.address());
        info.set_pid(member.facts.pid());
        if (!member.facts.device().empty())  // a user's own program has its devices to itself
            info.set_device(fmt::format("{}:{}", member.facts.device(), local));
        info.set_incarnation(member.incarnation);
        append(std::move(record), at);
    }
}

void CoordinatorCore::dispatch(Member& member, const wire::ToCoordinator& message, Instant at) {
    switch (message.body_case()) {
        case wire::ToCoordinator::kSet:
            return setKey(message.set(), at);
        case wire::ToCoordinator::kGet:
            return getKey(member, message.get(), at);
        case wire::ToCoordinator::kBarrier:
            return enterBarrier(member, message.barrier(), at);
        case wire::ToCoordinator::kRecords:
            return takeRecords(member, message.records(), at);
        case wire::ToCoordinator::kProcessExit:
            return takeExitFromAgent(member, message.process_exit(), message.generation(), at);
        case wire::ToCoordinator::kReportError:
            return takeError(member, message.report_error(), at);
        case wire::ToCoordinator::kLeave:
            return memberLeaves(member, message.leave(), at);
        case wire::ToCoordinator::kStop:
            return member.key.role == wire::ROLE_AGENT ? requestStop(at)
                                                       : void(++counters_.refusedRecords);
        default:
            ++counters_.malformed;
    }
}

void CoordinatorCore::setKey(const wire::KeyValueSet& set, Instant at) {
    auto answers = store_.set(set.key(), set.value());
    if (answers) return answerGets(*answers);
    ++counters_.refusedStores;
    log({wire::ROLE_AGENT, 0}, 3, "the key-value store refused " + answers.error().message, at);
}

void CoordinatorCore::getKey(const Member& member, const wire::KeyValueGet& get, Instant at) {
    const bool waits = stage_ != Stage::Ended;
    answerGets(store_.get(member.key, get.request(), get.key(),
                          waits ? boundedTimeout(get.timeout_ms()) : Nanos{}, at.now));
}

void CoordinatorCore::enterBarrier(const Member& member, const wire::BarrierEnter& enter,
                                   Instant at) {
    if (member.key.role != wire::ROLE_WORKER || stage_ != Stage::Running) {
        const std::string why = stage_ == Stage::Ended
                                    ? "the run has ended: " + endCause_
                                    : "barriers are for workers that are welcome";
        return answerBarriers(
            {{member.key, enter.request(), {}, fmt::format("{}: {}", kAbortedWord, why)}});
    }
    answerBarriers(barriers_.enter(member.key.id, enter.request(), enter.name(),
                                   boundedTimeout(enter.timeout_ms()), at.now));
}

void CoordinatorCore::takeRecords(Member& member, const wire::Records& records, Instant at) {
    for (const std::string& bytes : records.records()) {
        wire::Scratch scratch;
        const auto decoded = wire::decode<wire::Record>(bytes, scratch);
        if (!decoded) {
            ++counters_.refusedRecords;
            continue;
        }
        const wire::Record& record = **decoded;
        noteLife(member, record, at);
        const bool stopping = record.has_run_state() && stopRepeat_.has_value();
        if (runEnd_ || stopping ||
            !mayWrite(member, record, stage_ != Stage::Registering, rules_.agents)) {
            ++counters_.refusedRecords;
            continue;
        }
        noteProgress(member, record, at);
        actions_.emplace_back(AppendAction{bytes, worthOf(record)});  // unknown fields are kept
    }
}

/// Any heartbeat of this life counts, also one whose replicas have no numbers yet.
void CoordinatorCore::noteLife(const Member& member, const wire::Record& record, Instant at) {
    if (record.has_heartbeat() && isSignOfLife(member, record.heartbeat()))
        liveness_.heard(member.key, at.now);
}

/// What the coordinator itself learns from a record that it journals.
void CoordinatorCore::noteProgress(const Member& member, const wire::Record& record, Instant at) {
    if (record.has_heartbeat() && member.key.role == wire::ROLE_WORKER)
        for (const wire::ReplicaProgress& replica : record.heartbeat().replicas())
            progress_.report(member.key.id, replica, at.now);
    if (record.has_steps()) progress_.addSteps(member.key.id, record.steps());
    // A slow evaluator that still scores is not one that hangs.
    if (record.has_evaluation() && member.key.role == wire::ROLE_EVALUATOR && draining())
        drainDeadline_ = at.now + rules_.drainTimeout;
}

void CoordinatorCore::takeExitFromAgent(const Member& agent, const wire::ProcessExit& exit,
                                        std::uint32_t generation, Instant at) {
    const Member* ended = members_.find(keyOf(exit.role(), exit.process_id()));
    const bool ofItsHost =
        ended == nullptr || ended->facts.host_group() == agent.facts.host_group();
    if (!ofItsHost || !isAgentOf(agent, keyOf(exit.role(), exit.process_id()), rules_.agents)) {
        ++counters_.refusedRecords;
        return;
    }
    processExited(exit, generation, at);
}

void CoordinatorCore::appendRecord(const wire::Record& record, Instant at) {
    if (!runEnd_) append(record, at);
}

void CoordinatorCore::send(const std::string& connection, wire::FromCoordinator message) {
    if (connection.empty()) {
        ++counters_.undelivered;
        return;
    }
    message.set_protocol(wire::kProtocol);
    message.set_run_id(rules_.runId);
    message.set_generation(generation_);
    actions_.emplace_back(SendAction{connection, std::move(message)});
}

void CoordinatorCore::sendTo(const Member& member, wire::FromCoordinator message) {
    message.set_acknowledged(member.taken);
    send(member.connection, std::move(message));
}

void CoordinatorCore::sendAbort(const std::string& connection, std::int32_t culprit,
                                const std::string& cause) {
    wire::FromCoordinator message;
    message.mutable_abort()->set_process_id(culprit);
    message.mutable_abort()->set_cause(cause);
    send(connection, std::move(message));
}

void CoordinatorCore::answerGets(const std::vector<RequestAnswer>& answers) {
    for (const RequestAnswer& answer : answers) {
        const Member* member = members_.find(answer.process);
        if (member == nullptr) continue;
        wire::FromCoordinator message;
        message.mutable_value()->set_request(answer.request);
        message.mutable_value()->set_value(answer.value);
        message.mutable_value()->set_error(answer.error);
        sendTo(*member, std::move(message));
    }
}

void CoordinatorCore::answerBarriers(const std::vector<RequestAnswer>& answers) {
    for (const RequestAnswer& answer : answers) {
        const Member* member = members_.find(answer.process);
        if (member == nullptr) continue;
        wire::FromCoordinator message;
        message.mutable_barrier_done()->set_request(answer.request);
        message.mutable_barrier_done()->set_error(answer.error);
        sendTo(*member, std::move(message));
    }
}

void CoordinatorCore::append(wire::Record record, Instant at) {
    if (record.wall_time() == 0) record.set_wall_time(at.wall);
    actions_.emplace_back(AppendAction{record.SerializeAsString(), telemetry::RecordWorth::Event});
}

void CoordinatorCore::setState(wire::RunState state, std::string sentence, Instant at) {
    wire::Record record;
    record.mutable_run_state()->set_state(state);
    record.mutable_run_state()->set_sentence(std::move(sentence));
    append(std::move(record), at);
}

void CoordinatorCore::log(const ProcessKey& about, std::uint32_t level, std::string text,
                          Instant at) {
    if (runEnd_) return;
    wire::Record record;
    wire::LogLine& line = *record.mutable_log();
    line.set_process_id(about.id);
    line.set_role(about.role);
    line.set_level(level);
    line.set_text(wire::validUtf8(sanitizeLine(text)));
    append(std::move(record), at);
}

std::vector<Action> CoordinatorCore::takeActions() {
    return std::exchange(actions_, {});
}

}  // namespace lockstep::coordination
