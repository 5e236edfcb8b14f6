// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace lockstep::checkpoint {

/// Why a checkpoint, whose bytes are well, is rather not gone on from.
struct Suspicion {
    std::int64_t step = 0;      ///< The checkpoint's.
    std::int64_t failedAt = 0;  ///< The step at which a training that had gone on from it failed.
    std::string cause;          ///< In the run's words. May be empty.

    [[nodiscard]] bool operator==(const Suspicion&) const = default;
};

/// "its loss became NaN within 3 steps of it"
[[nodiscard]] std::string suspicionText(const Suspicion& suspicion);

/// Leaves it as the file `suspect` in the checkpoint's folder, durably; whoever deletes that file
/// lets the checkpoint be taken again. A checkpoint that is written anew for the step has none.
/// NotFound where the checkpoint is gone.
[[nodiscard]] Result<void> markSuspect(const std::filesystem::path& checkpoints,
                                       const Suspicion& suspicion);

/// Lets it be taken again.
[[nodiscard]] Result<void> removeSuspicion(const std::filesystem::path& checkpoints,
                                           std::int64_t step);

/// Nothing where the checkpoint is not marked. A mark that cannot be read is one all the same: at
/// no known step.
[[nodiscard]] std::optional<Suspicion> suspicionOf(const std::filesystem::path& checkpoints,
                                                   std::int64_t step);

}  // namespace lockstep::checkpoint
