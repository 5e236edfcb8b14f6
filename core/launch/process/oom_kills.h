// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/clock.h"

namespace lockstep::launch {

/// Which ends of processes the kernel of this host is behind, because it, or a control group, was
/// out of memory: it counts those kills in /proc/vmstat (where that cannot be read, there are
/// none). One thread.
class OomKills {
public:
    OomKills();
    /// Remembers how many there have been so far, every few seconds; in between it costs nothing.
    void look(Nanos now);
    /// Of a process that has ended by SIGKILL just now: whether there has been a kill in the last
    /// ten seconds that no other one is explained by.
    [[nodiscard]] bool explainsOne();

private:
    std::uint64_t before_;
    std::uint64_t newest_;
    Nanos next_{};
};

}  // namespace lockstep::launch
