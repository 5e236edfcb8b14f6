// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "core/base/result.h"
#include "core/coordination/core/coordinator_core.h"
#include "core/coordination/monitor/monitor_feed.h"
#include "core/coordination/server/history_reader.h"
#include "core/telemetry/journal.h"
#include "core/wire/authenticator.h"
#include "core/wire/socket.h"

namespace lockstep::coordination {

/// The user that the authenticator makes of every monitor's key.
inline constexpr const char* kMonitorUser = "monitor";

/// The monitors' side of the coordinator: a unix socket over which they follow the journal, stop
/// the job and admit each other. Used by the thread "coord", but for sinceLeaseRenewal.
class MonitorDesk {
public:
    /// `wake` is called, on another thread, when there is more to feed.
    MonitorDesk(std::string runId, wire::Authenticator& authenticator,
                telemetry::JournalWriter& writer, telemetry::JournalReader reader,
                std::function<void()> wake);

    [[nodiscard]] Result<void> listen(const wire::Context& context,
                                      const std::filesystem::path& socket,
                                      const wire::KeyPair& keys);
    /// Valid from `listen` to `close`.
    [[nodiscard]] wire::ServerSocket& socket() { return *socket_; }
    void close() { socket_.reset(); }

    /// Takes up to `most` messages; what they ask of the job goes to `core`.
    [[nodiscard]] Result<void> receive(CoordinatorCore& core, Instant at, int most);

    /// Lets monitors see what has been journalled so far; now and then, whenever it is called.
    void show(Nanos now);
    void showAll() { shownEnd_ = writer_.end(); }
    /// Sends monitors what they see and have not got yet. True when more could be sent at once.
    [[nodiscard]] bool feed();
    /// Whether somebody has not got all that is shown; `awaitFirst`: or nobody has come yet.
    [[nodiscard]] bool unread(bool awaitFirst) const;

    /// Time since a monitor last renewed its lease; since start when none ever did.
    [[nodiscard]] Nanos sinceLeaseRenewal() const;

private:
    void take(const wire::Incoming& incoming, CoordinatorCore& core, Instant at);
    [[nodiscard]] std::string admit(const std::string& publicKey);
    void reply(const std::string& connection, const std::string& error);

    const std::string runId_;
    wire::Authenticator& authenticator_;
    telemetry::JournalWriter& writer_;
    HistoryReader history_;
    std::unique_ptr<wire::ServerSocket> socket_;
    MonitorFeed feed_;
    std::set<std::string> admitted_;  // keys that monitors have asked to admit
    std::uint64_t shownEnd_ = 0;      // how far monitors see the journal
    Nanos lastShown_{};
    std::atomic<std::int64_t> lastLease_;
};

}  // namespace lockstep::coordination
