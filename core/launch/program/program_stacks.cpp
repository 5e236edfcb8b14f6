// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_stacks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/thread_facts.h"
#include "core/base/thread_stacks.h"
#include "core/launch/program/group_guard.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostProcesses = 32;
constexpr Millis kToAnswer{300};  // so that answers do not mix in the log

/// Of this process's group, but itself and its guard.
std::vector<pid_t> processesOfGroup() {
    std::vector<pid_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator one("/proc", error), end; !error && one != end;
         one.increment(error)) {
        const std::string name = one->path().filename().string();
        pid_t pid = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
        const bool isProcess = parsed.ec == std::errc() && parsed.ptr == name.data() + name.size();
        if (isProcess && pid != ::getpid() && ::getpgid(pid) == ::getpgrp()) found.push_back(pid);
    }
    std::ranges::sort(found);
    return found;
}

bool answers(pid_t process, const std::vector<ThreadFacts>& threads,
             const std::filesystem::path& reportFolder) {
    std::error_code error;
    const ThreadFacts& first = threads.front();
    return std::filesystem::exists(reportFolder / fmt::format("stacks-{}", process), error) &&
           holdsSignal(first.caughtSignals, stackSignal()) && first.state != 'T' &&
           first.state != 't';
}

}  // namespace

void tellProgramStacks(pid_t program, const std::filesystem::path& reportFolder,
                       const std::string& whose,
                       const std::function<void(const std::string&)>& say) {
    const bool isGroup = ::getpgrp() == ::getpid();
    std::vector<pid_t> processes = isGroup ? processesOfGroup() : std::vector{program};
    processes.resize(std::min(processes.size(), kMostProcesses));
    for (const pid_t process : processes) {
        const std::vector<ThreadFacts> threads = threadsOf(process);
        if (threads.empty() || threads.front().name == kGuardName) continue;
        if (!answers(process, threads, reportFolder)) {
            tellThreads(process, whose, say);
            continue;
        }
        say(fmt::format("stacks of the threads of {} (pid {}) of {}:\n", threads.front().name,
                        process, whose));
        ::kill(process, stackSignal());
        std::this_thread::sleep_for(kToAnswer);
    }
}

}  // namespace lockstep::launch
