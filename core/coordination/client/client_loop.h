// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/mutex.h"
#include "core/coordination/client/client.h"
#include "core/coordination/client/client_requests.h"
#include "core/coordination/client/clock_estimate.h"
#include "core/coordination/client/coordinator_watch.h"
#include "core/coordination/client/record_outbox.h"
#include "core/coordination/client/sent_window.h"
#include "core/wire/socket.h"

namespace lockstep::coordination {

/// The thread "control" and what it shares with the callers. The socket is used by that thread
/// only; all that both sides touch is guarded by the mutex; the callbacks run without it.
class Client::Loop {
public:
    Loop(wire::Context context, ClientOptions options, ClientCallbacks callbacks,
         wire::Wakeup wakeup);
    ~Loop();

    /// Starts the thread; returns once it has its socket, or with why it cannot have one.
    [[nodiscard]] Result<void> start();
    [[nodiscard]] const ClientOptions& options() const { return options_; }

    [[nodiscard]] Result<wire::Welcome> join(Nanos timeout);
    [[nodiscard]] bool isRefusedByThisStartAlone() const;
    /// Queues a message with the envelope of this process. Unavailable when the queue is full.
    [[nodiscard]] Result<void> post(wire::ToCoordinator message);
    /// Sends a question under a new request number, again when no answer comes, and waits.
    [[nodiscard]] Result<std::string> request(const wire::ToCoordinator& message, Nanos timeout);
    void cancelQuestions();
    [[nodiscard]] Result<void> sendRecord(const wire::Record& record, std::string bytes);
    [[nodiscard]] Result<void> flush(Nanos timeout);
    [[nodiscard]] bool waitAborted(Nanos timeout);
    [[nodiscard]] Result<void> leave(const wire::Leave& leave, Nanos timeout);

private:
    /// What the thread has to call back once it has released the mutex.
    struct Notices {
        std::optional<wire::Abort> abort;
        std::optional<std::string> stop;
        std::optional<wire::DrillRequest> inflict;
        std::optional<wire::TellStacks> tellStacks;
        std::optional<wire::ProbeLinks> probeLinks;
        std::optional<std::string> lost;
        std::optional<std::uint32_t> generation;
        std::optional<wire::RunEnd> runOver;
    };

    void run(const std::stop_token& stop, std::promise<Result<void>>& started);
    [[nodiscard]] Result<void> turn(Nanos now);
    void receiveAll(Nanos now);
    void take(const wire::FromCoordinator& message, Notices& notices);
    void call(const Notices& notices);
    void inflict(const wire::DrillRequest& order);
    void beat(Nanos now);
    void sendRepeats(Nanos now);
    void drain(Nanos now);
    void fillWindow() LS_REQUIRES(mutex_);
    void addNumbered(wire::ToCoordinator message) LS_REQUIRES(mutex_);
    void askForConfirmation(Nanos now) LS_REQUIRES(mutex_);
    void repeatUnconfirmed(const wire::LinkStatus& link, Nanos now) LS_REQUIRES(mutex_);
    void ping();
    void confirmEnd();
    void noteClock(const wire::Value& answer) LS_REQUIRES(mutex_);
    [[nodiscard]] bool allConfirmed() const LS_REQUIRES(mutex_) {
        return records_.empty() && outbox_.empty() && window_.empty();
    }
    void checkLink(Nanos now);
    void abortWith(const std::string& cause);
    [[nodiscard]] bool trySend(wire::ToCoordinator message);
    [[nodiscard]] wire::ToCoordinator envelope() const;
    [[nodiscard]] tl::unexpected<Error> abortError() const LS_REQUIRES(mutex_);
    [[nodiscard]] bool isAgent() const { return options_.self.role() == wire::ROLE_AGENT; }
    [[nodiscard]] bool accepts(const wire::FromCoordinator& message) const;

    const wire::Context context_;
    const ClientOptions options_;
    const Nanos interval_;  ///< Between heartbeats.
    const ClientCallbacks callbacks_;
    const wire::Wakeup wakeup_;
    std::unique_ptr<wire::ClientSocket> socket_;  // the thread's own, as all up to the mutex
    CoordinatorWatch coordinator_;
    ClockEstimate clock_;
    Nanos nextBeat_{};
    Nanos nextRegister_{};
    Nanos nextLeave_{};
    Nanos nextQuestion_{};
    Nanos repeatAt_{};
    Nanos repeatPatience_{};
    std::uint64_t connections_ = 0;  ///< So many the link had had at the last look.
    std::uint64_t heartbeats_ = 0;
    bool knowsEnd_ = false;  ///< The coordinator has told why the generation is over.

    mutable Mutex mutex_;
    ConditionVariable changed_;
    std::deque<wire::ToCoordinator> outbox_ LS_GUARDED_BY(mutex_);
    RecordOutbox records_ LS_GUARDED_BY(mutex_);
    SentWindow window_ LS_GUARDED_BY(mutex_);
    bool registering_ LS_GUARDED_BY(mutex_) = false;  ///< Register has been sent.
    int flushes_ LS_GUARDED_BY(mutex_) = 0;           ///< Callers that wait for confirmation.
    ClientRequests requests_ LS_GUARDED_BY(mutex_);
    bool questionsOver_ LS_GUARDED_BY(mutex_) = false;
    bool joining_ LS_GUARDED_BY(mutex_) = false;
    std::optional<wire::Welcome> welcome_ LS_GUARDED_BY(mutex_);
    std::optional<Error> refused_ LS_GUARDED_BY(mutex_);
    bool isRefusedByThisStart_ LS_GUARDED_BY(mutex_) = false;  ///< And perhaps not by the next.
    std::optional<std::string> aborted_ LS_GUARDED_BY(mutex_);
    bool coordinatorLost_ LS_GUARDED_BY(mutex_) = false;  ///< Nobody is left to be told anything.
    bool stopped_ LS_GUARDED_BY(mutex_) = false;
    std::optional<wire::Leave> leaving_ LS_GUARDED_BY(mutex_);
    bool left_ LS_GUARDED_BY(mutex_) = false;
    std::jthread thread_;
};

}  // namespace lockstep::coordination
