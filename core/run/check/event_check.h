// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/result.h"

namespace lockstep::run {

/// How far an event file can be read.
struct EventCheck {
    std::uint64_t bytes = 0;
    std::uint64_t intact = 0;  ///< From its beginning on.
    bool isDamaged = false;    ///< A checksum does not fit; else its end may only be under way.

    [[nodiscard]] std::uint64_t torn() const { return bytes - intact; }
};

/// TensorBoard's event files in a folder and below it, by name.
[[nodiscard]] std::vector<std::filesystem::path> eventFiles(const std::filesystem::path& folder);

/// Reads the whole file. Io where that cannot be done.
[[nodiscard]] Result<EventCheck> checkEventFile(const std::filesystem::path& file);

}  // namespace lockstep::run
