// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"
#include "core/telemetry/journalled_steps.h"

namespace lockstep::coordination {

/// Where the chief waits with a checkpoint until the journal has the steps of all replicas up to
/// it: a run that goes on from there trains none of them again, so nobody else would tell them.
class StepsDesk {
public:
    StepsDesk(const Membership& members, const telemetry::JournalledSteps& journalled,
              Outbox& outbox)
        : members_(members), journalled_(journalled), outbox_(outbox) {}

    void beginGeneration() { waiting_.clear(); }
    void await(const Member& chief, const wire::AwaitSteps& question);
    /// The journal has more than before: answers those for which it is enough.
    void look();

private:
    struct Question {
        ProcessKey process;
        std::uint64_t request = 0;
        std::int64_t step = 0;
    };
    [[nodiscard]] std::int64_t toldByAll() const;

    const Membership& members_;
    const telemetry::JournalledSteps& journalled_;
    Outbox& outbox_;
    std::vector<Question> waiting_;
};

}  // namespace lockstep::coordination
