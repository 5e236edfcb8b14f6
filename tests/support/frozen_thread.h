// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <QDir>
#include <QFile>

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
/// heartbeats come, its steps do not. It stays held until its process ends.
class FrozenThread {
public:
    explicit FrozenThread(pid_t thread) {
        std::promise<bool> held;
        std::future<bool> isHeld = held.get_future();
        // Only the thread that traces may ask, and somebody has to see the end of what is traced.
        tracer_ = std::jthread([thread, held = std::move(held)]() mutable {
            int status = 0;
            const bool stopped = ::ptrace(PTRACE_SEIZE, thread, 0, 0) == 0 &&
                                 ::ptrace(PTRACE_INTERRUPT, thread, 0, 0) == 0 &&
                                 ::waitpid(thread, &status, __WALL) == thread;
            held.set_value(stopped);
            if (!stopped) return;
            while (::waitpid(thread, &status, __WALL) == thread)
                if (WIFEXITED(status) || WIFSIGNALED(status)) return;
        });
        held_ = isHeld.get();
    }

    /// False where this user may not trace it.
    [[nodiscard]] bool isHeld() const { return held_; }

private:
    bool held_ = false;
    std::jthread tracer_;
};

}  // namespace lockstep::tests
