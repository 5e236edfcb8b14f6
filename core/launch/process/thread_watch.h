// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch/process/watched_threads.h"
#include "core/run/stopped_time.h"

namespace lockstep::launch {

/// What the system tells of a thread.
struct ThreadSigns {
    char state = '\0';           ///< As threadState() has it; 0: there is none.
    std::uint64_t switches = 0;  ///< As contextSwitches() has it: another number, and it has run.
};

/// A thread has begun to stand still, or goes on.
struct ThreadNews {
    std::string name;
    std::string_view loss;
    Nanos stood{};
    char state = '\0';
    bool isOver = false;
};

/// Judges whether a thread stands still, by what the system tells of it: it need do nothing for
/// that, and may work or sleep for long. Who runs, or waits for one thing after the other, moves;
/// who sleeps does so for as long as it may. What is left is held by a debugger, waits for a disk
/// that does not answer, or for what does not come. No clock, no thread.
class StillThread {
public:
    explicit StillThread(const WatchedThread& thread) : thread_(thread) {}

    /// To be called about once a second.
    [[nodiscard]] std::optional<ThreadNews> judge(const ThreadSigns& signs, Nanos now);

private:
    const WatchedThread thread_;
    run::StoppedTime still_;
    Nanos told_{};  ///< Its standstill as it was seen last, once it is told; 0: it is not.
};

/// Looks at those threads of a process that nobody else watches. One thread, which is watched.
class ThreadWatch {
public:
    explicit ThreadWatch(pid_t process) : process_(process) {}

    /// To be asked about once a second: a look reads two small files a thread that there is.
    [[nodiscard]] std::vector<ThreadNews> look(Nanos now);

private:
    struct One {
        StillThread still;
        std::string name;
        pid_t id = 0;  ///< 0: not seen yet, or gone.
    };
    void search();
    void note(const std::string& name, pid_t id);

    pid_t process_;
    std::vector<One> threads_;
    Nanos nextSearch_{};
};

/// "the thread events of the agent of host 0 (node-a) has not run for 10.4 s, …". `whose`: as
/// people know the process.
[[nodiscard]] std::string threadSentence(const ThreadNews& news, std::string_view whose);

}  // namespace lockstep::launch
