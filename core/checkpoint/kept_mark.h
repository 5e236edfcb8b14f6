// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace lockstep::checkpoint {

/// A user's word that retention spares a checkpoint: an empty file of this name beside its folder.
[[nodiscard]] inline std::string keptMarkName(std::int64_t step) {
    return "keep-" + std::to_string(step);
}

/// Gives a checkpoint that word, or takes it back; from then on no process removes it, or any may.
/// NotFound where the checkpoint is gone, Io where its folder cannot be opened or the mark cannot
/// be made. Any process, at any time.
[[nodiscard]] Result<void> markKept(const std::filesystem::path& checkpoints, std::int64_t step,
                                    bool keep);

/// Whether it has that word; where that cannot be told, too.
[[nodiscard]] bool isKept(const std::filesystem::path& checkpoints, std::int64_t step);

}  // namespace lockstep::checkpoint
