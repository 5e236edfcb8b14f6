// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace lockstep::coordination {

/// The numbered messages of one life of a process that the coordinator has not confirmed yet, in
/// order. A connection that breaks takes along what was under way; what is in here is sent again.
/// Not thread-safe: guarded by its owner.
class SentWindow {
public:
    static constexpr std::size_t kMaxBytes = 4 << 20;
    static constexpr std::size_t kMaxMessages = 1024;

    /// The number of the message to be added next; the first is 1.
    [[nodiscard]] std::uint64_t nextNumber() const { return confirmed_ + messages_.size() + 1; }
    /// No more fits before some are confirmed.
    [[nodiscard]] bool full() const {
        return bytes_ >= kMaxBytes || messages_.size() >= kMaxMessages;
    }
    [[nodiscard]] bool empty() const { return messages_.empty(); }

    /// Adds the message of number nextNumber(), encoded.
    void add(std::string bytes);
    /// The oldest message that is to be sent, null when all are under way.
    [[nodiscard]] const std::string* unsent() const;
    /// unsent() is under way.
    void markSent() { ++sent_; }
    /// All up to `number` have been taken. True when that is news.
    bool confirm(std::uint64_t number);
    /// What was under way may be lost: all of it is to be sent again.
    void rewind() { sent_ = 0; }
    [[nodiscard]] bool anySent() const { return sent_ > 0; }

private:
    std::deque<std::string> messages_;  ///< The first has number confirmed_ + 1.
    std::uint64_t confirmed_ = 0;
    std::size_t sent_ = 0;  ///< So many of messages_, from the front, are under way.
    std::size_t bytes_ = 0;
};

}  // namespace lockstep::coordination
