// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>

#include "core/base/clock.h"

namespace lockstep::launch {

/// Which ends of processes the kernel is behind, because their host, or a control group, was out of
/// memory. It counts those kills by the control group of whoever is killed (memory.events, of
/// version 1 memory.oom_control): what happens in others of the host explains nothing. Where there
/// is no such counter, that of the whole host counts (/proc/vmstat). One thread.
class OomKills {
public:
    explicit OomKills(std::filesystem::path groups = "/sys/fs/cgroup")
        : groups_(std::move(groups)) {}

    /// From now on there is an answer for this process, by the control group that it is in now.
    void watch(pid_t process);
    /// Remembers how many there have been so far, every few seconds; in between it costs nothing.
    void look(Nanos now);
    /// Of a watched process that has ended by a SIGKILL which nobody here has sent, just now:
    /// whether there has been a kill in the last ten seconds that no other one is explained by.
    [[nodiscard]] bool explainsOne(pid_t process);

private:
    struct Count {
        std::uint64_t before = 0;
        std::uint64_t newest = 0;
    };

    const std::filesystem::path groups_;
    std::map<pid_t, std::filesystem::path> counters_;
    std::map<std::filesystem::path, Count> counts_;  ///< By the file that holds the counter.
    Nanos next_{};
};

/// Where the kernel counts such kills in the control group that a file like /proc/PID/cgroup names,
/// or in the nearest group around it that can be seen below `groups`; /proc/vmstat: in none.
[[nodiscard]] std::filesystem::path oomCounterOf(const std::filesystem::path& membership,
                                                 const std::filesystem::path& groups);

}  // namespace lockstep::launch
