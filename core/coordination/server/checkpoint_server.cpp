// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/server/checkpoint_server.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/coordination/state/answer_error.h"

namespace lockstep::coordination {

namespace {

constexpr std::size_t kMostQuestions = 64;
constexpr std::size_t kMostAnswers = 64;  ///< 16 MiB, at 256 KiB each.
constexpr std::size_t kAnswersPerTurn = 4;
constexpr Millis kPause{500};

}  // namespace

CheckpointServer::CheckpointServer(std::filesystem::path checkpoints,
                                   telemetry::JournalReader journal, std::function<void()> answered)
    : provider_(std::move(checkpoints)),
      journal_(std::move(journal)),
      journalBegin_(journal_.size().value_or(0)),
      questions_(kMostQuestions),
      answered_(std::move(answered)),
      thread_(startThread("checkpoints", [this](const std::stop_token& stop) { run(stop); })) {}

CheckpointServer::~CheckpointServer() {
    thread_.request_stop();
    questions_.close();
}

bool CheckpointServer::end(Nanos patience) {
    thread_.request_stop();
    questions_.close();
    Lock lock(mutex_);
    answered_ = nullptr;
    return changed_.wait_for(mutex_, patience, [this]() LS_REQUIRES(mutex_) { return isOver_; });
}

bool CheckpointServer::ask(Question question) {
    return questions_.push(question);
}

std::vector<CheckpointServer::Answer> CheckpointServer::takeAnswers() {
    std::vector<Answer> taken;
    Lock lock(mutex_);
    while (!answers_.empty() && taken.size() < kAnswersPerTurn) {
        taken.push_back(std::move(answers_.front()));
        answers_.pop_front();
    }
    if (!answers_.empty() && answered_) answered_();
    return taken;
}

void CheckpointServer::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const auto question = questions_.take(kPause);
        provider_.release(SteadyClock::read());
        if (!question) continue;
        wire::FromCoordinator answer = answerTo(*question);
        Lock lock(mutex_);
        // Nobody takes them: the oldest have been asked for again by now.
        if (answers_.size() >= kMostAnswers) answers_.pop_front();
        answers_.emplace_back(question->connection, std::move(answer));
        if (answered_) answered_();
    }
    Lock lock(mutex_);
    isOver_ = true;
    changed_.notify_all();
}

wire::FromCoordinator CheckpointServer::answerTo(const Question& question) {
    const wire::ToCoordinator& message = question.message;
    wire::FromCoordinator answer;
    answer.set_generation(message.generation());
    wire::Value& value = *answer.mutable_value();
    value.set_request(message.has_fetch_list()    ? message.fetch_list().request()
                      : message.has_fetch_piece() ? message.fetch_piece().request()
                                                  : message.fetch_journal().request());
    auto bytes = bytesFor(question);
    if (bytes)
        value.set_value(std::move(*bytes));
    else
        value.set_error(fetchErrorText(bytes.error()));
    return answer;
}

Result<std::string> CheckpointServer::bytesFor(const Question& question) {
    if (question.message.has_fetch_piece()) {
        const wire::FetchPiece& piece = question.message.fetch_piece();
        return provider_.read(question.userId, piece.step(), piece.file(), piece.offset(),
                              piece.length(), SteadyClock::read());
    }
    if (question.message.has_fetch_journal()) return journalPiece(question.message.fetch_journal());
    return listOfCheckpoints();
}

Result<std::string> CheckpointServer::listOfCheckpoints() const {
    const auto listing = TRY(provider_.list());
    wire::CheckpointList list;
    for (const std::int64_t step : listing.steps)
        list.add_steps(step);
    list.set_latest(listing.latest.value_or(-1));
    list.set_best(listing.best.value_or(-1));
    for (const checkpoint::Suspicion& suspicion : listing.suspects) {
        wire::SuspectCheckpoint& suspect = *list.add_suspects();
        suspect.set_step(suspicion.step);
        suspect.set_failed_at(suspicion.failedAt);
        suspect.set_cause(suspicion.cause);
    }
    for (const std::int64_t step : listing.kept)
        list.add_kept(step);
    return list.SerializeAsString();
}

Result<std::string> CheckpointServer::journalPiece(const wire::FetchJournal& fetch) const {
    wire::JournalPiece piece;
    piece.set_begin(journalBegin_);
    piece.set_size(TRY(journal_.size()));
    const auto length = std::min<std::size_t>(fetch.length(), checkpoint::kLargestPiece);
    piece.set_frames(TRY(journal_.read(fetch.offset(), length)));
    return piece.SerializeAsString();
}

}  // namespace lockstep::coordination
