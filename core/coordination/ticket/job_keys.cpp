// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/ticket/job_keys.h"

#include <algorithm>

#include "core/base/try.h"

namespace lockstep::coordination {

Result<JobKeys> JobKeys::make() {
    return complete(JobKeys(std::nullopt, {}));
}

Result<JobKeys> JobKeys::openAt(const std::string& address) {
    return complete(JobKeys(address, {}));
}

Result<JobKeys> JobKeys::ofSecret(const std::string& secret, const std::string& address) {
    return complete(JobKeys(address, secret));
}

Result<JobKeys> JobKeys::complete(JobKeys keys) {
    keys.coordinator_ = TRY(keys.pairOf("coordinator"));
    return keys;
}

Result<wire::KeyPair> JobKeys::pairOf(const std::string& name) const {
    if (!address_) return wire::newKeyPair();
    const std::string text = name + " " + *address_;
    return secret_.empty() ? wire::openKeyPair(text) : wire::keyPairOf(secret_, text);
}

Result<wire::MemberKeys> JobKeys::makeFor(const ProcessKey& process) const {
    wire::MemberKeys member;
    member.set_user(userIdOf(process));
    const auto pair = TRY(pairOf(member.user()));
    member.set_own_public(pair.publicKey);
    member.set_own_secret(pair.secretKey);
    return member;
}

std::optional<wire::CurveKeys> keysOf(const wire::StartTicket& ticket, const ProcessKey& process) {
    const auto& members = ticket.members();
    const auto own = std::ranges::find(members, userIdOf(process), &wire::MemberKeys::user);
    if (own == members.end()) return std::nullopt;
    wire::CurveKeys keys;
    keys.set_server_public(ticket.server_public());
    keys.set_own_public(own->own_public());
    keys.set_own_secret(own->own_secret());
    return keys;
}

}  // namespace lockstep::coordination
