// SPDX-License-Identifier: Apache-2.0
#include "core/base/termination_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <tuple>

#include "core/base/thread.h"

namespace lockstep {

namespace {

std::atomic<int> handlersEnd{-1};
std::atomic<bool> hasCome{false};
std::atomic<bool> heedsStrangersAlone{false};

/// Whose process is not known here (of the kernel, or of another namespace) is a stranger, too.
bool isOfStranger(const siginfo_t& signal) {
    const bool hasSender =
        signal.si_code == SI_USER || signal.si_code == SI_TKILL || signal.si_code == SI_QUEUE;
    if (!hasSender || signal.si_pid == 0) return true;
    return signal.si_pid != ::getppid() && ::getpgid(signal.si_pid) != ::getpgrp();
}

void passOn(int, siginfo_t* signal, void*) {
    const int error = errno;
    if (heedsStrangersAlone.load() && !isOfStranger(*signal)) {
        errno = error;
        return;
    }
    hasCome.store(true);
    const char asked = 1;
    std::ignore = ::write(handlersEnd.load(), &asked, sizeof asked);
    errno = error;
}

}  // namespace

Result<std::unique_ptr<TerminationWatch>> TerminationWatch::start(Heeds heeds) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail(ErrorCode::Unavailable, "cannot watch for SIGTERM: " + errnoText());
    auto watch = std::unique_ptr<TerminationWatch>(
        new TerminationWatch(UniqueFd(ends[0]), UniqueFd(ends[1])));
    watch->thread_ = startThread("sigterm-watch", [watch = watch.get()](const std::stop_token&) {
        char byte = 0;
        ssize_t got = 0;
        do
            got = ::read(watch->fromHandler_.get(), &byte, sizeof byte);
        while (got < 0 && errno == EINTR);
        if (got == sizeof byte) watch->ask();  // else the watch has ended
    });
    handlersEnd.store(watch->toThread_.get());
    hasCome.store(false);
    heedsStrangersAlone.store(heeds == Heeds::Strangers);
    struct sigaction action {};
    action.sa_sigaction = passOn;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGTERM, &action, &watch->former_);
    return watch;
}

TerminationWatch::~TerminationWatch() {
    ::sigaction(SIGTERM, &former_, nullptr);
    handlersEnd.store(-1);
    toThread_.reset();
}

void TerminationWatch::whenAsked(std::function<void()> answer) {
    Lock lock(mutex_);
    answer_ = std::move(answer);
    if (asked_ && answer_) answer_();
}

bool TerminationWatch::isAsked() const {
    return hasCome.load();
}

void TerminationWatch::ask() {
    Lock lock(mutex_);
    asked_ = true;
    if (answer_) answer_();
}

}  // namespace lockstep
