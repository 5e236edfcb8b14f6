// SPDX-License-Identifier: Apache-2.0
#include "core/base/process_start_time.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "core/base/file.h"

namespace lockstep {

std::optional<std::uint64_t> processStartTime(pid_t pid) {
    const UniqueFd fd(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return std::nullopt;
    char text[1024];
    const ssize_t size = ::read(fd.get(), text, sizeof text - 1);
    if (size <= 0) return std::nullopt;
    text[size] = '\0';
    // The name in parentheses may hold anything; the fields are counted from its end.
    const char* cursor = std::strrchr(text, ')');
    if (cursor == nullptr) return std::nullopt;
    ++cursor;
    constexpr int kFieldsBetweenNameAndStartTime = 19;  // name is field 2, start time 22
    for (int field = 0; field < kFieldsBetweenNameAndStartTime && cursor != nullptr; ++field)
        cursor = std::strchr(cursor + 1, ' ');
    return cursor == nullptr ? std::nullopt
                             : std::optional<std::uint64_t>(std::strtoull(cursor, nullptr, 10));
}

}  // namespace lockstep
