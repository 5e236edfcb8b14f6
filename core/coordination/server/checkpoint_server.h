// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/bounded_queue.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint_provider.h"
#include "core/telemetry/journal.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// Reads pieces of committed checkpoints, and of the journal, for members that do not see the run
/// folder. One thread,
/// "checkpoints", touches the disk; the coordinator's own hands in questions and takes answers.
class CheckpointServer {
public:
    struct Question {
        std::string connection;
        std::string userId;  ///< As its key says: whose place in a checkpoint is kept.
        wire::ToCoordinator message;
    };
    using Answer = std::pair<std::string, wire::FromCoordinator>;  ///< To which connection.

    /// `answered` is called on the server's thread when there is something to take.
    CheckpointServer(std::filesystem::path checkpoints, telemetry::JournalReader journal,
                     std::function<void()> answered);
    /// Waits for the thread; where a disk may hold it, end() comes first.
    ~CheckpointServer();
    CheckpointServer(const CheckpointServer&) = delete;
    CheckpointServer& operator=(const CheckpointServer&) = delete;

    /// False when too many questions wait; who asked asks again.
    [[nodiscard]] bool ask(Question question);
    /// Nothing is answered any more. False where the thread has not ended by then: who cannot wait
    /// for it gives this object up to it, undestroyed.
    [[nodiscard]] bool end(Nanos patience);
    /// What is answered, at most a megabyte; calls `answered` again where there is more.
    [[nodiscard]] std::vector<Answer> takeAnswers();

private:
    void run(const std::stop_token& stop);
    [[nodiscard]] wire::FromCoordinator answerTo(const Question& question);
    [[nodiscard]] Result<std::string> bytesFor(const Question& question);
    [[nodiscard]] Result<std::string> listOfCheckpoints() const;
    [[nodiscard]] Result<std::string> journalPiece(const wire::FetchJournal& fetch) const;

    checkpoint::CheckpointProvider provider_;  ///< Used by the thread alone, as the next one.
    const telemetry::JournalReader journal_;
    const std::uint64_t journalBegin_;
    BoundedQueue<Question> questions_;
    Mutex mutex_;
    ConditionVariable changed_;
    std::function<void()> answered_ LS_GUARDED_BY(mutex_);  ///< Empty: nobody takes answers.
    std::deque<Answer> answers_ LS_GUARDED_BY(mutex_);
    bool isOver_ LS_GUARDED_BY(mutex_) = false;
    std::jthread thread_;
};

}  // namespace lockstep::coordination
