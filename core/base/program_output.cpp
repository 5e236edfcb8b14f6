// SPDX-License-Identifier: Apache-2.0
#include "core/base/program_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "core/base/file.h"

extern char** environ;

namespace lockstep {

namespace {

constexpr std::size_t kMaxOutput = 64 << 10;

/// Reads until the end, the limit or the deadline.
std::string readUntil(int fd, Nanos deadline) {
    std::string output;
    std::array<char, 4096> piece{};
    while (output.size() < kMaxOutput) {
        const auto left = std::chrono::ceil<Millis>(deadline - SteadyClock::read()).count();
        pollfd entry{fd, POLLIN, 0};
        if (left <= 0 || ::poll(&entry, 1, static_cast<int>(left)) <= 0) break;
        const ssize_t got = ::read(fd, piece.data(), piece.size());
        if (got <= 0) break;
        output.append(piece.data(), static_cast<std::size_t>(got));
    }
    return output;
}

}  // namespace

std::string outputOf(const std::filesystem::path& program,
                     const std::vector<std::string>& arguments, Nanos timeout) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    const UniqueFd readEnd(ends[0]);
    UniqueFd writeEnd(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, writeEnd.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = -1;
    const int failed =
        ::posix_spawn(&pid, words[0].c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    writeEnd.reset();
    if (failed != 0) return {};
    std::string output = readUntil(readEnd.get(), SteadyClock::read() + timeout);
    ::kill(pid, SIGKILL);  // it has ended, or had its time
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return output;
}

std::filesystem::path findProgram(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path candidate = std::filesystem::path(folder) / name;
        if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

}  // namespace lockstep
