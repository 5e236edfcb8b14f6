// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/data/arrays/npy_file.h"

namespace lockstep::data {

/// What stands before the array's bytes in a .npy file of version 1, as NumPy writes it.
[[nodiscard]] std::string npyHeader(const NpyArray& array);

/// Writes the array as a .npy file: the old file or the whole new one is there, whatever happens.
/// Io or NoRoom where it cannot be written.
[[nodiscard]] Result<void> writeNpy(const std::filesystem::path& file, const NpyArray& array);

}  // namespace lockstep::data
