// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace lockstep {

/// `path`, or `path`-2, -3, … where something has that name: a link that leads nowhere, too. For
/// whoever holds the folder: nobody else takes the name meanwhile.
[[nodiscard]] inline std::filesystem::path freePath(const std::filesystem::path& path) {
    std::filesystem::path name = path;
    std::error_code error;
    for (int number = 2; std::filesystem::exists(std::filesystem::symlink_status(name, error));
         ++number)
        name = path.string() + "-" + std::to_string(number);
    return name;
}

}  // namespace lockstep
