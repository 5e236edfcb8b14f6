// SPDX-License-Identifier: Apache-2.0
#include "core/collective/process_watch.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::collective {

void ProcessWatch::add(int process, int pid) {
    // A handle, not the number: a number may be given to another process later.
    UniqueFd handle(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (handle.valid()) handles_[process] = std::move(handle);
}

bool ProcessWatch::ended(int process) const {
    const auto found = handles_.find(process);
    if (found == handles_.end()) return false;
    pollfd one{found->second.get(), POLLIN, 0};
    return poll(&one, 1, 0) == 1 && (one.revents & POLLIN) != 0;
}

}  // namespace lockstep::collective
