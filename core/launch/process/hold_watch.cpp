// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/hold_watch.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/process_state.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kLongWait{3};  ///< For a disk: shorter ones are its everyday work.
constexpr const char* kHeartbeatThread = "control";  // of coordination::Client

pid_t threadNamed(pid_t process, const std::string& name) {
    std::error_code error;
    const std::filesystem::path tasks = fmt::format("/proc/{}/task", process);
    for (std::filesystem::directory_iterator task(tasks, error), end; !error && task != end;
         task.increment(error)) {
        std::string its;
        std::getline(std::ifstream(task->path() / "comm"), its);
        if (its == name) return std::atoi(task->path().filename().c_str());
    }
    return 0;
}

bool isGroupFrozen(pid_t process) {
    std::ifstream groups(fmt::format("/proc/{}/cgroup", process));
    const std::string kUnified = "0::";
    for (std::string line; std::getline(groups, line);) {
        if (!line.starts_with(kUnified)) continue;
        std::ifstream events("/sys/fs/cgroup" + line.substr(kUnified.size()) + "/cgroup.events");
        std::string name;
        for (int value = 0; events >> name >> value;)
            if (name == "frozen") return value != 0;
    }
    return false;
}

}  // namespace

HoldSigns HoldWatch::signs() {
    char heartbeatState = heartbeatThread_ > 0 ? threadState(pid_, heartbeatThread_) : '\0';
    if (heartbeatState == '\0') {  // not seen yet, or another one has its work
        heartbeatThread_ = threadNamed(pid_, kHeartbeatThread);
        if (heartbeatThread_ > 0) heartbeatState = threadState(pid_, heartbeatThread_);
    }
    return {processState(pid_), heartbeatState, isGroupFrozen(pid_), contextSwitches(pid_)};
}

wire::Hold HoldWatch::judge(const HoldSigns& signs, Nanos now) {
    const bool isSilenced = isStoppedState(signs.state) && isStoppedState(signs.heartbeatState);
    stoppedFor_ = stopped_.note(isSilenced, signs.switches, now);
    // What it does besides its heartbeats may wait for a disk as long as it likes.
    const char state = signs.heartbeatState != '\0' ? signs.heartbeatState : signs.state;
    const Nanos waited = waiting_.note(state == 'D', 0, now);
    if (isStoppedState(signs.state)) return wire::HOLD_STOPPED;
    if (signs.isGroupFrozen) return wire::HOLD_FROZEN;
    return waited > kLongWait ? wire::HOLD_DISK : wire::HOLD_NONE;
}

}  // namespace lockstep::launch
