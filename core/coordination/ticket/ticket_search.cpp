// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/ticket/ticket_search.h"

#include <fmt/format.h>

#include <thread>

#include "core/base/clock.h"
#include "core/base/try.h"
#include "core/coordination/ticket/start_ticket.h"

namespace lockstep::coordination {

namespace {
constexpr std::chrono::seconds kPatience{3};  ///< For the ticket of a newer start.
constexpr Millis kTick{50};
}  // namespace

Result<std::optional<wire::StartTicket>> TicketSearch::look() {
    const bool held =
        isHeld(file_);  // before reading: one that is replaced in between is the newer
    auto ticket = readTicket(file_);
    if (!ticket || !*ticket) return ticket;
    if (!passedOver_.empty() && (*ticket)->run_id() == passedOver_) return std::nullopt;
    held_ = held;
    runId_ = (*ticket)->run_id();
    return ticket;
}

Result<bool> TicketSearch::isReplaced() const {
    const auto now = TRY(readTicket(file_));
    return !now || now->run_id() != runId_ || !now->error().empty();
}

bool TicketSearch::isReplacedSoon(const std::function<bool()>& isCancelled) const {
    const Nanos deadline = SteadyClock::read() + kPatience;
    do {
        const auto replaced = isReplaced();
        if (replaced && *replaced) return true;
        std::this_thread::sleep_for(kTick);
    } while (!(isCancelled && isCancelled()) && SteadyClock::read() < deadline);
    return false;
}

bool TicketSearch::passOver(const Error& failure) {
    // A coordinator that refuses this process has answered: it is alive, whatever the locks say.
    if (held_ || namesStart_ || failure.code == ErrorCode::Unavailable) return false;
    passedOver_ = runId_;
    why_ = failure.message;
    return true;
}

std::string TicketSearch::passedOverWords() const {
    if (passedOver_.empty()) return {};
    return fmt::format("; the one that lies there is an earlier start's ({})", why_);
}

}  // namespace lockstep::coordination
