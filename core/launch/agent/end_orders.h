// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/clock.h"

namespace lockstep::launch {

/// When an agent that is told to end asks its run to stop, and when it ends it by force. Pure.
class EndOrders {
public:
    enum class Step : std::uint8_t { GoOn, AskToStop, Force };

    /// `grace`: from the order to the end by force.
    explicit EndOrders(Nanos grace) : grace_(grace) {}
    /// Of an order that is not there yet.
    void setGrace(Nanos grace) { grace_ = grace; }

    /// What is due. `terminate`: the job shall stop in order. `abandoned`: whoever it is tied to
    /// has gone, so that nobody may find anything of it soon after.
    [[nodiscard]] Step next(bool terminate, bool abandoned, Nanos now) {
        if (!terminate && !abandoned) return Step::GoOn;
        const bool isNew = !deadline_;
        if (isNew) deadline_ = now + grace_;
        if (abandoned) deadline_ = std::min(*deadline_, now + kAbandonedGrace);
        if (isNew) return Step::AskToStop;
        if (now <= *deadline_) return Step::GoOn;
        deadline_ = now + grace_;  // asked again, should it have been lost
        return Step::Force;
    }

private:
    static constexpr Nanos kAbandonedGrace = std::chrono::seconds(3);

    Nanos grace_;
    std::optional<Nanos> deadline_;
};

}  // namespace lockstep::launch
