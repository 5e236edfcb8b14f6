// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/monitor/monitor_feed.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::coordination {

namespace {

constexpr int kChunksPerTurn = 4;

std::int64_t boundedCredit(std::uint64_t bytes) {
    return static_cast<std::int64_t>(std::min(bytes, MonitorFeed::kMaxCredit));
}

}  // namespace

void MonitorFeed::follow(const std::string& connection, const wire::Follow& follow) {
    if (!cursors_.contains(connection) && cursors_.size() >= kMaxMonitors) {
        const auto oldest = std::ranges::min_element(
            cursors_, {}, [](const auto& entry) { return entry.second.lastHeard; });
        cursors_.erase(oldest);
    }
    cursors_[connection] =
        Cursor{follow.offset(), boundedCredit(follow.credit_bytes()), true, ++messages_};
}

void MonitorFeed::grant(const std::string& connection, std::uint64_t bytes) {
    const auto found = cursors_.find(connection);
    if (found == cursors_.end()) return;  // it will notice the silence and follow again
    Cursor& cursor = found->second;
    cursor.credit = std::min(cursor.credit + boundedCredit(bytes), boundedCredit(kMaxCredit));
    cursor.lastHeard = ++messages_;
}

MonitorFeed::Step MonitorFeed::sendNext(const std::string& connection, Cursor& cursor,
                                        std::uint64_t end, const Read& read, const Send& send) {
    const bool readable = cursor.offset < end && cursor.credit > 0;
    if (!readable && !cursor.owesAnswer) return Step::Waits;
    wire::FromCoordinator message;
    std::string bytes;
    if (cursor.offset > end) {
        message.mutable_reply()->set_error(fmt::format(
            "the journal of this run ends at byte {}, not behind {}", end, cursor.offset));
    } else if (readable) {
        auto frames = read(cursor.offset, kChunkBytes);
        if (!frames) return Step::Waits;
        if (*frames)
            bytes = std::move(**frames);
        else
            message.mutable_reply()->set_error(frames->error().message);
    }
    if (!message.has_reply()) {
        if (bytes.empty() && !cursor.owesAnswer) return Step::Waits;
        message.mutable_journal()->set_offset(cursor.offset);
        message.mutable_journal()->set_journal_end(end);
        message.mutable_journal()->set_bytes(bytes);
    }
    const wire::Sent sent = send(connection, message);
    if (sent == wire::Sent::WouldBlock) return Step::Waits;
    if (sent == wire::Sent::Gone || message.has_reply()) return Step::Dropped;
    cursor.offset += bytes.size();
    cursor.credit -= static_cast<std::int64_t>(bytes.size());  // may go below 0 by one chunk
    cursor.owesAnswer = false;
    return Step::Sent;
}

bool MonitorFeed::pump(std::uint64_t end, const Read& read, const Send& send) {
    bool more = false;
    for (auto cursor = cursors_.begin(); cursor != cursors_.end();) {
        Step step = Step::Sent;
        for (int chunk = 0; chunk < kChunksPerTurn && step == Step::Sent; ++chunk)
            step = sendNext(cursor->first, cursor->second, end, read, send);
        more = more || step == Step::Sent;
        cursor = step == Step::Dropped ? cursors_.erase(cursor) : std::next(cursor);
    }
    return more;
}

bool MonitorFeed::idle(std::uint64_t end) const {
    return std::ranges::all_of(cursors_, [end](const auto& entry) {
        return entry.second.offset >= end || entry.second.credit <= 0;
    });
}

}  // namespace lockstep::coordination
