// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <QDir>
#include <QFile>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace lockstep::tests {

/// The thread of a process with this name; 0 where there is none.
[[nodiscard]] inline pid_t threadNamed(pid_t process, const QByteArray& name) {
    const QString tasks = QStringLiteral("/proc/%1/task").arg(process);
    for (const QString& task : QDir(tasks).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile comm(tasks + '/' + task + QStringLiteral("/comm"));
        if (comm.open(QIODevice::ReadOnly) && comm.readAll().trimmed() == name) return task.toInt();
    }
    return 0;
}

/// Holds one thread of another process while all others of it run on, as a deadlock does: its
/// heartbeats come, its steps do not. It stays held until its process ends, or it is let go, by a
/// test that fails, too.
class FrozenThread {
public:
    explicit FrozenThread(pid_t thread) {
        std::promise<bool> held;
        std::future<bool> isHeld = held.get_future();
        // Only the thread that traces may ask, and somebody has to see the end of what is traced.
        tracer_ = std::jthread([this, thread, held = std::move(held)]() mutable {
            int status = 0;
            const bool stopped = ::ptrace(PTRACE_SEIZE, thread, 0, 0) == 0 &&
                                 ::ptrace(PTRACE_INTERRUPT, thread, 0, 0) == 0 &&
                                 ::waitpid(thread, &status, __WALL) == thread;
            held.set_value(stopped);
            while (stopped && !released_.load()) {
                const pid_t changed = ::waitpid(thread, &status, __WALL | WNOHANG);
                if (changed < 0) return;
                if (changed == thread && (WIFEXITED(status) || WIFSIGNALED(status))) return;
                // a pause: nobody wakes who waits for the end of a thread and for a word to let go
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            if (stopped) ::ptrace(PTRACE_DETACH, thread, 0, 0);
        });
        held_ = isHeld.get();
    }

    ~FrozenThread() { letGo(); }
    FrozenThread(const FrozenThread&) = delete;
    FrozenThread& operator=(const FrozenThread&) = delete;

    /// False where this user may not trace it.
    [[nodiscard]] bool isHeld() const { return held_; }
    /// It goes on, soon.
    void letGo() { released_ = true; }

private:
    bool held_ = false;
    std::atomic<bool> released_{false};
    std::jthread tracer_;
};

}  // namespace lockstep::tests
