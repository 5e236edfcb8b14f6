// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::launch {

/// The process that the name of a TensorBoard event file tells of:
/// events.out.tfevents.SECONDS.HOST.PID.N[.SUFFIX]. Older writers leave the process out.
struct EventFileName {
    std::string host;
    pid_t pid = 0;
};
[[nodiscard]] std::optional<EventFileName> parseEventFileName(std::string_view name);

enum class FileOwner {
    Own,      ///< This process's program, or what that has started.
    Others,   ///< Somebody else.
    Unknown,  ///< Nobody has it open, and its name tells nothing of whom lives.
};

/// Whose file it is: of the process that its name tells of, else of those that have it open.
[[nodiscard]] FileOwner ownerOf(const std::filesystem::path& file, pid_t supervisor);

}  // namespace lockstep::launch
