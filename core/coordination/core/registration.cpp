// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/registration.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/plural.h"
#include "core/coordination/state/device_assignment.h"
#include "core/coordination/state/hold_words.h"
#include "core/coordination/state/lost_agent.h"
#include "core/coordination/state/sentences.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kMissingPause = 1s;    ///< Between two words on who is missing, at least,
constexpr Nanos kMissingRepeat = 10s;  ///< and at most.

}  // namespace

void Registration::beginGeneration(Instant at) {
    const JobRules& rules = job_.rules();
    welcome_.Clear();
    welcome_.set_seed_word(rules.seedWord);
    began_ = toldMissingAt_ = at.now;
    deadline_ = at.now + rules.initializationTimeout;
    toldMissing_ = members_.missingWorkers();
    const bool first = job_.generation() == 0;
    journalWaiting(fmt::format("{} {} to register", first ? "waiting for" : "restarting:",
                               counted(rules.workers, "process")),
                   at);
    if (first) return;
    wire::FromCoordinator begins;
    begins.mutable_begin_generation();
    for (const Member* agent : members_.present(wire::ROLE_AGENT))
        outbox_.send(*agent, begins);
}

void Registration::journalWaiting(std::string sentence, Instant at) {
    outbox_.journalState(
        job_.generation() == 0 ? wire::RUN_STATE_LAUNCHING : wire::RUN_STATE_RESTARTING,
        std::move(sentence), at);
}

bool Registration::admit(const std::string& connection, const wire::ToCoordinator& message,
                         Instant at) {
    const wire::Register& facts = message.register_();
    const ProcessKey key{facts.role(), facts.process_id()};
    if (job_.ended() && key.role != wire::ROLE_AGENT) {
        outbox_.refuse(
            connection,
            job_.endCause().empty() ? "the run has ended" : "the run has ended: " + job_.endCause(),
            true);
        return false;
    }
    const bool hadAnotherLife = members_.find(key) != nullptr;
    const auto admission = members_.admit(facts, message.incarnation(), connection);
    if (!admission) {
        ++outbox_.counters().unregistered;
        outbox_.refuse(connection, admission.error().message, hadAnotherLife);
        return false;
    }
    const Member& member = *members_.find(key);
    const bool isNew = *admission == Membership::Admission::New;
    if (isNew)
        witness_.watch(key, at.now);
    else
        witness_.heard(key, at.now);
    if (isNew && key.role == wire::ROLE_EVALUATOR) announceReplicas(member, at);
    greet(member, at);
    return isNew;
}

void Registration::greet(const Member& member, Instant at) {
    if (member.key.role == wire::ROLE_WORKER && job_.registering()) {
        if (members_.missingWorkers().empty()) welcomeWorkers(at);
        return;
    }
    wire::FromCoordinator answer;  // it is outside of the barrier, or its Welcome was lost
    *answer.mutable_welcome() = welcome_;
    outbox_.send(member, std::move(answer));
    if (!job_.runEnd() || member.key.role != wire::ROLE_AGENT) return;
    wire::FromCoordinator over;
    *over.mutable_run_over() = *job_.runEnd();
    outbox_.send(member, std::move(over));
}

void Registration::welcomeWorkers(Instant at) {
    welcome_ = members_.assignReplicas();
    welcome_.set_seed_word(job_.rules().seedWord);
    if (job_.generation() > 0)
        for (const std::int64_t step : journalled_.newest(members_.replicaCount()))
            welcome_.add_journalled_steps(step);
    job_.beginRunning();
    for (const auto& [key, member] : members_.all()) {
        if (key.role != wire::ROLE_WORKER) continue;
        announceReplicas(member, at);
        witness_.watchSteps(member);
        wire::FromCoordinator answer;
        *answer.mutable_welcome() = welcome_;
        outbox_.send(member, std::move(answer));
    }
    outbox_.journalState(wire::RUN_STATE_TRAINING,
                         "training on " + counted(members_.replicaCount(), "replica"), at);
}

void Registration::announceReplicas(const Member& member, Instant at) {
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
        describeDevice(member, local, info);
        info.set_incarnation(member.incarnation);
        outbox_.journal(std::move(record), at);
    }
}

/// A user's own program has its devices to itself.
void Registration::describeDevice(const Member& member, std::uint32_t local,
                                  wire::ReplicaInfo& info) const {
    const bool known = member.key.role == wire::ROLE_WORKER &&
                       static_cast<int>(member.key.id) < welcome_.members_size();
    if (known) {
        const wire::Member& entry = welcome_.members(static_cast<int>(member.key.id));
        const auto& devices = entry.devices();
        if (static_cast<int>(local) < devices.size()) {
            const wire::Device& device = devices.Get(static_cast<int>(local));
            info.set_device(fmt::format("{}:{}", device.type(), device.local_id()));
            *info.mutable_hardware() = device;
            info.mutable_hardware()->set_name(nameIn(entry, device));
            return;
        }
    }
    if (!member.facts.device().empty())
        info.set_device(fmt::format("{}:{}", member.facts.device(), local));
}

std::optional<Evidence> Registration::check(Instant at) {
    if (!job_.registering()) return std::nullopt;
    if (at.now >= deadline_) return missingEvidence(at.now);
    if (auto orphaned = orphanedEvidence(at.now)) return orphaned;
    tellMissing(at);
    return std::nullopt;
}

/// Who is still missing: whenever somebody has come, and now and then.
void Registration::tellMissing(Instant at) {
    const std::vector<int> missing = members_.missingWorkers();
    const Nanos since = at.now - toldMissingAt_;
    const bool due = since >= kMissingRepeat || (missing != toldMissing_ && since >= kMissingPause);
    const bool first = toldMissingAt_ == began_ && since >= kMissingPause;
    if (missing.empty() || !(due || first)) return;
    toldMissing_ = missing;
    toldMissingAt_ = at.now;
    const JobRules& rules = job_.rules();
    journalWaiting(
        fmt::format("waiting for {} of {} to register ({:.0f} s of {:.0f} s)",
                    processesText(missing), rules.workers, Seconds(at.now - began_).count(),
                    Seconds(rules.initializationTimeout).count()),
        at);
}

/// A process that is to begin again, but whose agent on another host is gone with the one before.
std::optional<Evidence> Registration::orphanedEvidence(Nanos now) const {
    if (job_.generation() == 0) return std::nullopt;
    for (const int worker : members_.missingWorkers()) {
        const ProcessKey key{wire::ROLE_WORKER, static_cast<std::uint32_t>(worker)};
        const auto agent = job_.rules().agents.find(key);
        if (agent == job_.rules().agents.end()) continue;
        const Member* member = members_.find({wire::ROLE_AGENT, agent->second});
        if (member == nullptr || member->state != MemberState::Gone) continue;
        Evidence evidence;
        evidence.failure = witness_.failureOf(key, kLostAgent, now);
        evidence.failure.set_host(member->facts.host());
        evidence.isFinal = true;
        evidence.fromOutside = true;
        evidence.remedy =
            "Go on with --resume. launch.max_restarts begins again on all hosts where the launch "
            "is\n"
            "tied (--set launch.on_disconnect=tied) and its launcher is there.";
        return evidence;
    }
    return std::nullopt;
}

Evidence Registration::missingEvidence(Nanos now) const {
    const JobRules& rules = job_.rules();
    const std::vector<int> missing = members_.missingWorkers();
    const ProcessKey first{wire::ROLE_WORKER, static_cast<std::uint32_t>(missing.front())};
    const std::string within = secondsText(rules.initializationTimeout);
    Evidence evidence;
    const std::string hold = holdWords(witness_.holdOf(first));
    evidence.failure = witness_.failureOf(
        first,
        missing.size() == 1 ? behindHold(hold, fmt::format("did not register within {}", within))
                            : fmt::format("{} of {} did not register within {}",
                                          processesText(missing), rules.workers, within),
        now);
    evidence.failure.set_detected_after_seconds(Seconds(rules.initializationTimeout).count());
    evidence.remedy =
        "Look at their logs; check that they were started and can reach the coordinator's "
        "address.\n"
        "For slow starts raise cluster.initialization_timeout_seconds.";
    return evidence;
}

}  // namespace lockstep::coordination
