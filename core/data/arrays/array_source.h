// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/data/arrays/npy_file.h"
#include "core/data/packed/scratch_bytes.h"

namespace lockstep::data {

/// The array that a key of the job file names. BadInput, naming key and file, says what is wrong
/// with it; for an array that the archive does not hold, which ones it does. What is packed is
/// unpacked into `scratch`.
[[nodiscard]] Result<NpyArray> openArray(const std::string& key, const std::string& name,
                                         const std::filesystem::path& jobFolder,
                                         ScratchBytes scratch = ScratchBytes({}));

}  // namespace lockstep::data
