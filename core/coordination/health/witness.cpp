// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/coordination/health/heartbeat_times.h"
#include "core/coordination/state/hold_words.h"
#include "core/coordination/state/sentences.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kGapWorthALine = 3s;
constexpr ProcessKey kCoordinatorsAgent{wire::ROLE_AGENT, 0};
constexpr ProcessKey kChief{wire::ROLE_WORKER, 0};
constexpr std::string_view kStacksAreInItsLog = "; where its threads stand is in its log";

/// An interval without a heartbeat is jitter; three of them are worth a word.
LivenessTable::Limits livenessLimits(const JobRules& rules) {
    const Nanos interval = heartbeatInterval(rules.heartbeatInterval, rules.heartbeatTimeout);
    return {std::min(3 * interval, rules.heartbeatTimeout / 2), rules.heartbeatTimeout};
}

std::uint64_t lastStepOf(const wire::StepBatch& batch) {
    return batch.first_step() + static_cast<std::uint64_t>(std::max(batch.loss_size(), 1)) - 1;
}

std::string gapSentence(Nanos gap) {
    return fmt::format("the coordinator did not run for {} itself", secondsText(gap));
}

}  // namespace

Witness::Witness(const JobState& job, const Membership& members, Outbox& outbox)
    : job_(job),
      members_(members),
      outbox_(outbox),
      gaps_(job.rules()),
      liveness_(livenessLimits(job.rules())),
      progress_(job.rules().progress),
      stragglers_(job.rules().slow),
      verdicts_(job.rules().progress.repeat),
      stuck_(job.rules().stuck),
      evaluations_(job.rules().progress.evaluate) {}

void Witness::beginGeneration(Nanos now) {
    for (const auto& [key, member] : members_.all())
        if (key.role != wire::ROLE_AGENT) liveness_.forget(key);
    progress_ = ProgressWatch(job_.rules().progress);
    stragglers_.beginGeneration();
    holds_.clear();
    stuck_.reset();
    stacks_.reset();
    threads_.reset();
    links_.reset();
    haveTold_.clear();
    evaluations_.beginGeneration();
    telemetry_.beginGeneration();
    standing_.reset();
    committed_ = 0;
    gaps_.beginGeneration(now);
}

Nanos Witness::noteTurn(Instant at) {
    const Nanos gap = gaps_.note(at.now);
    if (gap > Nanos{}) liveness_.forgive(gap);
    if (gap >= kGapWorthALine && !job_.ended())
        outbox_.log(kCoordinatorsAgent, LogLevel::Warning, gapSentence(gap), at);
    return gap;
}

void Witness::watchSteps(const Member& worker) {
    progress_.addProcess(worker.key.id, worker.facts.host());
    stragglers_.addProcess(worker.key.id, worker.facts.host());
}

void Witness::note(const Member& member, const wire::Record& record, Nanos now) {
    if (record.has_heartbeat() && member.key.role == wire::ROLE_WORKER)
        for (const wire::ReplicaProgress& replica : record.heartbeat().replicas()) {
            progress_.report(member.key.id, replica, now);
            trainedTo_ = std::max(trainedTo_, replica.step());
        }
    if (member.key.role == wire::ROLE_EVALUATOR) noteEvaluator(member.key.id, record);
    telemetry_.note(member.key, record, now);
    progress_.note(record);
    if (record.has_link_report()) links_.take(member.key.id, record.link_report());
    if (record.has_run_info())
        stragglers_.setJob(record.run_info().unevenness(), record.run_info().slowness_unknown());
    if (record.has_checkpoint() && record.checkpoint().error().empty())
        committed_ = std::max(committed_, record.checkpoint().step());
    if (!record.has_steps()) return;
    progress_.addSteps(member.key.id, record.steps());
    trainedTo_ = std::max(trainedTo_, lastStepOf(record.steps()));
    stragglers_.addSteps(member.key.id, record.steps());
}

void Witness::noteThreads(const Member& member, const wire::ThreadsAnswer& answer) {
    if (member.key.role == wire::ROLE_WORKER) threads_.take(member.key.id, answer.deaf());
}

void Witness::noteEvaluator(std::uint32_t evaluator, const wire::Record& record) {
    if (record.has_evaluation()) evaluations_.done(evaluator, record.evaluation());
    if (record.has_heartbeat() && record.heartbeat().replicas_size() > 0)
        evaluations_.report(evaluator, record.heartbeat().replicas(0));
}

void Witness::forget(const ProcessKey& process) {
    liveness_.forget(process);
    telemetry_.forget(process);
    if (process.role == wire::ROLE_EVALUATOR) evaluations_.forget(process.id);
    if (process.role != wire::ROLE_WORKER) return;
    progress_.removeProcess(process.id);
    stragglers_.removeProcess(process.id);
}

wire::Hold Witness::holdOf(const ProcessKey& process) const {
    const auto found = holds_.find(process);
    return found == holds_.end() ? wire::HOLD_NONE : found->second;
}

std::vector<LivenessChange> Witness::advance(Nanos now) {
    std::vector<LivenessChange> changes = liveness_.advance(now);
    for (const LivenessChange& change : changes) {
        const bool isSilent = change.state != Liveness::Alive;
        telemetry_.setSilent(change.process, isSilent);
        if (change.process.role == wire::ROLE_WORKER)
            progress_.setSilent(change.process.id, isSilent);
    }
    return changes;
}

std::vector<LivenessChange> Witness::late(wire::Role role, Nanos now) const {
    std::vector<LivenessChange> late;
    for (const Member* one : members_.present(role))
        if (liveness_.stateOf(one->key) == Liveness::Late)
            late.push_back({one->key, Liveness::Late, liveness_.silence(one->key, now)});
    return late;
}

void Witness::judgeProgress(bool training, Instant at) {
    std::optional<Finding> finding;
    if (training) tellOfTelemetry(at);
    threads_.update(at.now);
    if (training) finding = progress_.judge(at.now, links_.facts(), threads_.facts());
    if (training && !finding) finding = chiefCannotLeave();
    stuck_.update(finding, at.now);
    standing_ = finding;
    askForStacks(finding, at.now);
    askForLinks(finding, at.now);
    tellLongEvaluations(at);
    if (!finding) finding = lateFinding(at.now);
    if (!finding && training) finding = stragglers_.judge();
    for (const std::string& news : stragglers_.takeNews())
        outbox_.log(kCoordinatorsAgent, LogLevel::Warning, news, at);
    for (const std::string& note : stragglers_.takeNotes())
        outbox_.log(kCoordinatorsAgent, LogLevel::Info, note, at);
    auto verdict = verdicts_.update(finding, nearEnd(at), at.now);
    if (!verdict) return;
    wire::Record record;
    *record.mutable_verdict() = std::move(*verdict);
    outbox_.journal(std::move(record), at);
}

/// Before anything is done about them: their control threads live, and hear it.
void Witness::askForStacks(const std::optional<Finding>& finding, Nanos now) {
    std::vector<std::uint32_t> asked;
    for (const std::uint32_t process : stacks_.update(finding, now))
        if (askForStacks({wire::ROLE_WORKER, process}, finding->age)) asked.push_back(process);
    haveTold_.insert(asked.begin(), asked.end());
    if (finding && asked.size() == finding->suspects.size())  // none is left out of the comparison
        threads_.begin(finding->subject, asked, now);
}

bool Witness::askForStacks(const ProcessKey& process, Seconds stuckFor) {
    const Member* member = members_.find(process);
    if (member == nullptr || member->state != MemberState::Present) return false;
    if (!member->facts.tells_stacks()) return false;
    wire::FromCoordinator message;
    message.mutable_tell_stacks()->set_seconds(stuckFor.count());
    outbox_.send(*member, std::move(message));
    return true;
}

void Witness::askForLinks(const std::optional<Finding>& finding, Nanos now) {
    std::vector<std::uint32_t> workers;
    for (const Member* one : members_.present(wire::ROLE_WORKER))
        workers.push_back(one->key.id);
    const auto question = links_.update(finding, workers, now);
    if (!question) return;
    for (const std::uint32_t process : question->processes()) {
        wire::FromCoordinator message;
        *message.mutable_probe_links() = *question;
        outbox_.send(*members_.find({wire::ROLE_WORKER, process}), std::move(message));
    }
}

/// A word and no more: nobody's step waits for an evaluator.
void Witness::tellLongEvaluations(Instant at) {
    for (const LongEvaluation& one : evaluations_.takeNews()) {
        const ProcessKey key{wire::ROLE_EVALUATOR, one.evaluator};
        const std::string usual =
            one.usual ? fmt::format("others took {}", secondsText(toNanos(one.usual->count())))
                      : "it is the first one";
        notify(key,
               fmt::format("{} has been at one evaluation for {} ({}): it may hang{}",
                           nameOfMember(key), secondsText(toNanos(one.age.count())), usual,
                           askForStacks(key, one.age) ? kStacksAreInItsLog : ""),
               at);
    }
}

/// A word and no more: no step waits for telemetry.
void Witness::tellOfTelemetry(Instant at) {
    for (const TelemetryNews& one : telemetry_.look(at.now)) {
        const std::string name = nameOfMember(one.process);
        const std::string stood = secondsText(one.stood);
        if (one.isOver) {
            notify(one.process,
                   fmt::format("{} tells of itself again: its telemetry stood still for {}", name,
                               stood),
                   at);
            continue;
        }
        const auto stacks = askForStacks(one.process, one.stood) ? kStacksAreInItsLog : "";
        notify(one.process,
               one.trainsOn
                   ? fmt::format("{} trains on, but its telemetry has stood still for {}: its "
                                 "steps are not told, and lost once they are more than it "
                                 "keeps{}",
                                 name, stood, stacks)
                   : fmt::format("{} lives, but its telemetry has stood still for {}: no more is "
                                 "told of it{}",
                                 name, stood, stacks),
               at);
    }
}

void Witness::notify(const ProcessKey& process, std::string sentence, Instant at) {
    wire::Record record;
    wire::Notice& notice = *record.mutable_notice();
    notice.set_role(process.role);
    notice.set_process_id(process.id);
    notice.set_sentence(std::move(sentence));
    outbox_.journal(std::move(record), at);
}

std::string Witness::nameOfMember(const ProcessKey& process) const {
    const Member* member = members_.find(process);
    return nameOf(process, member == nullptr ? "" : member->facts.host());
}

/// Its end waits for its telemetry, and that of the job for the chief; all others are given up
/// once that has left.
std::optional<Finding> Witness::chiefCannotLeave() const {
    const std::optional<Nanos> stood = telemetry_.stoodAtEnd(kChief);
    if (!stood) return std::nullopt;
    Finding finding;
    finding.severity = kSeverityStuck;
    finding.cause = fmt::format(
        "has trained to its end and cannot leave: its telemetry has stood still for "
        "{:.0f} s",
        std::floor(Seconds(*stood).count()));
    finding.sentence = nameOfMember(kChief) + " " + finding.cause;
    finding.processes.push_back(kChief.id);
    finding.subject = "cannot leave";
    finding.age = *stood;
    return finding;
}

std::optional<NearEnd> Witness::nearEnd(Instant at) const {
    const std::optional<Nanos> end = stuck_.endsAt();
    if (!end) return std::nullopt;
    return NearEnd{job_.rules().stuck.action, *end, at.wall + Seconds(*end - at.now).count()};
}

std::optional<Evidence> Witness::stuckTooLong(Nanos now) {
    if (!standing_ || !stuck_.isDue(now)) return std::nullopt;
    if (threads_.isAwaited(standing_->subject)) return std::nullopt;  // whom it is to name
    const Finding finding = *std::exchange(standing_, std::nullopt);
    stuck_.reset();
    const bool isOnes = !finding.processes.empty() && !finding.isOfSeveral;
    const ProcessKey named =
        isOnes ? ProcessKey{wire::ROLE_WORKER, finding.processes.front()} : kCoordinatorsAgent;
    Evidence evidence;
    evidence.failure = failureOf(named, finding.cause, now);
    evidence.fromOutside = finding.isOfNetwork;
    evidence.isFinal = job_.rules().stuck.action == StuckAction::Stop;
    evidence.remedy = evidence.isFinal ? "launch.on_stuck = \"stop\" ended it. With \"restart\" it "
                                         "begins again at its newest\n"
                                         "checkpoint, with \"wait\" it is left alone."
                                       : "launch.on_stuck = \"restart\" ended it; "
                                         "launch.max_restarts says how often it begins again.";
    if (isOnes && haveTold_.contains(finding.processes.front()))
        evidence.whereToLook = fmt::format("Where its threads stood is in logs/process-{}.log.",
                                           finding.processes.front());
    return evidence;
}

std::optional<Finding> Witness::lateFinding(Nanos now) const {
    Finding finding;
    finding.subject = "late";
    std::vector<std::string> names;
    std::optional<wire::Hold> hold;  // what all of them have in common
    Nanos silence{};
    for (const LivenessChange& late : late(wire::ROLE_WORKER, now)) {
        finding.processes.push_back(late.process.id);
        finding.subject += fmt::format(" {}", late.process.id);
        names.push_back(nameOf(late.process, members_.find(late.process)->facts.host()));
        silence = std::max(silence, late.silence);
        const wire::Hold its = holdOf(late.process);
        hold = hold.value_or(its) == its ? its : wire::HOLD_NONE;
    }
    if (names.empty()) return std::nullopt;
    const bool isOne = names.size() == 1;
    finding.hold = holdWords(*hold, isOne);
    finding.subject += " " + finding.hold;
    finding.sentence = silenceSentence(joinWords(names), isOne, finding.hold, secondsText(silence));
    return finding;
}

wire::Failure Witness::failureOf(const ProcessKey& process, std::string cause, Nanos now) const {
    wire::Failure failure;
    failure.set_process_id(process.id);
    failure.set_role(process.role);
    failure.set_cause(std::move(cause));
    failure.set_step(process.role == wire::ROLE_WORKER ? progress_.stepOf(process.id) : 0);
    failure.set_detected_after_seconds(Seconds(liveness_.silence(process, now)).count());
    if (const Member* member = members_.find(process)) failure.set_host(member->facts.host());
    return failure;
}

Evidence Witness::examine(Evidence cause, Nanos now) const {
    if (!gaps_.explains(cause, now)) return cause;
    Evidence own;
    own.failure = failureOf(
        kCoordinatorsAgent,
        gapSentence(gaps_.length()) + ", and the processes of the job gave up on it", now);
    own.failure.set_detected_after_seconds(Seconds(gaps_.since(now)).count());
    own.fromOutside = true;
    own.remedy =
        "Its machine was suspended, out of memory, or busy beyond measure. Where that is usual,\n"
        "raise cluster.heartbeat_timeout_seconds; launch.max_restarts starts such a job again.";
    return own;
}

}  // namespace lockstep::coordination
