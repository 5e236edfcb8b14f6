// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/clock.h"

namespace lockstep::job {

/// How a launch that has lost one of its hosts goes about another start.
struct StartPatience {
    /// For what the lost start had to end, behind the lease of a connection that was lost.
    Nanos ofTheLost = std::chrono::seconds(5);
    Nanos attempts = std::chrono::seconds(120);  ///< From the first on: a host may be rebooting.
    Nanos pause = std::chrono::seconds(3);       ///< Between two.
};

/// When a launch begins again after a loss, and when it gives up. No clock, no thread.
class NextStart {
public:
    /// `lease`: zero where no connection was lost. `spareAfter`: for so long a host that is not
    /// reached is waited for; zero: there is no spare.
    NextStart(std::string loss, Nanos lostAt, Nanos lease, StartPatience patience, Nanos spareAfter)
        : loss_(std::move(loss)),
          patience_(patience),
          spareAfter_(spareAfter),
          due_(lostAt + lease + patience.ofTheLost),
          last_(std::max(due_, lostAt + spareAfter) + patience.attempts) {}

    [[nodiscard]] const std::string& loss() const { return loss_; }
    [[nodiscard]] Nanos left(Nanos now) const { return due_ - now; }
    [[nodiscard]] bool isDue(Nanos now) const { return now >= due_; }
    /// A spare has taken the place of such a host: the start is due, and as patient as the first;
    /// another host that is not reached then is waited for as long.
    void replaced(Nanos now) { replaced(now, Nanos{}); }
    /// `wait`: until what may have begun there before has ended.
    void replaced(Nanos now, Nanos wait) {
        due_ = now + wait;
        last_ = due_ + spareAfter_ + patience_.attempts;
    }
    /// An attempt has failed: whether there is another one, after a pause.
    [[nodiscard]] bool triesAgain(Nanos now) {
        due_ = now + patience_.pause;
        return due_ <= last_;
    }

private:
    std::string loss_;
    StartPatience patience_;
    Nanos spareAfter_;
    Nanos due_;
    Nanos last_;
};

}  // namespace lockstep::job
