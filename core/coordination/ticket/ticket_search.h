// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::coordination {

/// Finds the ticket of the start that this process belongs to. A process 0 that was killed leaves
/// its ticket behind, and the next start's process 0 may come later than the others: such a ticket
/// is tried, and passed over once it led to nobody.
class TicketSearch {
public:
    /// `namesStart`: no other start has a ticket of this name, so that none is an earlier one's.
    explicit TicketSearch(std::filesystem::path file = {}, bool namesStart = false)
        : file_(std::move(file)), namesStart_(namesStart) {}

    /// The ticket that lies there now; nothing while there is none but one that was passed over.
    [[nodiscard]] Result<std::optional<wire::StartTicket>> look();
    /// Whether the last one has gone, been refused or been replaced meanwhile.
    [[nodiscard]] Result<bool> isReplaced() const;
    /// Whether that comes about within seconds. Blocks for as long, or until `isCancelled`.
    [[nodiscard]] bool isReplacedSoon(const std::function<bool()>& isCancelled = {}) const;
    /// The last one led to `failure`. True when it may be an earlier start's, for nobody held it
    /// when it was taken, and nobody has answered: look() gives it no more.
    [[nodiscard]] bool passOver(const Error& failure);

    /// "; the one that lies there is an earlier start's (WHY)", for sentences; else empty.
    [[nodiscard]] std::string passedOverWords() const;

private:
    std::filesystem::path file_;
    bool namesStart_;
    std::string runId_;
    bool held_ = true;
    std::string passedOver_;  ///< Its run id.
    std::string why_;
};

}  // namespace lockstep::coordination
