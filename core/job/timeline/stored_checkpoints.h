// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>

namespace lockstep::job {

/// The folders below `checkpoints` that are there now; nothing where it cannot be read. Nobody
/// writes down which of them retention takes. On another host they are not to be seen.
[[nodiscard]] inline std::optional<std::set<std::string>> storedCheckpoints(
    const std::filesystem::path& checkpoints) {
    std::error_code error;
    std::filesystem::directory_iterator entries(checkpoints, error);
    if (error) return std::nullopt;
    std::set<std::string> folders;
    for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
        if (error) return std::nullopt;
        folders.insert(entries->path().filename().string());
    }
    return folders;
}

}  // namespace lockstep::job
