// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace lockstep::launch {

// Whether two hosts see the same run folder is not told by its path, which may lead to a folder of
// each host's own. The host that has the folder leaves a random word in it; who sees the folder
// reads the same word.

/// Leaves a new word in the folder, in place of a former one, and returns it. It is no secret.
[[nodiscard]] Result<std::string> leaveToken(const std::filesystem::path& runFolder);

/// Whether `runFolder` here holds this word. Looks again for up to two seconds: a file system of
/// several hosts may show a new file late. An empty token is seen by nobody.
[[nodiscard]] bool seesRunFolder(const std::filesystem::path& runFolder, const std::string& token);

}  // namespace lockstep::launch
