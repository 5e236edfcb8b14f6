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

void passOn(int) {
    const int error = errno;
    hasCome.store(true);
    const char asked = 1;
    std::ignore = ::write(handlersEnd.load(), &asked, sizeof asked);
    errno = error;
}

}  // namespace

Result<std::unique_ptr<TerminationWatch>> TerminationWatch::start() {
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
    watch->former_ = std::signal(SIGTERM, passOn);
    return watch;
}

TerminationWatch::~TerminationWatch() {
    std::signal(SIGTERM, former_);
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
