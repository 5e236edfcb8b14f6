// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <thread>

#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/result.h"

namespace lockstep {

/// Turns the process's first SIGTERM into a call, in a thread of its own, so that who is asked to
/// go (a scheduler preempts, a host goes down) can go in order. At most one in a process.
class TerminationWatch {
public:
    /// Whose SIGTERM it is that counts. Strangers are neither the parent nor of this process's own
    /// group: whose group belongs to another program hears what that one sends to all of its own.
    enum class Heeds { Everybody, Strangers };
    /// Unavailable: the system has no descriptors left; SIGTERM then does as before.
    [[nodiscard]] static Result<std::unique_ptr<TerminationWatch>> start(
        Heeds heeds = Heeds::Everybody);
    /// SIGTERM does again what it did before. A call that is under way is waited for.
    ~TerminationWatch();
    TerminationWatch(const TerminationWatch&) = delete;
    TerminationWatch& operator=(const TerminationWatch&) = delete;

    /// What is called, at once where SIGTERM has come already; an empty one: nothing. Returns only
    /// when the former one is not under way. Any thread.
    void whenAsked(std::function<void()> answer);
    /// SIGTERM has come; known at once, and so before anything that the same signal does to others.
    [[nodiscard]] bool isAsked() const;

private:
    TerminationWatch(UniqueFd fromHandler, UniqueFd toThread)
        : fromHandler_(std::move(fromHandler)), toThread_(std::move(toThread)) {}
    void ask();

    Mutex mutex_;
    bool asked_ LS_GUARDED_BY(mutex_) = false;
    std::function<void()> answer_ LS_GUARDED_BY(mutex_);
    UniqueFd fromHandler_;
    UniqueFd toThread_;
    struct sigaction former_ {};  ///< What SIGTERM did before.
    std::jthread thread_;         // last: it uses all of the above
};

}  // namespace lockstep
