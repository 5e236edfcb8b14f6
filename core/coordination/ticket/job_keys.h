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

    [[nodiscard]] const wire::KeyPair& coordinator() const { return coordinator_; }
    /// The pair of one process, under the name by which it is admitted. A random one is new with
    /// every call.
    [[nodiscard]] Result<wire::MemberKeys> makeFor(const ProcessKey& process) const;

private:
    explicit JobKeys(std::optional<std::string> openAddress)
        : openAddress_(std::move(openAddress)) {}
    [[nodiscard]] static Result<JobKeys> complete(JobKeys keys);
    [[nodiscard]] Result<wire::KeyPair> pairOf(const std::string& name) const;

    std::optional<std::string> openAddress_;  ///< From which they follow; else they are random.
    wire::KeyPair coordinator_;
};

/// What a process speaks to the coordinator with; nothing where the ticket is not for it.
[[nodiscard]] std::optional<wire::CurveKeys> keysOf(const wire::StartTicket& ticket,
                                                    const ProcessKey& process);

}  // namespace lockstep::coordination
