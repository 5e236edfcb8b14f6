// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace lockstep {

/// The user's private folder for sockets and keys of a run, 0700, created:
/// $XDG_RUNTIME_DIR/lockstep/<run id>, else /tmp/lockstep-<uid>/<run id>. Refused when it belongs
/// to somebody else or is open to others. Where the first one's path would be longer than
/// `longest` bytes (paths of sockets have a limit of 107), it is the second one. That one alone
/// after keepRuntimeFolders().
///
/// This process owns the folder as long as it lives, by a lock on a file in it, and removes it.
/// Folders there whose owners were killed are removed with all that is in them.
[[nodiscard]] Result<std::filesystem::path> makeRuntimeFolder(const std::string& runId,
                                                              std::size_t longest = 4096);

/// Likewise one that several processes use at the same time, and that nobody removes.
[[nodiscard]] Result<std::filesystem::path> makeSharedRuntimeFolder(const std::string& name);

/// $XDG_RUNTIME_DIR goes when the user's last session on a machine ends. After this call, this
/// process and those that it starts use the folder that does not. By the environment: to be called
/// before there are threads; $XDG_RUNTIME_DIR itself stays as it is for the user's own programs.
void keepRuntimeFolders();

}  // namespace lockstep
