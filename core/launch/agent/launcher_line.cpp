// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/launcher_line.h"

#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

void LauncherLine::read() {
    if (fd_ < 0) return;
    const auto open = frames_.fill(fd_);
    while (const auto frame = frames_.next()) {
        wire::ToAgent message;
        if (message.ParseFromString(*frame) && message.has_detach()) tied_ = false;
    }
    if (open && *open) return;
    fd_ = -1;
    abandoned_ = tied_;
}

}  // namespace lockstep::launch
