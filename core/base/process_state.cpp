// SPDX-License-Identifier: Apache-2.0
#include "core/base/process_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "core/base/file.h"

namespace lockstep {

char processState(pid_t id) {
    const UniqueFd fd(::open(fmt::format("/proc/{}/stat", id).c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return '\0';
    char text[256];
    const ssize_t size = ::read(fd.get(), text, sizeof text - 1);
    if (size <= 0) return '\0';
    text[size] = '\0';
    // The name in parentheses may hold anything; the state comes behind its end.
    const char* nameEnd = std::strrchr(text, ')');
    return nameEnd != nullptr && nameEnd[1] == ' ' ? nameEnd[2] : '\0';
}

}  // namespace lockstep
