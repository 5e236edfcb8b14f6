// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/ticket/offered_ticket.h"

#include <system_error>

#include "core/base/try.h"
#include "core/coordination/ticket/start_ticket.h"

namespace lockstep::coordination {

Result<OfferedTicket> OfferedTicket::offer(const std::filesystem::path& file,
                                           const wire::StartTicket& ticket) {
    auto lock = TRY(writeTicket(file, ticket));
    return OfferedTicket(file, std::move(lock));
}

void OfferedTicket::withdraw() {
    if (!lock_.valid()) return;
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
    lock_.reset();
}

}  // namespace lockstep::coordination
