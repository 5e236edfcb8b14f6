// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/bounded_queue.h"
#include "core/base/mutex.h"
#include "core/coordination/core/coordinator_core.h"
#include "core/coordination/server/checkpoint_server.h"
#include "core/coordination/server/coordinator.h"
#include "core/coordination/server/journal_watch.h"
#include "core/coordination/server/monitor_desk.h"
#include "core/coordination/server/once_written.h"
#include "core/telemetry/journal.h"
#include "core/wire/authenticator.h"
#include "core/wire/socket.h"

namespace lockstep::coordination {

/// The thread "coord": CoordinatorCore between two sockets, a journal and a queue of commands.
/// Everything without a lock is used by that thread only, once it runs.
class Coordinator::Loop {
public:
    using Command = std::function<void(CoordinatorCore&, Instant)>;

    Loop(wire::Context context, CoordinatorOptions options, wire::Wakeup wakeup,
         std::unique_ptr<wire::Authenticator> authenticator,
         std::unique_ptr<telemetry::JournalWriter> writer, telemetry::JournalReader reader);
    ~Loop() { shutdown(Nanos{}, false); }

    /// Starts the thread; returns once it listens, or with why it cannot.
    [[nodiscard]] Result<void> start();
    void shutdown(Nanos linger, bool awaitReader);

    [[nodiscard]] bool post(Command command, Nanos patience);
    /// Never waits, and leaves room for what must not be lost.
    [[nodiscard]] bool postSample(Command command);
    void expectGeneration(std::uint32_t generation);
    [[nodiscard]] Result<Outcome> waitOutcome(Nanos timeout);
    [[nodiscard]] Counters counters() const;
    [[nodiscard]] CopyTally copies() const;
    [[nodiscard]] bool awaitTold(Nanos timeout);
    [[nodiscard]] Nanos lastTurn() const { return Nanos(turnedAt_.load()); }
    [[nodiscard]] bool killRequested() const { return killRequested_.load(); }
    [[nodiscard]] Nanos askingAgentHeard() const { return Nanos(agentHeard_.load()); }
    [[nodiscard]] Nanos sinceLeaseRenewal() const { return monitors_.sinceLeaseRenewal(); }
    [[nodiscard]] JournalReport settleJournal(Nanos timeout);
    [[nodiscard]] wire::Authenticator& authenticator() { return *authenticator_; }

    std::string memberEndpoint;  ///< Set by `start`, as the next two.
    std::string monitorEndpoint;
    int port = 0;

private:
    void run(const std::stop_token& stop, std::promise<Result<void>>& started);
    [[nodiscard]] Result<void> listen();
    [[nodiscard]] bool turn(Nanos patience);
    void runCommands(Instant at);
    void receiveMembers(Instant at);
    [[nodiscard]] bool isFetch(const wire::Incoming& incoming, const wire::ToCoordinator& message);
    void sendFetched();
    void endCheckpoints();
    void performAll();
    void perform(const std::vector<Action>& actions);
    void sendToMember(const SendAction& action);
    void sendWritten();
    void watchJournal(Instant at);
    void warn(const std::string& sentence, Instant at);
    void lingerFor(Nanos linger);
    void publishCounters();
    void publishUntold();
    void endWith(Error error);

    const wire::Context context_;
    const CoordinatorOptions options_;
    const wire::Wakeup wakeup_;
    std::unique_ptr<wire::Authenticator> authenticator_;
    std::unique_ptr<telemetry::JournalWriter> writer_;
    MonitorDesk monitors_;
    JournalWatch journalWatch_;
    std::unique_ptr<wire::ServerSocket> members_;
    CoordinatorCore core_;
    std::unique_ptr<CheckpointServer> checkpoints_;
    Nanos lastTick_{};
    OnceWritten onceWritten_;
    bool diskHangs_ = false;  ///< As it was when the last of these was waited for.

    BoundedQueue<Command> commands_;
    std::atomic<std::int64_t> turnedAt_{0};
    std::atomic<std::int64_t> linger_{0};
    std::atomic<bool> awaitReader_{false};
    std::string askingAgent_;  ///< Which has asked for parts of the run's folder.
    std::atomic<std::int64_t> agentHeard_{0};
    std::atomic<bool> killRequested_{false};
    mutable Mutex mutex_;
    ConditionVariable changed_;
    std::optional<Outcome> outcome_ LS_GUARDED_BY(mutex_);
    std::optional<Error> failure_ LS_GUARDED_BY(mutex_);
    std::uint32_t expected_ LS_GUARDED_BY(mutex_) = 0;
    Counters counters_ LS_GUARDED_BY(mutex_);
    CopyTally copies_ LS_GUARDED_BY(mutex_);
    std::size_t untold_ LS_GUARDED_BY(mutex_) = 0;
    std::jthread thread_;
};

}  // namespace lockstep::coordination
