// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "core/base/clock.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// Who has been told why the generation is over, and does not know it yet: a coordinator that ends
/// sooner leaves them with its own end for a cause. No clock, no thread.
class EndNotices {
public:
    EndNotices(const Membership& members, Outbox& outbox) : members_(members), outbox_(outbox) {}

    /// Whoever was told of the former one's end is of no concern any more.
    void beginGeneration() { unsure_.clear(); }
    /// Tells all who are there; `culprit` is a process id, or JobState::kNobody.
    void tell(std::int32_t culprit, const std::string& cause, Nanos now);
    /// The process has said that it knows.
    void confirm(const ProcessKey& process) { unsure_.erase(process); }
    /// Tells those again who have not said so: a connection that breaks may take the notice along,
    /// and one that is gone shows itself only when something is sent over it. 3 s after the end
    /// nobody is awaited any more.
    void tick(Nanos now);

    /// So many workers and evaluators have a connection, and have not said that they know. Agents
    /// outlive the generation, and are not awaited.
    [[nodiscard]] std::size_t awaited() const;

private:
    [[nodiscard]] const Member* awaitedMember(const ProcessKey& process) const;

    const Membership& members_;
    Outbox& outbox_;
    std::set<ProcessKey> unsure_;
    std::int32_t culprit_ = JobState::kNobody;
    std::string cause_;
    Nanos told_{};
    Nanos tellAgain_{};
};

}  // namespace lockstep::coordination
