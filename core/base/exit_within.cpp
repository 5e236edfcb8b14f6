// SPDX-License-Identifier: Apache-2.0
#include "core/base/exit_within.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>
#include <tuple>

namespace lockstep {

namespace {

std::atomic<int> lateStatus{0};

void exitNow(int) {
    constexpr std::string_view kWords =
        "warning: a thread of this process would not end: it ends without it\n";
    std::ignore = ::write(STDERR_FILENO, kWords.data(), kWords.size());
    ::_exit(lateStatus.load());
}

}  // namespace

void exitWithin(std::chrono::seconds limit, int status) {
    lateStatus.store(status);
    std::signal(SIGALRM, exitNow);
    ::alarm(static_cast<unsigned>(limit.count()));
}

}  // namespace lockstep
