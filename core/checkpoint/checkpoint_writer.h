// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint {

/// Creates `folder` and writes the files of a checkpoint into it, the manifest last, each synced,
/// then the folder. Returns their bytes. On an error the folder may be left, incomplete.
[[nodiscard]] Result<std::uint64_t> writeCheckpoint(const std::filesystem::path& folder,
                                                    const Snapshot& snapshot);

}  // namespace lockstep::checkpoint
