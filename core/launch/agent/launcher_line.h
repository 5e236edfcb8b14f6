// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/wire/frame_queue.h"

namespace lockstep::launch {

/// What an agent's launcher still says after the configuration, and whether it is there. One
/// thread.
class LauncherLine {
public:
    /// `fd`: the pipe from the launcher (O_NONBLOCK), not owned; -1: there is none. `tied`: the
    /// job ends when the launcher closes it.
    LauncherLine(int fd, bool tied) : fd_(fd), tied_(tied) {}

    /// Readable when there is something to read; -1 once it is closed.
    [[nodiscard]] int fd() const { return fd_; }
    void read();
    /// The launcher of a tied job has gone.
    [[nodiscard]] bool isAbandoned() const { return abandoned_; }

private:
    int fd_;
    bool tied_;
    bool abandoned_ = false;
    wire::FrameReader frames_;
};

}  // namespace lockstep::launch
