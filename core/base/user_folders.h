// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace lockstep {

/// Where this user's programs keep things: as the XDG Base Directory Specification names the
/// places, each below its variable where that is an absolute path. Not created. Empty when the user
/// has no home folder.

/// What outlives a program: $XDG_STATE_HOME/lockstep, else ~/.local/state/lockstep.
[[nodiscard]] std::filesystem::path stateFolder();
/// What can be made again: $XDG_CACHE_HOME/lockstep, else ~/.cache/lockstep.
[[nodiscard]] std::filesystem::path cacheFolder();
/// What is the user's own: $XDG_DATA_HOME/lockstep, else ~/.local/share/lockstep.
[[nodiscard]] std::filesystem::path dataFolder();
/// What the user has set: $XDG_CONFIG_HOME/lockstep, else ~/.config/lockstep.
[[nodiscard]] std::filesystem::path configFolder();

}  // namespace lockstep
