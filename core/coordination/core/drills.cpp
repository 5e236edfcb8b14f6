// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/drills.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/coordination/health/heartbeat_times.h"
#include "core/coordination/health/verdict.h"
#include "core/coordination/state/drill_refusals.h"
#include "core/coordination/state/drill_words.h"
#include "core/coordination/state/sentences.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kTellAgain = 1s;
constexpr Nanos kLandPatience = 30s;  // to inflict it, and to be seen
constexpr Nanos kPatience = 10min;    // for what comes of it
constexpr std::size_t kMostIdBytes = 64;
constexpr std::size_t kMostRefused = 1000;  // that are known when they are asked for again

/// What only its end or its silence shows.
bool needsEvidence(wire::DrillKind kind) {
    return kind == wire::DRILL_KIND_KILL || kind == wire::DRILL_KIND_TORN_CHECKPOINT ||
           kind == wire::DRILL_KIND_STOP;
}

bool endsProcess(wire::DrillKind kind) {
    return kind == wire::DRILL_KIND_KILL || kind == wire::DRILL_KIND_TORN_CHECKPOINT;
}

/// What stays wrong until all begin again at a checkpoint.
bool needsRestart(wire::DrillKind kind) {
    return endsProcess(kind) || kind == wire::DRILL_KIND_BIT_FLIP || kind == wire::DRILL_KIND_CUT;
}

std::string clean(const std::string& text) {
    return wire::validUtf8(sanitizeLine(text));
}

}  // namespace

void Drills::request(const wire::DrillRequest& request, bool isEnding, Instant at) {
    const bool isSound = !request.id().empty() && request.id().size() <= kMostIdBytes;
    if (!isSound) {
        ++outbox_.counters().malformed;
        return;
    }
    const std::string id = wire::validUtf8(request.id());
    if (isKnown(id)) return;
    wire::Drill drill;
    drill.set_id(id);
    drill.set_kind(request.kind());
    drill.set_process_id(request.process_id());
    drill.set_seconds(std::isfinite(request.seconds()) ? request.seconds() : 0);
    drill.set_ordered_wall_time(at.wall);
    if (const std::string why = refusal(request, isEnding); !why.empty()) {
        noteRefused(id);
        drill.set_phase(wire::DRILL_PHASE_REFUSED);
        drill.set_sentence(why);
        wire::Record record;
        *record.mutable_drill() = std::move(drill);
        return outbox_.journal(std::move(record), at);
    }
    open_ = Open{.drill = std::move(drill),
                 .since = at.now,
                 .heardAt = at.now,
                 .generation = job_.generation()};
    const std::string lasts =
        request.seconds() > 0 ? fmt::format(" for {:g} s", request.seconds()) : "";
    journal(wire::DRILL_PHASE_ORDERED,
            fmt::format("{} is told to inflict {}{} on itself", victim(), wordOf(request.kind()),
                        lasts),
            at);
    tell(at);
}

bool Drills::isKnown(const std::string& id) const {
    return (open_ && open_->drill.id() == id) ||
           std::ranges::find(refused_, id) != refused_.end() ||
           std::ranges::find(past_, id, &wire::Drill::id) != past_.end();
}

void Drills::noteRefused(const std::string& id) {
    refused_.push_back(id);
    if (refused_.size() > kMostRefused) refused_.pop_front();
}

/// Why it cannot be; empty where it can, as far as the coordinator knows.
std::string Drills::refusal(const wire::DrillRequest& request, bool isEnding) const {
    const wire::DrillKind kind = request.kind();
    if (wordOf(kind).empty()) return "this version of the run's agent does not know such a fault";
    if (job_.registering()) return std::string(refusals::kNotRegistered);
    if (job_.ended() || isEnding) return std::string(refusals::kEnding);
    if (open_) return refusals::underWay(open_->drill.kind(), open_->drill.process_id());
    if (past_.size() >= refusals::kMostDrills) return refusals::tooMany();
    if (!(request.seconds() >= 0 && request.seconds() <= refusals::kMostSeconds))
        return fmt::format("it cannot last {:g} s: 0 to {:g} s", request.seconds(),
                           refusals::kMostSeconds);
    if (request.seconds() > 0 && !hasLength(kind))
        return fmt::format("{} has no length: leave out the seconds", wordOf(kind));
    if (kind == wire::DRILL_KIND_DISK_FULL && request.seconds() <= 0)
        return std::string(refusals::kNeedsSeconds);
    const std::uint32_t process = request.process_id();
    if (process >= job_.rules().workers) return refusals::noProcess(process, job_.rules().workers);
    if (kind == wire::DRILL_KIND_SLOW && isCalledSlow(process))
        return refusals::isSlowAlready(process);
    const bool onlyFirst =
        kind == wire::DRILL_KIND_TORN_CHECKPOINT || kind == wire::DRILL_KIND_DISK_FULL;
    if (onlyFirst && process != 0) return refusals::onlyFirst(kind);
    const Member* member = members_.find({wire::ROLE_WORKER, process});
    if (member == nullptr || member->state != MemberState::Present)
        return refusals::hasGone(process);
    return {};
}

void Drills::tell(Instant at) {
    const Member* member = members_.find({wire::ROLE_WORKER, open_->drill.process_id()});
    if (member == nullptr || member->state != MemberState::Present) return;
    wire::FromCoordinator message;
    wire::DrillRequest& order = *message.mutable_inflict();
    order.set_id(open_->drill.id());
    order.set_kind(open_->drill.kind());
    order.set_process_id(open_->drill.process_id());
    order.set_seconds(open_->drill.seconds());
    outbox_.send(*member, std::move(message));
    open_->toldAt = at.now;
}

bool Drills::isVictim(const ProcessKey& process) const {
    return open_ && process == ProcessKey{wire::ROLE_WORKER, open_->drill.process_id()};
}

std::string Drills::victim() const {
    const ProcessKey key{wire::ROLE_WORKER, open_->drill.process_id()};
    const Member* member = members_.find(key);
    return nameOf(key, member == nullptr ? "" : member->facts.host());
}

void Drills::heard(const ProcessKey& process, Nanos now) {
    if (isVictim(process)) open_->heardAt = now;
}

void Drills::takeNews(const Member& sender, const wire::Drill& news, Instant at) {
    if (!isVictim(sender.key) || news.id() != open_->drill.id() || isLanded()) {
        ++outbox_.counters().refusedRecords;
        return;
    }
    if (news.phase() == wire::DRILL_PHASE_REFUSED)
        return finish(wire::DRILL_PHASE_REFUSED, clean(news.sentence()), at);
    open_->seenStep = std::max(open_->seenStep, news.landed_step());
    open_->drill.set_sentence(clean(news.sentence()));
    if (!open_->isInflicted) open_->inflictedWall = at.wall;
    open_->isInflicted = true;
    open_->since = open_->heardAt = at.now;
    // Who was stopped, and has gone on, has seen it.
    const bool isSeen =
        !needsEvidence(open_->drill.kind()) || news.phase() == wire::DRILL_PHASE_LANDED;
    if (isSeen) land(at, open_->inflictedWall, open_->drill.sentence());
}

bool Drills::noteExit(const wire::ProcessExit& exit, Instant at) {
    constexpr int kSigkill = 9;
    if (!isVictim({exit.role(), exit.process_id()}) || isLanded() || !open_->isInflicted)
        return false;
    if (!endsProcess(open_->drill.kind()) || !exit.signalled() || exit.status() != kSigkill)
        return false;
    land(at, at.wall, open_->drill.sentence() + "; its agent saw it end by signal 9");
    return true;
}

void Drills::land(Instant at, double wall, const std::string& sentence) {
    open_->drill.set_landed_wall_time(wall);
    open_->drill.set_landed_step(open_->seenStep);
    open_->generation = job_.generation();
    open_->since = at.now;
    open_->before = standing_;
    journal(wire::DRILL_PHASE_LANDED, sentence, at);
}

void Drills::note(const Member& sender, const wire::Record& record, Instant at) {
    if (!open_) return;
    const bool isChief = sender.key == ProcessKey{wire::ROLE_WORKER, 0};
    if (record.has_steps() && isVictim(sender.key)) return noteSteps(record.steps(), at);
    if (!isLanded()) return;
    const bool isAnew = job_.generation() != open_->generation;
    const std::uint64_t landed = open_->drill.landed_step();
    if (record.has_run_info() && isChief && isAnew && !record.run_info().amends())
        open_->drill.set_steps_lost(landed - std::min(landed, record.run_info().first_step()));
    if (record.has_checkpoint() && isChief) noteCheckpoint(record.checkpoint(), at);
    if (open_ && record.has_notice() && namesKind(open_->drill.kind(), record.notice().sentence()))
        // Of a checkpoint no process is named, but the file.
        detect(record.notice().sentence(), open_->drill.kind() == wire::DRILL_KIND_TORN_CHECKPOINT,
               at);
}

void Drills::noteCheckpoint(const wire::CheckpointEvent& event, Instant at) {
    if (open_->drill.kind() != wire::DRILL_KIND_DISK_FULL) return;
    if (!event.error().empty()) return detect(event.error(), true, at);
    if (mayRecover(at)) recover(event.step(), at);
}

void Drills::noteSteps(const wire::StepBatch& steps, Instant at) {
    const std::uint64_t last =
        steps.first_step() + static_cast<std::uint64_t>(std::max(steps.loss_size(), 1)) - 1;
    if (!isLanded()) {
        open_->seenStep = std::max(open_->seenStep, last);
        return;
    }
    const std::uint64_t spoilt = open_->drill.landed_step() + (isLeftOut() ? 1 : 0);
    if (open_->drill.kind() == wire::DRILL_KIND_DISK_FULL || last <= spoilt || !mayRecover(at))
        return;
    recover(std::max(spoilt + 1, steps.first_step()), at);
}

/// Whether the step behind the last good one was not made, and the run goes on without it.
bool Drills::isLeftOut() const {
    return open_->drill.kind() == wire::DRILL_KIND_NAN && job_.generation() == open_->generation;
}

/// Whether steps of the victim show that it is over with the fault.
bool Drills::mayRecover(Instant at) const {
    const wire::Drill& drill = open_->drill;
    if (job_.generation() != open_->generation) return true;
    if (needsRestart(drill.kind())) return false;
    const bool goesOnMeanwhile =
        drill.kind() == wire::DRILL_KIND_SLOW || drill.kind() == wire::DRILL_KIND_DISK_FULL;
    return !goesOnMeanwhile ||
           (drill.seconds() > 0 && Seconds(at.now - open_->since).count() > drill.seconds());
}

void Drills::recover(std::uint64_t step, Instant at) {
    wire::Drill& drill = open_->drill;
    if (isLeftOut()) drill.set_steps_lost(1);
    drill.set_recovered_step(step);
    drill.set_recovered_wall_time(at.wall);
    finish(wire::DRILL_PHASE_RECOVERED,
           fmt::format("{} trains on at step {}, {:.1f} s after the fault; {} lost", victim(), step,
                       at.wall - drill.landed_wall_time(), counted(drill.steps_lost(), "step")),
           at);
}

bool Drills::isCalledSlow(std::uint32_t process) const {
    return standing_ && standing_->first == kSeveritySlow &&
           std::ranges::find(standing_->second, process) != standing_->second.end();
}

/// Whether a verdict names the process alone, besides those of whom the same was said before.
bool Drills::namesAlone(const wire::Verdict& verdict, std::uint32_t process) const {
    std::vector<std::uint32_t> named(verdict.processes().begin(), verdict.processes().end());
    const auto& before = open_->before;
    if (before && before->first == severityOf(verdict))
        std::erase_if(named, [&before](std::uint32_t one) {
            return std::ranges::find(before->second, one) != before->second.end();
        });
    return named == std::vector{process};
}

void Drills::observe(const wire::Record& record, Instant at) {
    if (record.has_verdict() && standsAsBefore(record.verdict())) return;
    if (!isLanded()) return;
    const std::uint32_t process = open_->drill.process_id();
    // The process that is killed with it is not what is to be found.
    if (open_->drill.kind() == wire::DRILL_KIND_TORN_CHECKPOINT) return;
    if (record.has_failure()) {
        const wire::Failure& failure = record.failure();
        detect(fmt::format("{}: {}", nameOf({failure.role(), failure.process_id()}, failure.host()),
                           failure.cause()),
               failure.role() == wire::ROLE_WORKER && failure.process_id() == process, at);
    }
    // Somebody may be slow besides: only of a drill that slows down that is the word.
    const bool isBesides = record.verdict().slow() && open_->drill.kind() != wire::DRILL_KIND_SLOW;
    if (record.has_verdict() && !record.verdict().sentence().empty() && !isBesides)
        detect(record.verdict().sentence(), namesAlone(record.verdict(), process), at);
}

/// A verdict that stood when the fault landed says nothing of it, however often it is told again.
bool Drills::standsAsBefore(const wire::Verdict& verdict) {
    const auto& named = verdict.processes();
    standing_ = std::nullopt;
    if (!verdict.sentence().empty())
        standing_ = Standing{severityOf(verdict), {named.begin(), named.end()}};
    if (!isLanded()) return false;
    const bool stands = standing_.has_value() && open_->before == standing_;
    if (!standing_) open_->before.reset();  // what comes again is another trouble
    return stands;
}

/// The first word counts: what the run says later is no better for who has read that.
void Drills::detect(const std::string& sentence, bool isProcess, Instant at) {
    wire::Drill& drill = open_->drill;
    if (drill.detected_wall_time() > 0) return;
    drill.set_detected_wall_time(at.wall);
    drill.set_detected_sentence(sentence);
    drill.set_named_process(isProcess);
    drill.set_named_kind(namesKind(drill.kind(), sentence));
    journal(wire::DRILL_PHASE_DETECTED,
            fmt::format("named after {:.1f} s: {}", at.wall - drill.landed_wall_time(), sentence),
            at);
}

void Drills::tick(Instant at) {
    if (!open_) return;
    const wire::Drill& drill = open_->drill;
    const Nanos waited = at.now - open_->since;
    if (isLanded()) {
        if (waited > kPatience + toNanos(drill.seconds()))
            finish(wire::DRILL_PHASE_OVER,
                   fmt::format("nothing more came of it within {}", secondsText(waited)), at);
        return;
    }
    // Who begins anew has not heard the order, and is not to suffer it later.
    if (job_.generation() != open_->generation)
        return finish(wire::DRILL_PHASE_OVER,
                      "the run began again before it was seen to land: it counts for nothing", at);
    if (waited > kLandPatience)
        return finish(wire::DRILL_PHASE_OVER,
                      fmt::format("it was not seen to land within {}: it counts for nothing",
                                  secondsText(kLandPatience)),
                      at);
    const JobRules& rules = job_.rules();
    const Nanos silence = 2 * heartbeatInterval(rules.heartbeatInterval, rules.heartbeatTimeout);
    if (open_->isInflicted && drill.kind() == wire::DRILL_KIND_STOP &&
        at.now - open_->heardAt > silence)
        return land(at, open_->inflictedWall, drill.sentence() + "; nothing is heard of it");
    if (!open_->isInflicted && at.now - open_->toldAt >= kTellAgain) tell(at);
}

void Drills::close(const std::string& status, Instant at) {
    if (!open_) return;
    const bool counts = isLanded();
    finish(wire::DRILL_PHASE_OVER,
           fmt::format("the run ended first ({}){}", status,
                       counts ? "" : ": it was not seen to land, and counts for nothing"),
           at);
}

bool Drills::explains(const wire::Failure& failure) const {
    return isLanded() && isVictim({failure.role(), failure.process_id()}) &&
           job_.generation() == open_->generation;
}

void Drills::journal(wire::DrillPhase phase, const std::string& sentence, Instant at) {
    open_->drill.set_phase(phase);
    open_->drill.set_sentence(sentence);
    wire::Record record;
    *record.mutable_drill() = open_->drill;
    outbox_.journal(std::move(record), at);
}

void Drills::finish(wire::DrillPhase phase, const std::string& sentence, Instant at) {
    journal(phase, sentence, at);
    if (phase == wire::DRILL_PHASE_REFUSED)
        noteRefused(open_->drill.id());
    else
        past_.push_back(open_->drill);
    open_.reset();
}

std::vector<wire::Drill> Drills::tally() const {
    std::vector<wire::Drill> all = past_;
    if (open_) all.push_back(open_->drill);
    return all;
}

}  // namespace lockstep::coordination
