// SPDX-License-Identifier: Apache-2.0
#include "core/base/process_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "core/base/file.h"

namespace lockstep {

namespace {

char stateIn(const std::string& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return '\0';
    char text[256];
    const ssize_t size = ::read(fd.get(), text, sizeof text - 1);
    if (size <= 0) return '\0';
    text[size] = '\0';
    // The name in parentheses may hold anything; the state comes behind its end.
    const char* nameEnd = std::strrchr(text, ')');
    return nameEnd != nullptr && nameEnd[1] == ' ' ? nameEnd[2] : '\0';
}

}  // namespace

char processState(pid_t id) {
    return stateIn(fmt::format("/proc/{}/stat", id));
}

char threadState(pid_t process, pid_t thread) {
    return stateIn(fmt::format("/proc/{}/task/{}/stat", process, thread));
}

std::uint64_t contextSwitches(pid_t process) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    constexpr std::string_view kSwitches = "voluntary_ctxt_switches:";  // nonvoluntary_… as well
    std::uint64_t sum = 0;
    for (std::string line; std::getline(status, line);)
        if (const auto at = line.find(kSwitches); at != std::string::npos)
            sum += std::strtoull(line.c_str() + at + kSwitches.size(), nullptr, 10);
    return sum;
}

}  // namespace lockstep
