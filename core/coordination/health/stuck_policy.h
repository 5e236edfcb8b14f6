// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/coordination/health/verdict.h"
#include "core/coordination/state/job_rules.h"

namespace lockstep::coordination {

/// When a job that is stuck is ended: once the same trouble has stood for the grace time after it
/// was first named, unless somebody asks to wait longer. Trouble that moves on begins anew, and so
/// does its time; trouble that is out of sight for a while, as when a heartbeat is late, and then
/// the same again has stood all along. No clock, no thread.
class StuckPolicy {
public:
    explicit StuckPolicy(StuckRules rules) : rules_(rules) {}

    /// The trouble at `now`, or none; whether it is of the stuck kind is seen by its severity.
    void update(const std::optional<Finding>& finding, Nanos now);
    /// When the job ends, if nothing moves until then; none while nothing is stuck.
    [[nodiscard]] std::optional<Nanos> endsAt() const {
        return isSeen_ ? std::optional(endsAt_) : std::nullopt;
    }
    [[nodiscard]] bool isDue(Nanos now) const { return isSeen_ && now >= endsAt_; }
    /// What stood until now is over.
    void reset();
    /// Begins another grace time at `now`. False where no end is near.
    bool postpone(Nanos now);

private:
    const StuckRules rules_;
    std::string subject_;  // of the newest trouble; empty: none
    bool isSeen_ = false;  // it stands now
    Nanos endsAt_{};
};

}  // namespace lockstep::coordination
