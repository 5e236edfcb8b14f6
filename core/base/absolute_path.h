// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace lockstep {

/// The path from the working directory on, without `.` and `..` in it. BadInput where a relative
/// path is given and the working directory is there no more.
[[nodiscard]] Result<std::filesystem::path> absolutePath(const std::filesystem::path& path);

}  // namespace lockstep
