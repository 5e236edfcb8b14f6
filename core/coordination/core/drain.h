// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/base/clock.h"
#include "core/coordination/state/outcome.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// The time after the chief has left in order, with the result: the others and the evaluator are
/// waited for, but not for ever. No clock, no thread.
class Drain {
public:
    explicit Drain(Nanos timeout) : timeout_(timeout) {}

    void begin(const wire::Leave& chiefs, Nanos now) {
        chiefsLeave_ = chiefs;
        begun_ = now;
        deadline_ = now + timeout_;
    }
    /// Somebody who is waited for still works: the time begins anew.
    void prolong(Nanos now) {
        if (active()) deadline_ = now + timeout_;
    }
    [[nodiscard]] bool active() const { return deadline_.has_value(); }
    [[nodiscard]] bool expired(Nanos now) const { return active() && now >= *deadline_; }
    /// In whole seconds, as words tell it.
    [[nodiscard]] Nanos lasted(Nanos now) const {
        return std::chrono::round<std::chrono::seconds>(now - begun_);
    }

    /// What the generation comes to by the chief's word.
    [[nodiscard]] Outcome outcome() const {
        Outcome outcome;
        outcome.kind =
            chiefsLeave_.status() == "stopped" ? OutcomeKind::Stopped : OutcomeKind::Completed;
        outcome.summaryJson = chiefsLeave_.summary_json();
        return outcome;
    }

private:
    Nanos timeout_;
    Nanos begun_{};
    std::optional<Nanos> deadline_;
    wire::Leave chiefsLeave_;
};

}  // namespace lockstep::coordination
