// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace lockstep {

/// Where this user's programs keep what outlives them: $XDG_STATE_HOME/lockstep, else
/// ~/.local/state/lockstep. Not created. Empty when the user has no home folder.
[[nodiscard]] std::filesystem::path stateFolder();

}  // namespace lockstep
