// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"

namespace lockstep::job {

/// Keeps a checkpoint of a run from being removed when newer ones come, however many; or takes that
/// word back. NotFound where its files are gone, or lie on another host. Reads the disk.
[[nodiscard]] Result<void> keepCheckpoint(const std::filesystem::path& runDir, std::int64_t step,
                                          bool keep);

}  // namespace lockstep::job
