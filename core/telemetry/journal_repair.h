// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::telemetry {

/// What mendJournal() has done.
struct MendedJournal {
    std::uint64_t bytes = 0;                    ///< That are of nothing now.
    std::uint64_t left = 0;                     ///< Too few in one place for a frame: as they were.
    std::vector<std::filesystem::path> keptIn;  ///< What stood there.
};

/// Copies the damaged bytes of a journal that nobody writes to files `path`.damaged-OFFSET, and
/// puts frames of nothing in their place: all others keep their offsets, which readers and
/// `events/.position` go by. A crash leaves damage as it was, or mended. Io where the disk refuses.
[[nodiscard]] Result<MendedJournal> mendJournal(const std::filesystem::path& path);

/// Whether a record is one of nothing.
[[nodiscard]] bool isFiller(std::string_view record);

/// Frames of nothing that take exactly `bytes`; empty where that is less than a frame.
[[nodiscard]] std::string fillerFrames(std::uint64_t bytes);

}  // namespace lockstep::telemetry
