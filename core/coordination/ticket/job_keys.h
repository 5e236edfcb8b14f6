// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/coordination/state/process_key.h"
#include "core/wire/keys.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::coordination {

/// The keys of one job: the coordinator's own, and a pair for each process that may join it.
class JobKeys {
public:
    /// Random ones.
    [[nodiscard]] static Result<JobKeys> make();
    /// Those that follow from where the coordinator is: whoever knows the address has them all. For
    /// meetings without any secrecy, which a user has to ask for in so many words.
    [[nodiscard]] static Result<JobKeys> openAt(const std::string& address);

    /// Those that follow from a secret which all processes have been given, for the coordinator at
    /// that address: who does not know the secret has none of them.
    [[nodiscard]] static Result<JobKeys> ofSecret(const std::string& secret,
                                                  const std::string& address);

    [[nodiscard]] const wire::KeyPair& coordinator() const { return coordinator_; }
    /// The pair of one process, under the name by which it is admitted. A random one is new with
    /// every call.
    [[nodiscard]] Result<wire::MemberKeys> makeFor(const ProcessKey& process) const;

private:
    JobKeys(std::optional<std::string> address, std::string secret)
        : address_(std::move(address)), secret_(std::move(secret)) {}
    [[nodiscard]] static Result<JobKeys> complete(JobKeys keys);
    [[nodiscard]] Result<wire::KeyPair> pairOf(const std::string& name) const;

    std::optional<std::string> address_;  ///< From which they follow; else they are random.
    std::string secret_;                  ///< And from this, unless it is empty.
    wire::KeyPair coordinator_;
};

/// What a process speaks to the coordinator with; nothing where the ticket is not for it.
[[nodiscard]] std::optional<wire::CurveKeys> keysOf(const wire::StartTicket& ticket,
                                                    const ProcessKey& process);

}  // namespace lockstep::coordination
