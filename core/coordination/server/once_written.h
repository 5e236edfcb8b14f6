// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// Answers that wait until the journal's file has what they speak of. However long the disk hangs,
/// a question that is asked again has one place, and there is an end to them: whoever is not
/// answered asks again. No clock, no thread.
class OnceWritten {
public:
    static constexpr std::size_t kMost = 64;  ///< Of more the oldest is given up.

    /// `end`: up to there the file must reach. The same question of the same connection keeps the
    /// place that it has.
    void hold(std::uint64_t end, SendAction answer);
    /// In their order those for which the file, which reaches up to `written`, has enough.
    [[nodiscard]] std::vector<SendAction> take(std::uint64_t written);
    /// Nobody waits any more for those of other generations.
    void keepOnly(std::uint32_t generation);

    [[nodiscard]] bool empty() const { return held_.empty(); }
    [[nodiscard]] std::size_t size() const { return held_.size(); }

private:
    struct Held {
        std::uint64_t end = 0;
        SendAction answer;
    };
    std::deque<Held> held_;  // their ends ascend
};

}  // namespace lockstep::coordination
