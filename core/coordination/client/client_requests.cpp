// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/client_requests.h"

#include <utility>

#include "core/coordination/client/repeat_times.h"
#include "core/coordination/state/answer_error.h"

namespace lockstep::coordination {

namespace {

void setNumber(wire::ToCoordinator& question, std::uint64_t number) {
    using Question = wire::ToCoordinator;
    switch (question.body_case()) {
        case Question::kGet:
            return question.mutable_get()->set_request(number);
        case Question::kFetchList:
            return question.mutable_fetch_list()->set_request(number);
        case Question::kFetchPiece:
            return question.mutable_fetch_piece()->set_request(number);
        case Question::kFetchJournal:
            return question.mutable_fetch_journal()->set_request(number);
        case Question::kAwaitSteps:
            return question.mutable_await_steps()->set_request(number);
        case Question::kOffer:
            return question.mutable_offer()->set_request(number);
        case Question::kAskWork:
            return question.mutable_ask_work()->set_request(number);
        case Question::kEdit:
            return question.mutable_edit()->set_request(number);
        case Question::kListKeys:
            return question.mutable_list_keys()->set_request(number);
        case Question::kAskLive:
            return question.mutable_ask_live()->set_request(number);
        default:
            return question.mutable_barrier()->set_request(number);
    }
}

Result<std::string> resultOf(const std::string& value, const std::string& error) {
    if (!error.empty()) return fail(answerError(error));
    return value;
}

}  // namespace

std::uint64_t ClientRequests::add(wire::ToCoordinator question) {
    const std::uint64_t number = ++lastNumber_;
    setNumber(question, number);
    requests_[number].question = std::move(question);
    return number;
}

void ClientRequests::askDue(Nanos now,
                            const std::function<bool(const wire::ToCoordinator&)>& send) {
    for (auto& [number, request] : requests_) {
        if (request.answer || now < request.askAt) continue;
        if (send(request.question)) request.askAt = now + kRepeat;
    }
}

bool ClientRequests::take(const wire::FromCoordinator& answer) {
    const bool isValue = answer.has_value();
    const auto found =
        requests_.find(isValue ? answer.value().request() : answer.barrier_done().request());
    if (found == requests_.end() || found->second.answer) return false;
    found->second.answer = isValue ? resultOf(answer.value().value(), answer.value().error())
                                   : resultOf({}, answer.barrier_done().error());
    return true;
}

bool ClientRequests::answered(std::uint64_t number) const {
    const auto found = requests_.find(number);
    return found != requests_.end() && found->second.answer.has_value();
}

std::optional<Result<std::string>> ClientRequests::finish(std::uint64_t number) {
    const auto found = requests_.find(number);
    if (found == requests_.end()) return std::nullopt;
    auto answer = std::move(found->second.answer);
    requests_.erase(found);
    return answer;
}

}  // namespace lockstep::coordination
