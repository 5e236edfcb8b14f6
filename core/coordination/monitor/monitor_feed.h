// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/wire/messages/member.pb.h"
#include "core/wire/messages/monitor.pb.h"
#include "core/wire/socket.h"

namespace lockstep::coordination {

/// Serves the journal to monitors. Of each it keeps a cursor and a credit, nothing else: what a
/// monitor does not take stays in the file. No clock, no thread, no sockets.
class MonitorFeed {
public:
    static constexpr std::size_t kChunkBytes = 256 << 10;
    static constexpr std::uint64_t kMaxCredit = 16 << 20;
    static constexpr std::size_t kMaxMonitors = 64;

    /// Whole frames of the journal from an offset on, as telemetry::JournalReader::read; nothing
    /// while they are still being read.
    using Read = std::function<std::optional<Result<std::string>>(std::uint64_t offset,
                                                                  std::size_t maxBytes)>;
    using Send = std::function<wire::Sent(const std::string& connection,
                                          const wire::FromCoordinator& message)>;

    /// The monitor at `connection` begins, or goes on, at an offset. With too many monitors the
    /// one that was silent for the longest has to ask again.
    void follow(const std::string& connection, const wire::Follow& follow);
    void grant(const std::string& connection, std::uint64_t bytes);

    /// Sends each monitor a few chunks, as far as its credit goes; `end` is where the readable
    /// journal ends. True when more could be sent at once.
    [[nodiscard]] bool pump(std::uint64_t end, const Read& read, const Send& send);
    /// Whether everybody who could take something has everything up to `end`.
    [[nodiscard]] bool idle(std::uint64_t end) const;
    [[nodiscard]] std::size_t monitors() const { return cursors_.size(); }

private:
    struct Cursor {
        std::uint64_t offset = 0;
        std::int64_t credit = 0;
        bool owesAnswer = true;       // to Follow, even with nothing to read
        std::uint64_t lastHeard = 0;  // in order of messages
    };
    enum class Step : std::uint8_t { Sent, Waits, Dropped };
    [[nodiscard]] Step sendNext(const std::string& connection, Cursor& cursor, std::uint64_t end,
                                const Read& read, const Send& send);

    std::map<std::string, Cursor> cursors_;
    std::uint64_t messages_ = 0;
};

}  // namespace lockstep::coordination
