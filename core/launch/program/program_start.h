// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::launch {

/// The folder that a user's own program runs in: `wanted` where this host has it, else the home
/// folder, else /.
[[nodiscard]] std::filesystem::path programFolder(const std::filesystem::path& wanted);

/// The file that `program` names: as execvp finds it along PATH of `environment` ("NAME=value"
/// each), or relative to `folder` where it has a slash. BadInput with a way out.
[[nodiscard]] Result<std::filesystem::path> findProgram(const std::string& program,
                                                        const std::vector<std::string>& environment,
                                                        const std::filesystem::path& folder);

/// What a command line runs, in a word: the script or module that an interpreter is given
/// ("train.py" of `python3 -u train.py`), else the program's own name.
[[nodiscard]] std::string programLabel(const std::vector<std::string>& command);

}  // namespace lockstep::launch
