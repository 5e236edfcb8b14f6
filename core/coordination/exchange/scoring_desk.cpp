// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/scoring_desk.h"

#include <utility>

namespace lockstep::coordination {

void ScoringDesk::offer(const Member& chief, const wire::OfferCheckpoints& offer, Instant at) {
    const std::vector<std::int64_t> steps(offer.steps().begin(), offer.steps().end());
    if (offer.begins()) {
        name(ledger_.begin(offer.newest(), steps, {offer.tested().begin(), offer.tested().end()}),
             at);
    } else {
        for (const std::int64_t step : steps)
            name(ledger_.offer(step, at.now), at);
    }
    wire::SparedCheckpoints spared;
    for (const std::int64_t step : ledger_.spared())
        spared.add_steps(step);
    answer(chief, offer.request(), spared.SerializeAsString());
}

void ScoringDesk::askWork(const Member& evaluator, const wire::AskWork& ask, Instant at) {
    if (ask.nothing_to_test()) ledger_.tested(evaluator.key);
    const ScoringLedger::Work work = ledger_.next(evaluator.key, at.now);
    using Kind = ScoringLedger::Work::Kind;
    wire::EvaluatorWork reply;
    reply.set_step(work.step);
    reply.set_test(work.kind == Kind::Test);
    reply.set_over(work.kind == Kind::Over);
    if (reply.test())
        for (const std::int64_t step : ledger_.testedSteps())
            reply.add_tested(step);
    answer(evaluator, ask.request(), reply.SerializeAsString());
}

void ScoringDesk::note(const ProcessKey& evaluator, const wire::Evaluation& evaluation,
                       Instant at) {
    if (evaluation.split() == "test") ledger_.tested(evaluator);
    ledger_.done(evaluator, static_cast<std::int64_t>(evaluation.step()),
                 evaluation.error().empty(), at.now);
}

void ScoringDesk::lose(const ProcessKey& evaluator, Instant at) {
    name(ledger_.lose(evaluator, at.now), at);
}

void ScoringDesk::close(const std::string& why, Instant at) {
    name(ledger_.closeAll(why), at);
}

void ScoringDesk::name(const std::vector<ScoringLedger::GivenUp>& givenUp, Instant at) {
    for (const ScoringLedger::GivenUp& one : givenUp) {
        wire::Record record;
        wire::Evaluation& evaluation = *record.mutable_evaluation();
        evaluation.set_step(static_cast<std::uint64_t>(one.step));
        evaluation.set_split("validation");
        evaluation.set_error(one.why);
        outbox_.journal(std::move(record), at);
    }
}

void ScoringDesk::answer(const Member& member, std::uint64_t request, const std::string& value) {
    wire::FromCoordinator message;
    message.mutable_value()->set_request(request);
    message.mutable_value()->set_value(value);
    outbox_.send(member, std::move(message));
}

}  // namespace lockstep::coordination
