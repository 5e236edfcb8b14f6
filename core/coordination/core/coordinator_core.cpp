// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/coordinator_core.h"

#include <fmt/format.h>

#include <utility>

#include "core/coordination/exchange/record_gate.h"

namespace lockstep::coordination {

namespace {
constexpr ProcessKey kChief{wire::ROLE_WORKER, 0};
}  // namespace

CoordinatorCore::CoordinatorCore(JobRules rules, Instant at)
    : job_(std::move(rules)),
      members_({job_.rules().workers, job_.rules().evaluators, job_.rules().build}),
      outbox_(job_),
      gate_(job_, members_, outbox_),
      delivery_(members_, outbox_),
      desk_(job_, members_, outbox_),
      scoring_(job_, outbox_),
      steps_(members_, journalled_, outbox_),
      witness_(job_, members_, outbox_),
      registration_(job_, members_, witness_, journalled_, outbox_),
      drills_(job_, members_, outbox_),
      notices_(members_, outbox_),
      endings_(job_, members_, witness_, desk_, scoring_, drills_, notices_, outbox_),
      departures_(job_, members_, witness_, desk_, endings_, outbox_),
      intake_(job_, witness_, scoring_, drills_, endings_, outbox_) {
    outbox_.watch(
        [this](const wire::Record& record, Instant when) { drills_.observe(record, when); });
    beginGeneration(0, at);
}

void CoordinatorCore::beginGeneration(std::uint32_t generation, Instant at) {
    desk_.abort(fmt::format("generation {} of the run is over", job_.generation()));
    witness_.beginGeneration(at.now);
    members_.reset();
    job_.beginGeneration(generation);
    desk_.beginGeneration();
    scoring_.beginGeneration();
    steps_.beginGeneration();
    notices_.beginGeneration();
    endings_.beginGeneration();
    departures_.beginGeneration();
    registration_.beginGeneration(at);
}

void CoordinatorCore::receive(const Peer& peer, const wire::ToCoordinator& message, Instant at) {
    noteTurn(at);
    const std::optional<ProcessKey> sender = gate_.senderOf(peer, message);
    if (!sender) return;
    if (message.has_register_()) {
        const bool isNew = registration_.admit(peer.connection, message, at);
        if (isNew && sender->role == wire::ROLE_EVALUATOR) endings_.evaluatorCame(*sender);
        return;
    }
    Member* member = gate_.speaker(peer, *sender, message);
    if (member == nullptr) return;
    if (message.knows_end()) notices_.confirm(member->key);
    if (delivery_.take(*member, message.sequence())) dispatch(*member, message, at);
}

void CoordinatorCore::dispatch(Member& member, const wire::ToCoordinator& message, Instant at) {
    switch (message.body_case()) {
        case wire::ToCoordinator::kSet:
            return desk_.set(message.set(), at);
        case wire::ToCoordinator::kGet:
            return desk_.get(member, message.get(), at.now);
        case wire::ToCoordinator::kBarrier:
            return desk_.enterBarrier(member, message.barrier(), at.now);
        case wire::ToCoordinator::kEdit:
            return desk_.edit(member, message.edit());
        case wire::ToCoordinator::kListKeys:
            return desk_.list(member, message.list_keys());
        case wire::ToCoordinator::kAskLive:
            return desk_.tellLive(member, message.ask_live());
        case wire::ToCoordinator::kOffer:
            return member.key == kChief ? scoring_.offer(member, message.offer(), at)
                                        : void(++counters().refusedRecords);
        case wire::ToCoordinator::kAskWork:
            return member.key.role == wire::ROLE_EVALUATOR
                       ? scoring_.askWork(member, message.ask_work(), at)
                       : void(++counters().refusedRecords);
        case wire::ToCoordinator::kAwaitSteps:
            return member.key == kChief ? steps_.await(member, message.await_steps())
                                        : void(++counters().refusedRecords);
        case wire::ToCoordinator::kRecords:
            return intake_.take(member, message.records(), at);
        case wire::ToCoordinator::kProcessExit: {
            const wire::ProcessExit& exit = message.process_exit();
            return mayTellOf(member, ProcessKey{exit.role(), exit.process_id()})
                       ? takeExit(exit, message.generation(), at)
                       : void(++counters().refusedRecords);
        }
        case wire::ToCoordinator::kProcessHeld: {
            const wire::ProcessHeld& held = message.process_held();
            return mayTellOf(member, ProcessKey{held.role(), held.process_id()})
                       ? takeHold(held, message.generation())
                       : void(++counters().refusedRecords);
        }
        case wire::ToCoordinator::kThreadsAnswer:
            return witness_.noteThreads(member, message.threads_answer());
        case wire::ToCoordinator::kProgramEnd:
            return departures_.takeProgramEnd(member, message.program_end(), at);
        case wire::ToCoordinator::kReportError:
            return departures_.takeError(member, message.report_error(), at);
        case wire::ToCoordinator::kLeave:
            return departures_.takeLeave(member, message.leave(), at);
        case wire::ToCoordinator::kStop:
            return member.key.role == wire::ROLE_AGENT ? requestStop(at, StopAsker::Agent)
                                                       : endings_.toldToEnd(member, at);
        default:
            ++counters().malformed;
    }
}

bool CoordinatorCore::mayTellOf(const Member& sender, const ProcessKey& process) const {
    return coordination::mayTellOf(sender, process, members_.find(process), job_.rules().agents);
}

void CoordinatorCore::processHeld(const wire::ProcessHeld& held, std::uint32_t generation,
                                  Instant at) {
    noteTurn(at);
    takeHold(held, generation);
}

void CoordinatorCore::takeHold(const wire::ProcessHeld& held, std::uint32_t generation) {
    if (generation == job_.generation())
        witness_.noteHold({held.role(), held.process_id()}, held.hold());
}

void CoordinatorCore::processExited(const wire::ProcessExit& exit, std::uint32_t generation,
                                    Instant at) {
    noteTurn(at);
    takeExit(exit, generation, at);
}

void CoordinatorCore::takeExit(const wire::ProcessExit& exit, std::uint32_t generation,
                               Instant at) {
    wire::ProcessExit known = exit;
    // What the kernel did meanwhile was done to another one.
    if (generation == job_.generation() && drills_.noteExit(exit, at)) known.clear_out_of_memory();
    departures_.takeExit(known, generation, at);
}

void CoordinatorCore::endRun(const wire::RunEnd& end, Instant at) {
    if (!job_.runEnd()) drills_.close(end.status(), at);
    endings_.endRun(end, at);
}

void CoordinatorCore::tick(Instant at) {
    noteTurn(at);
    delivery_.confirm(at.now);
    notices_.tick(at.now);
    if (job_.runEnd()) return;
    drills_.tick(at);
    desk_.expire(at.now);
    departures_.noteSilence(at);
    if (auto missing = registration_.check(at)) departures_.accuse(std::move(*missing), at);
    departures_.tick(at);
    endings_.tick(at);
    if (job_.ended()) return;
    witness_.judgeProgress(job_.running() && !endings_.draining(), at);
    if (auto stuck = witness_.stuckTooLong(at.now)) departures_.accuse(std::move(*stuck), at);
}

std::vector<Action> CoordinatorCore::takeActions() {
    if (std::exchange(hasStepNews_, false)) steps_.look();
    return outbox_.take();
}

/// Steps for which there was no room are in no journal. Where the run begins holds all the same.
void CoordinatorCore::settle(const AppendAction& append, bool isJournalled) {
    if (append.steps.told && !isJournalled) return;
    journalled_.take(append.steps);
    hasStepNews_ |= append.steps.told.has_value();
}

void CoordinatorCore::noteTurn(Instant at) {
    registration_.prolong(witness_.noteTurn(at));
}

}  // namespace lockstep::coordination
