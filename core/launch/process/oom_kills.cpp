// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/oom_kills.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kInterval{5};

std::uint64_t killsIn(const fs::path& counter) {
    std::ifstream counters(counter);
    std::string name;
    for (std::uint64_t value = 0; counters >> name >> value;)
        if (name == "oom_kill") return value;
    return 0;
}

/// A container may see its own group as the topmost one, under a name that is longer.
fs::path nearest(const fs::path& hierarchy, fs::path group, const char* name) {
    std::error_code error;
    for (;; group = group.parent_path()) {
        const fs::path counter = hierarchy / group.relative_path() / name;
        if (fs::exists(counter, error)) return counter;
        if (!group.has_relative_path()) return {};
    }
}

}  // namespace

fs::path oomCounterOf(const fs::path& membership, const fs::path& groups) {
    const std::string kUnified = "0::";
    const std::string kFirstVersion = ":memory:";
    fs::path counter;
    std::ifstream lines(membership);
    for (std::string line; counter.empty() && std::getline(lines, line);) {
        const auto first = line.find(kFirstVersion);
        if (first != std::string::npos)
            counter = nearest(groups / "memory", line.substr(first + kFirstVersion.size()),
                              "memory.oom_control");
        else if (line.starts_with(kUnified))
            counter = nearest(groups, line.substr(kUnified.size()), "memory.events");
    }
    return counter.empty() ? fs::path("/proc/vmstat") : counter;
}

void OomKills::watch(pid_t process) {
    const fs::path counter = oomCounterOf(fmt::format("/proc/{}/cgroup", process), groups_);
    counters_[process] = counter;
    const std::uint64_t now = killsIn(counter);
    counts_.try_emplace(counter, Count{now, now});
}

void OomKills::look(Nanos now) {
    if (now < next_) return;
    next_ = now + kInterval;
    // What has explained an end does not explain another one.
    for (auto& [counter, count] : counts_)
        count.before = std::max(count.before, std::exchange(count.newest, killsIn(counter)));
}

bool OomKills::explainsOne(pid_t process) {
    const auto counter = counters_.find(process);
    if (counter == counters_.end()) return false;
    Count& count = counts_.at(counter->second);
    if (killsIn(counter->second) <= count.before) return false;
    ++count.before;
    return true;
}

}  // namespace lockstep::launch
