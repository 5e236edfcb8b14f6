// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/fit/dataset.h"

namespace lockstep::fit {

/// Writes elements as one file, whole or not at all. Io, NoRoom where that fails.
[[nodiscard]] Result<void> writeElements(const std::filesystem::path& file,
                                         const std::vector<Element>& elements);
/// What writeElements() has written; the elements share the file's memory. Corrupt for a file that
/// is damaged or was not written by it.
[[nodiscard]] Result<std::vector<Element>> readElements(const std::filesystem::path& file);

}  // namespace lockstep::fit
