// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/message_gate.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

std::optional<ProcessKey> MessageGate::senderOf(const Peer& peer,
                                                const wire::ToCoordinator& message) {
    const std::optional<ProcessKey> sender = processOf(peer.user);
    const std::optional<std::string> refused = refusal(message, sender);
    if (!refused) return sender;
    ++outbox_.counters().foreign;
    // Whoever is left over from a former generation shall learn it, and end.
    if (message.has_register_())
        outbox_.refuse(peer.connection, *refused);
    else if (sender)
        outbox_.abort(peer.connection, JobState::kNobody, *refused);
    return std::nullopt;
}

/// Why a message is not of this run at all.
std::optional<std::string> MessageGate::refusal(const wire::ToCoordinator& message,
                                                const std::optional<ProcessKey>& sender) const {
    if (message.protocol() != wire::kProtocol)
        return fmt::format(
            "this process speaks protocol {}, the coordinator speaks {}: install "
            "the same version on every host",
            message.protocol(), wire::kProtocol);
    if (message.run_id() != job_.rules().runId)
        return fmt::format("this process belongs to run '{}', the coordinator to run '{}'",
                           sanitizeLine(message.run_id(), 80), job_.rules().runId);
    if (!sender) return "this key is not one of a process of the job";
    // An agent outlives the generations that it starts.
    if (message.generation() != job_.generation() && sender->role != wire::ROLE_AGENT)
        return fmt::format("{} belongs to generation {} of the run; generation {} is running",
                           nameOf(*sender), message.generation(), job_.generation());
    if (!message.has_register_()) return std::nullopt;
    const ProcessKey claimed{message.register_().role(), message.register_().process_id()};
    if (claimed != *sender)
        return fmt::format("the key of {} cannot register {}", nameOf(*sender), nameOf(claimed));
    return std::nullopt;
}

Member* MessageGate::speaker(const Peer& peer, const ProcessKey& sender,
                             const wire::ToCoordinator& message) {
    Member* member = members_.find(sender);
    const bool former = member != nullptr && member->incarnation != message.incarnation();
    if (former || members_.isFenced(sender, message.incarnation())) {
        ++outbox_.counters().fenced;
        outbox_.abort(peer.connection, static_cast<std::int32_t>(sender.id),
                      fmt::format("this life of {} is over for the coordinator", nameOf(sender)));
        return nullptr;
    }
    const bool mayStillSay =
        member != nullptr && (member->state == MemberState::Present || message.has_leave());
    if (!mayStillSay) {
        ++outbox_.counters().unregistered;
        return nullptr;
    }
    member->connection = peer.connection;
    return member;
}

}  // namespace lockstep::coordination
