// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/scoring_link.h"

#include "core/base/try.h"

namespace lockstep::coordination {

namespace {

constexpr std::chrono::seconds kPatience{20};  ///< The question is repeated meanwhile.

}  // namespace

Result<std::set<std::int64_t>> ScoringLink::begin(std::int64_t newest,
                                                  const std::vector<std::int64_t>& present,
                                                  const std::set<std::int64_t>& tested) {
    wire::ToCoordinator question;
    wire::OfferCheckpoints& offer = *question.mutable_offer();
    offer.set_begins(true);
    offer.set_newest(newest);
    offer.mutable_steps()->Add(present.begin(), present.end());
    offer.mutable_tested()->Add(tested.begin(), tested.end());
    return ask(question);
}

Result<std::set<std::int64_t>> ScoringLink::offer(const std::vector<std::int64_t>& steps) {
    wire::ToCoordinator question;
    question.mutable_offer()->mutable_steps()->Add(steps.begin(), steps.end());
    return ask(question);
}

Result<std::set<std::int64_t>> ScoringLink::ask(const wire::ToCoordinator& question) {
    const auto bytes = TRY(client_.fetch(question, kPatience));
    wire::SparedCheckpoints spared;
    if (!spared.ParseFromString(bytes))
        return fail(ErrorCode::Corrupt, "the coordinator's word on checkpoints cannot be read");
    return std::set<std::int64_t>(spared.steps().begin(), spared.steps().end());
}

Result<ScoringLink::Work> ScoringLink::askWork(bool nothingToTest) {
    wire::ToCoordinator question;
    question.mutable_ask_work()->set_nothing_to_test(nothingToTest);
    const auto bytes = TRY(client_.fetch(question, kPatience));
    wire::EvaluatorWork work;
    if (!work.ParseFromString(bytes))
        return fail(ErrorCode::Corrupt, "the coordinator's word on checkpoints cannot be read");
    return Work{.step = work.step(),
                .test = work.test(),
                .tested = {work.tested().begin(), work.tested().end()},
                .over = work.over()};
}

}  // namespace lockstep::coordination
