// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

namespace lockstep {

/// The result of a system call that says -1 where it fails, made again as often as a signal cuts it
/// short: a thread whose stack is asked for (thread_stacks.h) gets one in the midst of a write, and
/// file systems in user space and over networks answer that with EINTR. Not for close(2), which
/// closes all the same.
template <typename Call>
[[nodiscard]] auto uninterrupted(const Call& call) {
    for (;;) {
        const auto result = call();
        if (result != -1 || errno != EINTR) return result;
    }
}

}  // namespace lockstep
