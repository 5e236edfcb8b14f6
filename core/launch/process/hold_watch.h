// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "core/base/clock.h"
#include "core/run/stopped_time.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::launch {

/// What the system tells of a process that may keep it from running.
struct HoldSigns {
    char state = '\0';           ///< Of its first thread, as processState() has it.
    char heartbeatState = '\0';  ///< Of the thread that sends its heartbeats; 0: it has none.
    bool isGroupFrozen = false;  ///< Its control group, of version 2.
    std::uint64_t switches = 0;  ///< As contextSwitches() has it.
};

/// What keeps a process of this host from running, by what its parent sees of it. One thread.
class HoldWatch {
public:
    explicit HoldWatch(pid_t pid) : pid_(pid) {}

    /// To be asked about once a second: a look reads a few small files.
    [[nodiscard]] wire::Hold look(Nanos now) { return judge(signs(), now); }
    /// Likewise, of what has been read.
    [[nodiscard]] wire::Hold judge(const HoldSigns& signs, Nanos now);
    /// How long it has been stopped, with the thread that sends its heartbeats; 0: it is not, or
    /// has no such thread yet.
    [[nodiscard]] Nanos stoppedFor() const { return stoppedFor_; }

private:
    [[nodiscard]] HoldSigns signs();

    pid_t pid_;
    pid_t heartbeatThread_ = 0;  ///< 0: not seen yet.
    run::StoppedTime stopped_;
    run::StoppedTime waiting_;  ///< For a disk.
    Nanos stoppedFor_{};
};

}  // namespace lockstep::launch
