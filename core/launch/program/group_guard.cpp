// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/group_guard.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <tuple>

namespace lockstep::launch {

namespace {

/// Async-signal-safe calls only: other threads of the parent may hold any lock.
[[noreturn]] void guard(int line) {
    for (const int ignored : {SIGTERM, SIGINT, SIGHUP})  // they are the program's
        ::signal(ignored, SIG_IGN);
    ::prctl(PR_SET_NAME, kGuardName);
    if (::dup2(line, STDIN_FILENO) < 0) ::_exit(1);
    ::close_range(STDIN_FILENO + 1, ~0U, 0);
    char goodbye = 0;
    ssize_t got = 0;
    do {
        got = ::read(STDIN_FILENO, &goodbye, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 0) ::kill(0, SIGKILL);
    ::_exit(0);
}

}  // namespace

Result<std::unique_ptr<GroupGuard>> GroupGuard::start() {
    if (::getpgrp() != ::getpid()) return nullptr;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail(ErrorCode::Io, "cannot make a pipe: " + errnoText());
    const UniqueFd listening(ends[0]);
    UniqueFd line(ends[1]);
    const pid_t pid = ::fork();
    if (pid < 0) return fail(ErrorCode::Io, "cannot start a process: " + errnoText());
    if (pid == 0) guard(listening.get());
    return std::unique_ptr<GroupGuard>(new GroupGuard(pid, std::move(line)));
}

GroupGuard::~GroupGuard() {
    std::ignore = ::write(line_.get(), "", 1);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace lockstep::launch
