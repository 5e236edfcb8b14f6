// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace lockstep {

/// The user's private folder for sockets and keys of a run, 0700, created:
/// $XDG_RUNTIME_DIR/lockstep/<run id>, else /tmp/lockstep-<uid>/<run id>. Refused when it belongs
/// to somebody else or is open to others.
[[nodiscard]] Result<std::filesystem::path> makeRuntimeFolder(const std::string& runId);

}  // namespace lockstep
