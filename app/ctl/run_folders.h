// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::app {

/// A run as the command line names it: its folder, or its id or folder's name, wherever
/// runs of this user are known to lie. NotFound says what there is; BadInput names two of that
/// name.
[[nodiscard]] Result<std::filesystem::path> findRun(const std::string& name);

/// The first ten by name, and how many more there are.
[[nodiscard]] std::string namedFolders(const std::vector<std::filesystem::path>& folders);

}  // namespace lockstep::app
