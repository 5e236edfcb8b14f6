// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

/// As replaceFileDurably(), of a content that lies in parts, which are written one behind the
/// other: what is large need not be copied into one text first.
[[nodiscard]] Result<void> replaceFileByParts(const std::filesystem::path& path,
                                              std::span<const std::string_view> parts,
                                              unsigned mode = 0644);

/// As writeNewFileDurably(), likewise.
[[nodiscard]] Result<void> writeNewFileByParts(const std::filesystem::path& path,
                                               std::span<const std::string_view> parts);

}  // namespace lockstep
