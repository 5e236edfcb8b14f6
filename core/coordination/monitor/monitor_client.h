// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/context.h"
#include "core/wire/keys.h"
#include "core/wire/messages/monitor.pb.h"

namespace lockstep::coordination {

struct MonitorOptions {
    std::string endpoint;  ///< ipc://path, as Coordinator::monitorEndpoint says
    std::string serverPublicKey;
    wire::KeyPair keys;
    std::string runId;
    std::uint64_t fromOffset = 0;            ///< Bytes of the journal that the caller has.
    std::uint64_t creditBytes = 4ULL << 20;  ///< What may be under way at once.
};

/// A piece of the run's journal: whole records, as they lie in the file.
struct JournalPiece {
    std::uint64_t offset = 0;
    std::string bytes;
    std::uint64_t journalEnd = 0;  ///< End of the journal when the piece was sent.

    [[nodiscard]] bool caughtUp() const { return offset + bytes.size() >= journalEnd; }
};

/// Follows a run: pulls its journal from an offset on, first the history, then what is written.
/// Pieces come in order without gaps, also across reconnections. Used by one thread; nothing
/// happens outside of its calls. A caller that does not poll slows nobody.
class MonitorClient {
public:
    /// Returns at once; BadInput for a malformed endpoint or key.
    [[nodiscard]] static Result<std::unique_ptr<MonitorClient>> connect(
        const wire::Context& context, MonitorOptions options);
    ~MonitorClient();
    MonitorClient(const MonitorClient&) = delete;
    MonitorClient& operator=(const MonitorClient&) = delete;

    /// The next piece, waiting up to `timeout` for one; nullopt when there is none by then.
    /// Unavailable when the coordinator refuses this monitor, with its sentence. A piece may be
    /// empty: it tells the journal's end.
    [[nodiscard]] Result<std::optional<JournalPiece>> poll(Nanos timeout);

    /// Sent at the next `poll`, and kept while the connection is down.
    void requestStop();
    void requestKill();
    /// For a job that is stuck (launch.on_stuck): another grace time.
    void waitLonger();
    void requestDrill(const wire::DrillRequest& request);
    void renewLease();

    /// Whether the coordinator has answered within the last seconds.
    [[nodiscard]] bool connected() const;
    [[nodiscard]] std::uint64_t offset() const;  ///< Next byte expected.

private:
    class Link;
    explicit MonitorClient(std::unique_ptr<Link> link);
    std::unique_ptr<Link> link_;
};

}  // namespace lockstep::coordination
