// SPDX-License-Identifier: Apache-2.0
// The desktop program as a user starts it, on one platform, watched from outside.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/figures.h"

namespace lockstep::bench {

/// Runs `lockstep --milestones` and ends it when the object goes.
class DesktopProgram {
public:
    DesktopProgram(const std::string& program, std::vector<std::string> arguments)
        : begin_(SteadyClock::read()) {
        arguments.insert(arguments.begin(), {program, "--milestones"});
        std::vector<char*> words;
        for (std::string& argument : arguments)
            words.push_back(argument.data());
        words.push_back(nullptr);
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) std::exit(1);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        const int failed =
            posix_spawn(&pid_, program.c_str(), &actions, nullptr, words.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        output_ = ends[0];
        if (failed != 0)
            valueOrExit(
                Result<void>(fail(ErrorCode::Io, fmt::format("{} cannot be started", program))));
    }
    ~DesktopProgram() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        close(output_);
    }
    DesktopProgram(const DesktopProgram&) = delete;
    DesktopProgram& operator=(const DesktopProgram&) = delete;

    /// Seconds from its start until it said so; nothing within the timeout: the end of this one.
    [[nodiscard]] double secondsUntil(const std::string& milestone, Nanos timeout) {
        const std::string line = milestone + "\n";
        while (said_.find(line) == std::string::npos) {
            const Nanos left = begin_ + timeout - SteadyClock::read();
            pollfd readable{output_, POLLIN, 0};
            const auto millis = static_cast<int>(left.count() / 1'000'000);
            std::array<char, 256> piece{};
            const bool any = millis > 0 && ::poll(&readable, 1, millis) > 0;
            const ssize_t count = any ? ::read(output_, piece.data(), piece.size()) : 0;
            if (count <= 0)
                valueOrExit(
                    Result<void>(fail(ErrorCode::Timeout, "the window did not say: " + milestone)));
            said_.append(piece.data(), static_cast<std::size_t>(count));
        }
        return Seconds(SteadyClock::read() - begin_).count();
    }

    /// What it has computed so far, all threads.
    [[nodiscard]] double computedSeconds() const {
        clockid_t clock{};
        timespec time{};
        if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    }

private:
    Nanos begin_;
    pid_t pid_ = -1;
    int output_ = -1;
    std::string said_;
};

}  // namespace lockstep::bench
